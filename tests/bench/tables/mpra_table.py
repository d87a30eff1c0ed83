#!/usr/bin/env python3
"""Saturation mutagenesis (Kircher et al. 2019) as a table for bigdna dataset table: mpra_table.py elements.tsv.gz >mpra.csv

One row per single-base substitution on GRCh38: the element's whole sequence, which the REF column spells position by position
(N where no variant was measured), with the alternative base, its log2 effect, and the element's name without its replicate,
so that experiments on one locus stay in one split. Columns: sequence, effect, element, locus.
"""
import collections
import csv
import gzip
import sys

rows = [r for r in csv.DictReader(gzip.open(sys.argv[1], "rt"), delimiter="\t") if r["Release"] == "GRCh38" and r["Pos"] != "NA"]
references = collections.defaultdict(dict)
for row in rows:
    assert references[row["Element"]].setdefault(int(row["Pos"]), row["Ref"]) == row["Ref"], row
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["sequence", "effect", "element", "locus"])
spans = {}
for element, bases in references.items():
    start, end = min(bases), max(bases) + 1
    chrom = next(r["Chrom"] for r in rows if r["Element"] == element)
    spans[element] = (chrom, start, end)
loci = {}  # elements that overlap on the genome are one locus
for element, (chrom, start, end) in sorted(spans.items()):
    loci[element] = next((loci[o] for o in loci if spans[o][0] == chrom and spans[o][1] < end and start < spans[o][2]), element)
for row in rows:
    if row["Alt"] not in "ACGT" or len(row["Alt"]) != 1 or len(row["Ref"]) != 1:
        continue
    bases, (_, start, end) = references[row["Element"]], spans[row["Element"]]
    sequence = [bases.get(p, "N") for p in range(start, end)]
    sequence[int(row["Pos"]) - start] = row["Alt"]
    out.writerow(["".join(sequence), row["Coefficient"], row["Element"], loci[row["Element"]]])
