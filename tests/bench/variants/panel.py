"""How well effects predicted by models agree with saturation mutagenesis of 29 elements (Kircher et al. 2019). No genome is needed.

  panel.py BIGDNA elements.tsv.gz WORK [--counts FASTA] NAME=MODEL:FEATURES ...

The table lists REF at every position, so each element's sequence is rebuilt (a position that it lacks is N) and stands between 10 000 N on
either side. FEATURES are those of `bigdna explain`; an allele's effect is the mean change of their logits, of the 200 bp of the element in which
it lies (tiles from the element's start). --counts:
a genome whose substrings of up to six bases give the log-likelihood ratio of an allele (order 5, both strands). Other baselines: change in
G or C, distance to the element's middle. Changes with fewer than 10 barcodes and deletions are left out.

Spearman's correlation by assay, then the mean over assays of a locus, then over loci. Intervals: loci are drawn again, 2000 times. null95: the
95th percentile of the absolute mean when each assay's measurements are turned along its element by a random distance of 10 bp or more.
"""
import argparse
import csv
import gzip
import os
import subprocess
import sys

import numpy as np
from scipy.stats import spearmanr

parser = argparse.ArgumentParser()
parser.add_argument("bigdna")
parser.add_argument("elements")
parser.add_argument("work")
parser.add_argument("models", nargs="*")
parser.add_argument("--counts")
options = parser.parse_args()
os.makedirs(options.work, exist_ok=True)
flank = 10000


def locus_of(assay):
    """Assays of one element in other cells, or turned around."""
    return next((locus for locus in ("TERT", "SORT1", "PKLR", "LDLR", "ZRS") if assay.startswith(locus)), assay)


def elements():
    """{assay: (first position, bases, [(offset, ref, alt, measured)])} of GRCh37."""
    found = {}
    with gzip.open(options.elements, "rt") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["Release"] == "GRCh37" and row["Pos"].isdigit():
                found.setdefault(row["Element"], []).append(row)
    for assay, rows in sorted(found.items()):
        at = {int(row["Pos"]): row["Ref"] for row in rows if len(row["Ref"]) == 1}
        first = min(at)
        bases = "".join(at.get(place, "N") for place in range(first, max(at) + 1))
        changes = [(int(row["Pos"]) - first, row["Ref"], row["Alt"], float(row["Coefficient"]))
                   for row in rows if len(row["Ref"]) == 1 and row["Alt"] in set("ACGT") and int(row["Barcodes"]) >= 10]
        yield assay, (first, bases, sorted(changes))


assays = dict(elements())
fasta, tiles = os.path.join(options.work, "panel.fa"), os.path.join(options.work, "tiles.bed")
with open(fasta, "w") as file:
    for assay, (_, bases, _) in assays.items():
        file.write(f">{assay}\n{'N' * flank}{bases}{'N' * flank}\n")
with open(tiles, "w") as file:
    for assay, (_, bases, _) in assays.items():
        for start in range(0, len(bases), 200):
            file.write(f"{assay}\t{flank + start}\t{flank + start + 200}\n")


def effects_of(argument):
    name, rest = argument.split("=", 1)
    model, features = rest.rsplit(":", 1)
    table = os.path.join(options.work, name + ".tsv")
    if not os.path.exists(table):
        subprocess.run([options.bigdna, "explain", model, "-R", tiles, "-g", fasta, "--features", features, "--quiet", "--substitutions", table,
                        "-o", "/dev/null"], check=True)
    effects = {}
    for line in open(table):
        if not line.startswith("#"):
            contig, start, _, _, _, alt, *logits = line.rstrip("\n").split("\t")
            if "." not in logits:  # of an N
                effects[contig, int(start) - flank, alt] = np.mean([float(value) for value in logits])
    return name, {assay: [effects[assay, offset, alt] for offset, _, alt, _ in changes] for assay, (_, _, changes) in assays.items()}


def counts_of(path):
    """Log-likelihood ratios by counts of order 5 with backing off, the mean of both strands."""
    text = subprocess.run(["bgzip", "-dc", path], check=True, capture_output=True).stdout
    codes = np.full(256, 4, np.int8)
    for i, letter in enumerate("ACGT"):
        codes[ord(letter)] = codes[ord(letter.lower())] = i
    bases = np.concatenate([np.append(codes[np.frombuffer(record.partition(b"\n")[2].replace(b"\n", b""), np.uint8)], 4)
                            for record in text.split(b">")[1:]]).astype(np.int32)
    tables = []
    for strand in (bases, np.where(bases < 4, 3 - bases, 4)[::-1]):
        index, valid = np.zeros(len(strand) - 5, np.int32), np.ones(len(strand) - 5, bool)
        for i in range(6):
            part = strand[i:len(strand) - 5 + i]
            index, valid = index * 4 + np.minimum(part, 3), valid & (part < 4)
        tables.append(np.bincount(index[valid], minlength=4**6))
    counts = (tables[0] + tables[1] + 1.0).reshape(4**5, 4)
    logs = np.log(counts / counts.sum(1, keepdims=True))

    def bits(sequence):
        total = 0.0
        for strand in (sequence, sequence[::-1].translate(str.maketrans("ACGT", "TGCA"))):
            for i in range(5, len(strand)):
                word = strand[i - 5:i + 1]
                if set(word) <= set("ACGT"):
                    total += logs[int("".join(str("ACGT".index(letter)) for letter in word[:5]), 4), "ACGT".index(word[5])] / 2
        return total

    def ratio(sequence, offset, alt):
        left, right = max(0, offset - 5), offset + 6
        return bits(sequence[left:offset] + alt + sequence[offset + 1:right]) - bits(sequence[left:right])

    return {assay: [ratio(sequence, offset, alt) for offset, _, alt, _ in changes] for assay, (_, sequence, changes) in assays.items()}


methods = dict(effects_of(argument) for argument in options.models)
if options.counts:
    methods["counts of order 5"] = counts_of(options.counts)
methods["change in G or C"] = {assay: [(alt in "GC") - (ref in "GC") for _, ref, alt, _ in changes] for assay, (_, _, changes) in assays.items()}
methods["distance to the middle"] = {assay: [abs(offset - len(bases) / 2) for offset, *_ in changes] for assay, (_, bases, changes) in assays.items()}

random = np.random.default_rng(1)
loci = sorted({locus_of(assay) for assay in assays})
measured = {assay: np.array([change[3] for change in changes]) for assay, (_, _, changes) in assays.items()}


def rho(x, y):
    return spearmanr(x, y).statistic if len(set(x)) > 1 else 0.0


def by_locus(of_assay):
    return np.array([np.mean([value for assay, value in of_assay.items() if locus_of(assay) == locus]) for locus in loci])


def turned(assay):
    """Measurements of changes at the place that lies a random distance further round the element."""
    _, bases, changes = assays[assay]
    by, at = random.integers(10, len(bases) - 10), {}
    for i, (offset, *_) in enumerate(changes):
        at.setdefault(offset, []).append(i)
    pairs = [(i, at[other][k % len(at[other])]) for offset, rows in at.items() for k, i in enumerate(rows)
             for other in [(offset + by) % len(bases)] if other in at]
    mine, others = np.array(pairs).T
    return mine, measured[assay][others]


turns = [{assay: turned(assay) for assay in assays} for _ in range(200)]
draws = random.integers(len(loci), size=(2000, len(loci)))
values = {name: by_locus({assay: rho(effects[assay], measured[assay]) for assay in assays}) for name, effects in methods.items()}
print("#locus\tassays\tchanges", *methods, sep="\t")
for i, locus in enumerate(loci):
    of_locus = [assay for assay in assays if locus_of(assay) == locus]
    print(locus, len(of_locus), sum(len(assays[assay][2]) for assay in of_locus), *(f"{values[name][i]:.3f}" for name in methods), sep="\t")
print("\n#method\tloci\tmean\tlow\thigh\tnull95\tminus_first\tlow\thigh")
first = values[next(iter(methods))]
for name, effects in methods.items():
    null = [abs(by_locus({assay: rho(np.array(effects[assay])[mine], theirs) for assay, (mine, theirs) in turn.items()}).mean()) for turn in turns]
    difference = (values[name] - first)[draws].mean(1)
    cells = [values[name].mean(), *np.percentile(values[name][draws].mean(1), [2.5, 97.5]), np.percentile(null, 95),
             (values[name] - first).mean(), *np.percentile(difference, [2.5, 97.5])]
    print(name, len(loci), *(f"{cell:.3f}" for cell in cells), sep="\t")
