"""Spearman correlations of predicted with measured effects (INFO/MEASURED of a VCF, one ALT each), in the order of the VCF.

  correlate.py VCF NAME=TABLE[:PART] ...

TABLE: effects of `bigdna variants` as TSV (its LOGIT columns count), or log-odds of the records that edited_fasta.py made of
the VCF: of `bigdna chromatin --parts` with :kmers, :encoder or :kmers+encoder, or of deepsea_cnn.py. An allele's effect is the mean over
features, of DNase and of all.

95 % intervals: stretches of 10 bp are drawn again, 2000 times. null95: the 95th percentile of the absolute correlation when
the measured effects are moved along the element, in turn by each distance from 10 bp on, so that neighbours stay neighbours;
p: how many of these are at least as large. `FIRST - NAME` are paired differences.
"""
import sys

import numpy as np
from scipy.stats import spearmanr

places, measured = [], []
for line in open(sys.argv[1]):
    if not line.startswith("#"):
        columns = line.rstrip("\n").split("\t")
        places.append(int(columns[2].rstrip("ACGT-")))
        measured.append(float(columns[7].split("=")[1]))
places, measured = np.array(places) - min(places), np.array(measured)


def effects_of(path, part):
    """{features: effects}, of the VCF's alleles."""
    lines = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("##")]
    header, lines = lines[0], lines[1:]
    values = 0
    for prefix in ["LOGIT:"] if "skipped" in header else [f"{each}:" for each in part.split("+")] if part else [""]:
        columns = [i for i, name in enumerate(header) if name.startswith(prefix) and (prefix or i >= 6)]
        if not columns or any(line[columns[0]] == "." for line in lines):
            sys.exit(f"{path}: lacks {prefix or 'log-odds'}")
        values = values + np.array([[float(line[i]) for i in columns] for line in lines])
    if "skipped" not in header:
        kinds = {tuple(line[0].split("|")[:2]): row for line, row in zip(lines, values)}
        values = np.array([(kinds[str(i), "left"] + kinds[str(i), "right"]) / 2 - kinds[str(i), "ref"] for i in range(len(measured))])
    dnase = [k for k, i in enumerate(columns) if header[i][len(prefix):].startswith("DNase")]
    return {"DNase": values[:, dnase].mean(1), "all": values.mean(1)}


def moved(by):
    """Rows whose measured effect stands at each row's place when the element is turned by this many bp."""
    at = {}
    for row, place in enumerate(places):
        at.setdefault(place, []).append(row)
    length, pairs = places.max() + 1, []
    for row, place in enumerate(places):
        others = at.get((place + by) % length)
        if others:
            pairs.append((row, others[at[place].index(row) % len(others)]))
    return np.array(pairs).T


tables = {}
for argument in sys.argv[2:]:
    name, path = argument.split("=")
    path, _, part = path.partition(":")
    tables[name] = effects_of(path, part)
random, blocks = np.random.default_rng(1), places // 10
members = [np.flatnonzero(blocks == block) for block in np.unique(blocks)]
draws = [np.concatenate([members[i] for i in random.integers(len(members), size=len(members))]) for _ in range(2000)]
turns = [moved(by) for by in range(10, places.max() - 8)]
first = next(iter(tables))
print("#features\tmethod\tvariants\tspearman\tlow\thigh\tnull95\tp")
for features in ("DNase", "all"):
    resampled = {}
    for name, effects in tables.items():
        x = effects[features]
        rho = spearmanr(x, measured).statistic
        resampled[name] = np.array([spearmanr(x[draw], measured[draw]).statistic for draw in draws])
        null = np.abs([spearmanr(x[mine], measured[theirs]).statistic for mine, theirs in turns])
        interval = np.percentile(resampled[name], [2.5, 97.5])
        p = (1 + (null >= abs(rho)).sum()) / (1 + len(null))
        print(features, name, len(x), *(f"{v:.3f}" for v in (rho, *interval, np.percentile(null, 95), p)), sep="\t")
    for name in tables:
        if name != first:
            rho = spearmanr(tables[first][features], measured).statistic - spearmanr(tables[name][features], measured).statistic
            interval = np.percentile(resampled[first] - resampled[name], [2.5, 97.5])
            print(features, f"{first} - {name}", len(measured), *(f"{v:.3f}" for v in (rho, *interval)), "NA", "NA", sep="\t")
