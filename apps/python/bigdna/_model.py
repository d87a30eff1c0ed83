"""A model, and the commands that it can be asked by."""
from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence, Union

from ._program import Word, run
from ._table import Table

Path = Union[str, "os.PathLike[str]"]
Sequences = Union[str, Sequence[str], Mapping[str, str]]
Regions = Union[Path, Sequence[Sequence[Union[str, int]]]]


def load(model: Path, *ensemble: Path, threads: Optional[int] = None, device: Optional[str] = None, precision: Optional[str] = None) -> Model:
    """A model: a folder, a run, or the name of a model that comes with bigdna (`bigdna info --models`).

    ensemble: further models, whose answers are averaged. threads, device, precision: as `-@`, `--device` and `--precision`.
    Error if a folder is no complete model.
    """
    for path in (model, *ensemble):
        run("info", path)
    return Model(os.fspath(model), tuple(os.fspath(path) for path in ensemble), threads, device, precision)


@dataclass(frozen=True)
class Model:
    """What `load` returns. `options` of each method are further words of its command: `options=["--reach", 1000]`."""

    path: str
    ensemble: tuple[str, ...] = ()
    threads: Optional[int] = None
    device: Optional[str] = None
    precision: Optional[str] = None

    def predict(self, sequences: Optional[Sequences] = None, *, regions: Optional[Regions] = None, genome: Optional[Path] = None,
                features: Optional[str] = None, strands: Optional[str] = None, options: Sequence[Word] = ()) -> Table:
        """`bigdna predict`: a row for each sequence, or for each region of a genome.

        sequences: one, several, or named ones. regions: a BED file, or (contig, start, end) with more columns of BED or without.
        """
        return self._ask("predict", sequences, regions, genome, {"--features": features, "--strands": strands}, options)

    def profile(self, sequences: Optional[Sequences] = None, *, regions: Optional[Regions] = None, genome: Optional[Path] = None,
                strands: Optional[str] = None, options: Sequence[Word] = ()) -> Table:
        """`bigdna profile` of a BPNet or ChromBPNet: a row for each window, with its expected counts and their logarithm."""
        return self._ask("profile", sequences, regions, genome, {"--strands": strands}, options)

    def explain(self, sequences: Optional[Sequences] = None, *, regions: Optional[Regions] = None, genome: Optional[Path] = None,
                features: Optional[str] = None, strands: Optional[str] = None, method: str = "mutagenesis", options: Sequence[Word] = ()) -> Table:
        """`bigdna explain`: a row for each base, with its contribution to each output. `rows[i]["name"]` says of which sequence."""
        return self._ask("explain", sequences, regions, genome, {"--features": features, "--strands": strands, "--method": method}, options)

    def variants(self, vcf: Path, genome: Path, *, features: Optional[str] = None, effects: Optional[str] = None,
                 strands: Optional[str] = None, options: Sequence[Word] = ()) -> Table:
        """`bigdna variants`: a row for each alternative allele, with its effects (`effects="LOGIT,DIFF"`) on each output."""
        chosen = self._words({"--features": features, "--effects": effects, "--strands": strands})
        with tempfile.TemporaryDirectory(prefix="bigdna-") as folder:
            return _table("variants", folder, self.path, vcf, "-g", genome, *chosen, *options)

    def _ask(self, command: str, sequences: Optional[Sequences], regions: Optional[Regions], genome: Optional[Path],
             choices: Mapping[str, Optional[Word]], options: Sequence[Word]) -> Table:
        if (sequences is None) == (regions is None):
            raise TypeError(f"{command} takes either sequences or regions")
        words = [*self._words(choices), *options]
        with tempfile.TemporaryDirectory(prefix="bigdna-") as folder:
            if sequences is not None:
                return _table(command, folder, self.path, _fasta(sequences, folder), *words)
            if genome is None:
                raise TypeError("regions need a genome")
            return _table(command, folder, self.path, "-R", _bed(regions, folder), "-g", genome, *words)

    def _words(self, choices: Mapping[str, Optional[Word]]) -> list[Word]:
        words: list[Word] = [word for path in self.ensemble for word in ("--ensemble", path)]
        everywhere = {"-@": self.threads, "--device": self.device, "--precision": self.precision}
        for option, value in {**choices, **everywhere}.items():
            if value is not None:
                words += [option, value]
        return words


def _table(command: str, folder: str, *words: Word) -> Table:
    """The table that a command writes."""
    path = os.path.join(folder, "table.tsv")
    run(command, *words, "-o", path)
    with open(path, encoding="utf-8") as file:
        return Table.of_text(file.read())


def _fasta(sequences: Sequences, folder: str) -> str:
    if isinstance(sequences, str):
        sequences = [sequences]
    named = sequences if isinstance(sequences, Mapping) else {f"sequence{i}": bases for i, bases in enumerate(sequences)}
    path = os.path.join(folder, "sequences.fa")
    with open(path, "w", encoding="utf-8") as file:
        for name, bases in named.items():
            if not isinstance(bases, str):
                raise TypeError(f"a sequence named {name!r}: is {type(bases).__name__}, and not str")
            if not bases:
                raise ValueError(f"a sequence named {name!r}: has no bases, so it would have no row")
            if not name or name.split() != [name] or "\n" in bases or ">" in bases:
                raise ValueError(f"a sequence named {name!r}: names have no blanks, and bases no line ends")
            file.write(f">{name}\n{bases}\n")
    return path


def _bed(regions: Optional[Regions], folder: str) -> Path:
    if isinstance(regions, (str, os.PathLike)):
        return regions
    path = os.path.join(folder, "regions.bed")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("\t".join(map(str, region)) + "\n" for region in regions or ())
    return path
