#!/usr/bin/env python3
"""coding.py BIGDNA GENOME TRANSCRIPTS WORK NAME=MODEL ... --contigs CONTIG ... [--changes N] [--threads N]

Does a language model call changes that make a stop codon less likely than synonymous ones? TRANSCRIPTS is a BED (gzip) of unspliced transcripts
with strands; CONTIGS should have been held out of training. The open reading frame of a transcript is its longest frame from ATG to a stop of
at least 300 bp; each is taken once. A pair is a change to a stop codon and a synonymous one with the same REF and ALT in the same frame, neither
in the first or last 30 bp. Up to N pairs of each frame.

null: the same pairs by the code read one base later ("stop codons" and "synonymous" changes of a frame that no cell reads). Prints AUROC of
synonymous against stop (1: every synonymous change is likelier) and the share of pairs in which the synonymous change is likelier; 95 %
intervals from 1000 resamples of blocks of 10 kb. Beside: counts of 5-, 9- and 11-mers of the other contigs. GC cannot tell, by design.

The genome is an indexed FASTA (samtools faidx)."""
import argparse
import collections
import gzip
import os

import numpy as np

import alleles

parser = argparse.ArgumentParser()
for name in ("bigdna", "genome", "transcripts", "work"):
    parser.add_argument(name)
parser.add_argument("models", nargs="*")
parser.add_argument("--contigs", nargs="+", required=True)
parser.add_argument("--changes", type=int, default=3)
parser.add_argument("--threads", type=int, default=2)
options = parser.parse_args()
os.makedirs(options.work, exist_ok=True)
rng = np.random.default_rng(1)

ORDER = "TCAG"
AMINO = dict(zip((a + b + c for a in ORDER for b in ORDER for c in ORDER), "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"))
with open(options.genome + ".fai") as file:
    contigs = [line.split("\t")[0] for line in file]
held_out = {contig: alleles.read_sequence(options.genome, contig) for contig in options.contigs}


def longest_frame(bases):
    """(start, end) of the longest ATG-to-stop frame, the stop included; None below 300 bp."""
    best = None
    for frame in range(3):
        start = None
        for i in range(frame, len(bases) - 2, 3):
            codon = bases[i : i + 3]
            if start is None and codon == "ATG":
                start = i
            elif start is not None and AMINO.get(codon) == "*":
                if i + 3 - start >= 300 and (best is None or i + 3 - start > best[1] - best[0]):
                    best = (start, i + 3)
                start = None
    return best


frames, without, seen = [], 0, set()
with gzip.open(options.transcripts, "rt") as file:
    for line in file:
        contig, first, last, _, _, strand = line.rstrip("\n").split("\t")[:6]
        if contig not in held_out:
            continue
        first, last = int(first), int(last)
        bases = held_out[contig][first:last]
        if strand == "-":
            bases = alleles.reverse_complement(bases)
        frame = longest_frame(bases)
        if frame is None:
            without += 1
            continue
        start, end = frame
        place = (contig, strand, first + start if strand == "+" else last - end)
        if place not in seen:
            seen.add(place)
            frames.append((contig, strand, first, last, bases, start, end))


def changes(bases, start, end):
    """{(REF, ALT): [positions]} along the strand, for stops and for synonymous changes of the codons of [start, end)."""
    stop, synonymous = collections.defaultdict(list), collections.defaultdict(list)
    for i in range(start + 30, end - 32, 3):
        codon = bases[i : i + 3]
        own = AMINO.get(codon)
        if own is None or own == "*":
            continue
        for offset in range(3):
            for alt in "ACGT":
                if alt == codon[offset]:
                    continue
                other = AMINO[codon[:offset] + alt + codon[offset + 1 :]]
                if other == "*":
                    stop[codon[offset], alt].append(i + offset)
                elif other == own:
                    synonymous[codon[offset], alt].append(i + offset)
    return stop, synonymous


drawn = []  # (contig, position from 0, REF, ALT, kind, synonymous, pair)
pairs = 0
for contig, strand, first, last, bases, start, end in frames:
    for kind, shift in (("frame", 0), ("null", 1)):
        stop, synonymous = changes(bases, start + shift, end)
        candidates = [(change, position) for change, positions in sorted(stop.items()) if change in synonymous for position in positions]
        for n in rng.permutation(len(candidates))[: options.changes]:
            change, position = candidates[n]
            other = int(rng.choice(synonymous[change]))
            for place, is_synonymous in ((position, False), (other, True)):
                where, (ref, alt) = (first + place, change) if strand == "+" else (last - 1 - place, (alleles.reverse_complement(b) for b in change))
                drawn.append((contig, where, ref, alt, kind, is_synonymous, pairs))
            pairs += 1
drawn.sort(key=lambda row: (contigs.index(row[0]), row[1]))
for contig, where, ref, *_ in drawn:
    assert held_out[contig][where] == ref
vcf = os.path.join(options.work, "coding.vcf")
alleles.write_vcf(vcf, [(row[0], row[1] + 1, row[2], row[3]) for row in drawn])

scores = {}
for name, model in (entry.split("=", 1) for entry in options.models):
    scores[f"LLR, {name}"] = alleles.effects(options.bigdna, model, vcf, options.genome, "LLR", os.path.join(options.work, name + ".coding.tsv"),
                                             options.threads, len(drawn))[:, 0]
history = [alleles.read_sequence(options.genome, contig) for contig in contigs if contig not in held_out]
for k in (5, 9, 11):
    counts = alleles.KmerCounts(history, k)
    scores[f"counts of {k}-mers"] = np.array([counts.ratio(held_out[row[0]][row[1] - k // 2 : row[1] + k // 2 + 1], row[3]) for row in drawn])
kinds = np.array([row[4] for row in drawn])
synonymous = np.array([row[5] for row in drawn])
pair = np.array([row[6] for row in drawn])
block = np.array([f"{row[0]}:{row[1] // 10_000}" for row in drawn])
print(f"{len(frames)} frames; {without} transcripts without one; " +
      ", ".join(f"{kind}: {np.sum((kinds == kind) & synonymous)} pairs" for kind in ("frame", "null")))
print("score", *(f"{kind}: {what}" for kind in ("frame", "null") for what in ("AUROC", "share of pairs")), sep="\t")
first_of = {p: i for i, p in reversed(list(enumerate(pair)))}
for name, score in scores.items():
    difference = np.zeros(pairs)
    np.add.at(difference, pair, np.where(synonymous, score, -score))
    words = [name]
    for kind in ("frame", "null"):
        chosen = kinds == kind
        words.append(alleles.with_interval(lambda rows: alleles.auroc(score[rows], synonymous[rows]), block, chosen, rng))
        leaders = np.zeros(len(drawn), bool)  # one row of each pair
        leaders[[i for i in first_of.values() if kinds[i] == kind]] = True
        likelier = (difference > 0) + 0.5 * (difference == 0)
        words.append(alleles.with_interval(lambda rows: likelier[pair[rows]].mean(), block, leaders, rng))
    print(*words, sep="\t")
chosen = kinds == "frame"
for name in (name for name in scores if name.startswith("LLR")):
    for other in (other for other in scores if other != name):
        def gain(rows):
            return alleles.auroc(scores[name][rows], synonymous[rows]) - alleles.auroc(scores[other][rows], synonymous[rows])

        print(f"{name} - {other}", alleles.with_interval(gain, block, chosen, rng), sep="\t")
