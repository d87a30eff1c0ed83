#!/usr/bin/env python3
"""frequency.py BIGDNA MODEL VCF GENOME WORK [--variants N] [--threads N]

Do variants that a model gives larger effects have lower frequencies? Takes N common (ALT frequency 0.05 to 0.95) and N rare (seen once)
single-base variants of VCF, and for each a simulated one of the same region, trinucleotide and ALT that VCF does not have. An allele's
score is the largest absolute LOGIT of the model's outputs, and their mean. Prints the AUROC of rare against common, of common against
simulated and of rare against simulated, with 95 % intervals from 1000 resamples of blocks of 100 kb, and Spearman's correlation with the
frequency of all real ones. Beside: whether the allele changes G or C, or makes or breaks a CpG; the scores in random order.

The genome is an indexed FASTA (samtools faidx), with the VCF's names of contigs."""
import argparse
import csv
import gzip
import os
import subprocess

import numpy as np
from scipy.stats import rankdata, spearmanr

parser = argparse.ArgumentParser()
for name in ("bigdna", "model", "vcf", "genome", "work"):
    parser.add_argument(name)
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
text = subprocess.run(["samtools", "faidx", options.genome, f"{contig}:{first - 1}-{last + 1}"], check=True, capture_output=True, text=True)
bases = "".join(text.stdout.split("\n")[1:]).upper()  # bases[p - first + 1] is the base at p


def around(position):
    return bases[position - first : position - first + 3]


places = {}  # by trinucleotide
for position in range(first, last + 1):
    if position not in taken:
        places.setdefault(around(position), []).append(position)


def draw(kind, allowed):
    chosen = [r for r in records if allowed(r[4], r[5]) and r[2] == around(r[1])[1]]
    chosen = [chosen[i] for i in sorted(rng.choice(len(chosen), min(options.variants, len(chosen)), replace=False))]
    for contig, position, ref, alt, count, total in chosen:
        yield kind, position, ref, alt, count / total
        yield "simulated_" + kind, int(rng.choice(places[around(position)])), ref, alt, np.nan


drawn = [*draw("common", lambda count, total: 0.05 <= count / total <= 0.95), *draw("rare", lambda count, total: count == 1)]
drawn.sort(key=lambda row: row[1])
kinds = np.array([row[0] for row in drawn])
frequency = np.array([row[4] for row in drawn])
block = np.array([row[1] // 100_000 for row in drawn])
path = os.path.join(options.work, "set.vcf")
with open(path, "w") as file:
    file.write(f"##fileformat=VCFv4.2\n##contig=<ID={contig}>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
    for index, (_, position, ref, alt, _) in enumerate(drawn):
        file.write(f"{contig}\t{position}\tv{index}\t{ref}\t{alt}\t.\t.\t.\n")
table = os.path.join(options.work, "effects.tsv")
subprocess.run([options.bigdna, "variants", options.model, path, "-g", options.genome, "--effects", "LOGIT", "--header", "plain", "-o", table,
                "-@", str(options.threads), "--quiet", "--resume"], check=True)
with open(table) as file:
    reader = csv.DictReader(file, delimiter="\t")
    rows = list(reader)
    columns = [name for name in reader.fieldnames if name.startswith("LOGIT")]
effects = np.full((len(drawn), len(columns)), np.nan)
for row in rows:
    effects[int(row["name"][1:])] = [float(row[name]) for name in columns]
assert not np.isnan(effects).any(), "an allele has no effect"


def auroc(scores, positive):
    ranks = rankdata(scores)
    n = positive.sum()
    return (ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(scores) - n))


def interval(statistic, chosen):
    blocks = np.unique(block)
    members = {b: np.flatnonzero(chosen & (block == b)) for b in blocks}
    values = []
    for _ in range(1000):
        rows = np.concatenate([members[b] for b in rng.choice(blocks, len(blocks))])
        values.append(statistic(rows))
    return np.percentile(values, [2.5, 97.5])


gc = np.array([(row[3] in "GC") != (row[2] in "GC") for row in drawn], float)
cpg = np.array([("CG" in around(row[1])) != ("CG" in around(row[1])[0] + row[3] + around(row[1])[2]) for row in drawn], float)
largest = np.abs(effects).max(1)
scores = {"largest |LOGIT|": largest, "mean |LOGIT|": np.abs(effects).mean(1), "changes G or C": gc, "changes a CpG": cpg,
          "largest, in random order": rng.permutation(largest)}
print("score", "rare against common", "common against simulated", "rare against simulated", "Spearman with frequency", sep="\t")
for name, score in scores.items():
    words = [name]
    for one, other in (("rare", "common"), ("common", "simulated_common"), ("rare", "simulated_rare")):
        chosen = (kinds == one) | (kinds == other)
        low, high = interval(lambda rows: auroc(score[rows], kinds[rows] == one), chosen)
        words.append(f"{auroc(score[chosen], kinds[chosen] == one):.3f} [{low:.3f}, {high:.3f}]")
    real = ~np.isnan(frequency)
    low, high = interval(lambda rows: spearmanr(score[rows], frequency[rows])[0], real)
    words.append(f"{spearmanr(score[real], frequency[real])[0]:.3f} [{low:.3f}, {high:.3f}]")
    print(*words, sep="\t")
print(*(f"{kind} {np.sum(kinds == kind)}" for kind in np.unique(kinds)), sep="\t")
