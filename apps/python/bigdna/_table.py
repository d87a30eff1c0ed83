"""Tables as the commands write them."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

try:
    import numpy as np
    from numpy.typing import NDArray
except ImportError:
    raise ImportError("`import bigdna` needs NumPy (pip install numpy); the command does not") from None

# Columns that say what a row is. Outputs never have these names.
_DESCRIPTIONS = re.compile(r"chrom|start|end|name|score|strand|base|pos|ref|alt|ref_match|contains_unk|skipped|seen|column\d+|track:.+")


@dataclass(frozen=True)
class Table:
    """Numbers of rows and outputs.

    values: float32 [rows, outputs]; NaN where the command writes none.
    outputs: the names of the columns of values.
    rows: of each row the columns that say what it is, as text (`rows[0]["chrom"]`).
    """

    values: NDArray[np.float32]
    outputs: list[str]
    rows: list[dict[str, str]]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, output: str) -> NDArray[np.float32]:
        """The column of an output."""
        if output not in self.outputs:
            raise KeyError(output)
        column: NDArray[np.float32] = self.values[:, self.outputs.index(output)]
        return column

    @classmethod
    def of_text(cls, text: str) -> Table:
        lines = [line for line in text.splitlines() if not line.startswith("##")]
        names = lines[0].lstrip("#").split("\t")
        rows = [line.split("\t") for line in lines[1:]]
        numbers = [i for i, name in enumerate(names) if not _DESCRIPTIONS.fullmatch(name)]
        others: list[Any] = [i for i in range(len(names)) if i not in numbers]
        values = [[float("nan") if row[i] == "." else float(row[i]) for i in numbers] for row in rows]
        return cls(np.array(values, dtype=np.float32).reshape(len(rows), len(numbers)), [names[i] for i in numbers],
                   [{names[i]: row[i] for i in others} for row in rows])
