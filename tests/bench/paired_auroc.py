"""What benches of two classes share: scores of a run's test examples, AUROC by SciPy's ranks, and paired differences."""
import collections
import gzip

import numpy as np
from scipy.stats import rankdata


def auroc(y, score):
    positives = y.sum()
    return (rankdata(score)[y > 0].sum() - positives * (positives + 1) / 2) / (positives * (len(y) - positives))


def read_scores(run):
    """The columns of RUN/scores.tsv.gz, as text."""
    rows = [line.rstrip("\n").split("\t") for line in gzip.open(f"{run}/scores.tsv.gz", "rt") if not line.startswith("##")]
    names = [name.lstrip("#") for name in rows[0]]
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(names)}


class Blocks:
    """Test examples in blocks of 1 Mb, which are resampled; `parts`: read_scores() of the parts of a test set."""

    def __init__(self, parts):
        places = collections.defaultdict(list)
        for i, block in enumerate(row for part in parts for row in zip(part["chrom"], (int(start) // 1000000 for start in part["start"]))):
            places[block].append(i)
        self.blocks = [np.array(place) for place in places.values()]
        self.rng = np.random.default_rng(1)

    def difference(self, y, one, other):
        """Mean AUROC of `one` minus `other`, lists of scores by seed, with an interval over blocks and seeds: as text."""
        drawn = []
        for _ in range(1000):
            some = np.concatenate([self.blocks[i] for i in self.rng.integers(len(self.blocks), size=len(self.blocks))])
            seed = self.rng.integers(len(one))
            drawn.append(auroc(y[some], one[seed][some]) - auroc(y[some], other[seed][some]))
        mean = np.mean([auroc(y, a) - auroc(y, b) for a, b in zip(one, other)])
        return f"{mean:+.4f} [{np.quantile(drawn, 0.025):+.4f}, {np.quantile(drawn, 0.975):+.4f}]"
