#!/usr/bin/env python3
"""frequency.py BIGDNA VCF GENOME WORK NAME=MODEL ... [--effect LOGIT|LLR] [--common LOW HIGH] [--counts REGION ...] [--variants N] [--threads N]

Do variants that a model gives larger effects, or that it calls less likely, have lower frequencies? Takes N common (ALT frequency in --common)
and N rare (seen once) single-base variants of VCF, and for each a simulated one of the same region, trinucleotide and ALT that VCF does not
have. Prints AUROC of rare against common, of common against simulated and of rare against simulated, with 95 % intervals from 1000 resamples of
blocks of 100 kb, and Spearman's correlation with the frequency of all real ones. The simulated ones cannot be told by trinucleotide or CpG.

LOGIT: the score is the largest absolute value of a model's outputs, and their mean. LLR: the score is the ratio as it is. Beside: log ratios of
counts of 5-, 9- and 11-mers around the base in --counts, the change of GC and CpG, and the first score in random order.

The genome is an indexed FASTA (samtools faidx), with the VCF's names of contigs."""
import argparse
import gzip
import os

import numpy as np
from scipy.stats import spearmanr

import alleles

parser = argparse.ArgumentParser()
for name in ("bigdna", "vcf", "genome", "work"):
    parser.add_argument(name)
parser.add_argument("models", nargs="+")
parser.add_argument("--effect", choices=("LOGIT", "LLR"), default="LOGIT")
parser.add_argument("--common", type=float, nargs=2, default=(0.05, 0.95))
parser.add_argument("--counts", nargs="*", default=[])
parser.add_argument("--variants", type=int, default=1000)
parser.add_argument("--threads", type=int, default=2)
options = parser.parse_args()
os.makedirs(options.work, exist_ok=True)
rng = np.random.default_rng(1)

records, taken = [], set()
with gzip.open(options.vcf, "rt") as file:
    for line in file:
        if line.startswith("#"):
            continue
        contig, position, _, ref, alt, _, _, info = line.split("\t", 8)[:8]
        position = int(position)
        taken.update(range(position, position + len(ref)))
        keys = dict(entry.split("=") for entry in info.split(";") if "=" in entry)
        if len(ref) == len(alt) == 1 and int(keys["AN"]) > 0:
            records.append((contig, position, ref, alt, int(keys["AC"]), int(keys["AN"])))
contig = records[0][0]
first, last = min(r[1] for r in records), max(r[1] for r in records)
margin = 5  # half of the longest k-mer
bases = alleles.read_sequence(options.genome, f"{contig}:{first - margin}-{last + margin}")


def around(position, flank=1):
    """Bases from position - flank to position + flank."""
    return bases[position - first + margin - flank : position - first + margin + flank + 1]


places = {}  # by trinucleotide
for position in range(first, last + 1):
    if position not in taken:
        places.setdefault(around(position), []).append(position)


def draw(kind, allowed):
    chosen = [r for r in records if allowed(r[4], r[5]) and r[2] == around(r[1])[1]]
    chosen = [chosen[i] for i in sorted(rng.choice(len(chosen), min(options.variants, len(chosen)), replace=False))]
    for _, position, ref, alt, count, total in chosen:
        yield kind, position, ref, alt, count / total
        yield "simulated_" + kind, int(rng.choice(places[around(position)])), ref, alt, np.nan


low, high = options.common
drawn = [*draw("common", lambda count, total: low <= count / total <= high), *draw("rare", lambda count, total: count == 1)]
drawn.sort(key=lambda row: row[1])
kinds = np.array([row[0] for row in drawn])
frequency = np.array([row[4] for row in drawn])
block = np.array([row[1] // 100_000 for row in drawn])
vcf = os.path.join(options.work, "set.vcf")
alleles.write_vcf(vcf, [(contig, *row[1:4]) for row in drawn])

scores = {}
for name, model in (entry.split("=", 1) for entry in options.models):
    effects = alleles.effects(options.bigdna, model, vcf, options.genome, options.effect, os.path.join(options.work, name + ".tsv"),
                              options.threads, len(drawn))
    if options.effect == "LLR":
        scores[f"LLR, {name}"] = effects[:, 0]
    else:
        scores[f"largest |LOGIT|, {name}"] = np.abs(effects).max(1)
        scores[f"mean |LOGIT|, {name}"] = np.abs(effects).mean(1)
shuffled = rng.permutation(next(iter(scores.values())))
if options.counts:
    history = [alleles.read_sequence(options.genome, region) for region in options.counts]
    for k in (5, 9, 11):
        counts = alleles.KmerCounts(history, k)
        scores[f"counts of {k}-mers"] = np.array([counts.ratio(around(row[1], k // 2), row[3]) for row in drawn])
scores["change of GC"] = np.array([(row[3] in "GC") - (row[2] in "GC") for row in drawn], float)
scores["change of CpG"] = np.array([("CG" in around(row[1])[0] + row[3] + around(row[1])[2]) - ("CG" in around(row[1])) for row in drawn], float)
if options.effect == "LOGIT":
    for name in ("change of GC", "change of CpG"):
        scores[name] = np.abs(scores[name])
scores["first score, in random order"] = shuffled
print("score", "rare against common", "common against simulated", "rare against simulated", "Spearman with frequency", sep="\t")
for name, score in scores.items():
    words = [name]
    for one, other in (("rare", "common"), ("common", "simulated_common"), ("rare", "simulated_rare")):
        chosen = (kinds == one) | (kinds == other)
        words.append(alleles.with_interval(lambda rows: alleles.auroc(score[rows], kinds[rows] == one), block, chosen, rng))
    words.append(alleles.with_interval(lambda rows: spearmanr(score[rows], frequency[rows])[0], block, ~np.isnan(frequency), rng))
    print(*words, sep="\t")
print(*(f"{kind} {np.sum(kinds == kind)}" for kind in np.unique(kinds)), sep="\t")
