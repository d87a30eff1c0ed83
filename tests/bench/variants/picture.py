"""Measured effects of a saturation mutagenesis (INFO/MEASURED of a VCF, one ALT each) above predicted ones, position by position.

  picture.py VCF TABLE PREFIX OUT.png|.svg      for example picture.py hnf4a.vcf hnf4a.tsv LOGIT:DNase hnf4a.png

TABLE: effects of `bigdna variants` as TSV, with the VCF's rows; an allele's effect is the mean over the columns that begin with
PREFIX. A dot is an allele, with the colour of its base or of a deletion; the line is the mean of a position. The title has
Spearman's correlation of the positions' means, and the 95th percentile of that where the measured ones are moved along the
element by 10 bp or more.
Needs the peers' Python (tests/peers/setup.sh).
"""
import sys

import matplotlib
import numpy as np
from scipy.stats import spearmanr

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = {"A": "#109648", "C": "#255c99", "G": "#e5a100", "T": "#d62839", "deleted": "0.55"}

vcf, table, prefix, out = sys.argv[1:]
alleles = [line.rstrip("\n").split("\t") for line in open(vcf) if not line.startswith("#")]
header, *rows = [line.rstrip("\n").split("\t") for line in open(table) if not line.startswith("##")]
columns = [i for i, name in enumerate(header) if name.startswith(prefix)]
assert columns and [row[1:5] for row in rows] == [row[1:5] for row in alleles], "the table is not of this VCF"
deletion = np.array([len(row[3]) > len(row[4]) for row in alleles])  # of the base behind the first
position = np.array([int(row[1]) for row in alleles]) + deletion
change = np.where(deletion, "deleted", [row[4] for row in alleles])
measured = np.array([float(row[7].split("=")[1]) for row in alleles])
predicted = np.array([np.mean([float(row[i]) for i in columns]) for row in rows])

places = np.arange(position.min(), position.max() + 1)
mean = lambda values: np.array([values[position == place].mean() if (position == place).any() else np.nan for place in places])
means = mean(measured), mean(predicted)
correlation = lambda a, b: spearmanr(a, b, nan_policy="omit").statistic
null = np.percentile([abs(correlation(np.roll(means[0], by), means[1])) for by in range(10, len(places) - 10)], 95)
figure, axes = plt.subplots(2, 1, figsize=(12, 6.5), sharex=True, layout="constrained")
for axis, values, line, label in zip(axes, (measured, predicted), means, ("measured, log2 of expression", f"predicted, {prefix}")):
    axis.axhline(0, color="0.7", linewidth=0.8)
    for name, colour in COLOURS.items():
        axis.scatter(position[change == name], values[change == name], s=7, color=colour, label=name)
    axis.plot(places, line, color="0.2", linewidth=0.9)
    axis.set_ylabel(label)
axes[0].legend(title="changed to", ncols=5, fontsize=8, title_fontsize=8)
axes[0].set_title(f"{len(alleles)} changes of one base; positions: Spearman {correlation(*means):.3f}, moved along the element 95 % below {null:.3f}", fontsize=10)
axes[1].set_xlabel(f"position on {alleles[0][0]} (1-based)")
axes[1].ticklabel_format(useOffset=False, style="plain", axis="x")
figure.savefig(out, dpi=110)
print(figure.axes[0].get_title())
