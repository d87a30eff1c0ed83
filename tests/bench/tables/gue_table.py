#!/usr/bin/env python3
"""The table of GUE's human tasks from the scores that tables.sh left in OUT: gue_table.py OUT TASK... >gue.tsv

MCC and AUROC of the test rows by each method, calls from 0.5 on, computed here and not by bigdna; paired differences
in MCC with 95 % intervals, for which rows are resampled 2000 times; processor seconds of bigdna's run. Published: MCC
of GUE's test split, which tables.sh does not read, of models trained on all of the training rows: Zhou et al.,
"DNABERT-2" (ICLR 2024, arXiv:2306.15006), rows DNABERT-2 (117 million parameters) and NT-2500M-1000g (Nucleotide
Transformer, 2.5 billion), as later work repeats them.
"""
import gzip
import sys

import numpy as np

PUBLISHED = {  # task: DNABERT-2, NT-2500M-1000g; percent
    "tf0": (71.99, 66.31), "tf1": (76.06, 68.30), "tf2": (66.52, 58.70), "tf3": (58.54, 49.08), "tf4": (77.43, 67.59),
    "prom_core_all": (69.37, 67.39), "prom_core_notata": (68.04, 67.46), "prom_core_tata": (74.17, 69.66),
    "prom_300_tata": (71.59, 75.80)}
METHODS = ("bigdna", "kmers", "encoder alone", "CNN")


def read_scores(path):
    """Of each row the label, and each method's probability."""
    with gzip.open(path, "rt") as file:
        header = next(line for line in file if not line.startswith("##"))
        columns = [name.split(":")[0] for name in header.lstrip("#").rstrip("\n").split("\t")]
        rows = [line.rstrip("\n").split("\t") for line in file]
    take = lambda name: np.array([float(row[columns.index(name)]) for row in rows])
    scores = {name: take(name) for name in columns if name in ("bigdna", "kmers")}
    return [row[3] for row in rows], take("label") > 0.5, scores


def mcc(truth, calls):
    """Along the last axis; 0 where rows or calls have one class."""
    t, p = truth.astype(float), calls.astype(float)
    covariance = (t * p).mean(-1) - t.mean(-1) * p.mean(-1)
    spread = np.sqrt(t.var(-1) * p.var(-1))
    return np.divide(covariance, spread, out=np.zeros_like(covariance), where=spread > 0)


def auroc(truth, scores):
    order = np.unique(scores, return_inverse=True)[1]
    below = np.bincount(order[~truth], minlength=order.max() + 1)
    return ((np.cumsum(below) - below / 2)[order[truth]]).sum() / (truth.sum() * (~truth).sum())


def main():
    out, *tasks = sys.argv[1:]
    print("task", "training rows", "test rows", *("MCC: " + name for name in METHODS), "bigdna - kmers", "bigdna - CNN",
          *("AUROC: " + name for name in METHODS), "seconds", "published DNABERT-2", "published NT-2500M-1000g",
          sep="\t")
    for task in tasks:
        names, truth, scores = read_scores(f"{out}/{task}/scores.tsv.gz")
        others, again, alone = read_scores(f"{out}/{task}.encoder/scores.tsv.gz")
        assert names == others and (truth == again).all(), task
        scores = {"bigdna": scores["bigdna"], "kmers": scores["kmers"], "encoder alone": alone["bigdna"],
                  "CNN": np.loadtxt(f"{out}/{task}.cnn.scores")}
        assert all(len(values) == len(truth) for values in scores.values()), task
        with gzip.open(f"{out}/{task}.data/regions.bed.gz", "rt") as file:
            training = sum(line.split("\t")[6].strip() == "train" for line in file if line[0] != "#")
        value = {name: mcc(truth, scores[name] >= 0.5) for name in METHODS}
        rows = np.random.default_rng(1).integers(0, len(truth), (2000, len(truth)))
        drawn = {name: mcc(truth[rows], scores[name][rows] >= 0.5) for name in ("bigdna", "kmers", "CNN")}
        difference = lambda other: "%+.3f [%+.3f, %+.3f]" % (
            value["bigdna"] - value[other], *np.percentile(drawn["bigdna"] - drawn[other], [2.5, 97.5]))
        with open(f"{out}/{task}.seconds") as file:
            seconds = file.read().strip()
        print(task, training, len(truth), *("%.3f" % value[name] for name in METHODS), difference("kmers"),
              difference("CNN"), *("%.3f" % auroc(truth, scores[name]) for name in METHODS), seconds,
              *("%.3f" % (v / 100) for v in PUBLISHED[task]), sep="\t", flush=True)


if __name__ == "__main__":
    main()
