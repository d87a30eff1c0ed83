#!/usr/bin/env python3
"""Mutagenesis by `bigdna explain` against predictions of edited FASTA files: 20 regions, 10 bases of each, all four letters.

  tests/bench/explain_edits.py BIGDNA MODEL GENOME.fa CONTIG FIRST [LENGTH]

The regions lie 20 kb apart from FIRST (0-based) on, and are LENGTH bp long (a start site: 1; else default 200). They are cut out of
the genome with 20 kb around them, edited by plain string operations, and predicted. Prints the largest difference of a
contribution from the log-odds less their mean over the letters, and how large contributions are. Needs h5py (tests/peers/setup.sh installs it) and samtools.
"""
import os, random, subprocess, sys, tempfile

import h5py
import numpy as np

bigdna, model, genome, contig, first = sys.argv[1:6]
length = int(sys.argv[6]) if len(sys.argv) > 6 else 200
flank, around, random_place = 20000, 5, random.Random(1)


def log_odds(p):
    return np.log(p) - np.log1p(-p)


def cut(start):
    text = subprocess.run(["samtools", "faidx", genome, f"{contig}:{start + 1}-{start + 2 * flank + length}"], check=True, capture_output=True, text=True).stdout
    return "".join(text.split("\n")[1:]).upper()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    slices = [cut(int(first) + 20000 * i - flank) for i in range(20)]
    with open("slices.fa", "w") as fasta, open("slices.bed", "w") as bed:
        for i, bases in enumerate(slices):
            fasta.write(f">s{i}\n{bases}\n")
            bed.write(f"s{i}\t{flank}\t{flank + length}\ts{i}\t.\t{'+-'[i % 2] if length == 1 else '+'}\n")
    # a start site is read on its own strand, which --strands does not change
    options = ["--quiet", "--precision", "fp32"] + ([] if length == 1 else ["--strands", "forward"])
    subprocess.run([bigdna, "explain", model, "-R", "slices.bed", "-g", "slices.fa", "--around", "60",
                    "-o", "bases.h5", *options], check=True)
    wanted = {(f"s{i}", flank + length // 2 + random_place.randrange(-60, 60)) for i in range(20) for _ in range(10)}
    with h5py.File("bases.h5") as file:
        contigs = [name.decode() for name in file["contigs"][:]]
        places = [(contigs[chrom], int(start)) for chrom, start in zip(file["chrom"][:], file["start"][:])]
        explained = {place: row for place, row in zip(places, file["contributions"][:].astype(np.float64)) if place in wanted}
    with open("edits.fa", "w") as fasta, open("edits.bed", "w") as bed:
        for place, bases in enumerate(slices):
            for _, position, letter in sorted((region, position, letter) for region, position in explained for letter in "ACGT" if region == f"s{place}"):
                edited, name = bases[:position] + letter + bases[position + 1:], f"s{place}_{position}_{letter}"
                fasta.write(f">{name}\n{edited}\n")
                bed.write(f"{name}\t{flank}\t{flank + length}\t{name}\t.\t{'+-'[place % 2] if length == 1 else '+'}\n")
    command = "predict-promoter" if length == 1 else "predict"
    subprocess.run([bigdna, command, model, "-R", "edits.bed", "-g", "edits.fa", "-o", "predicted.h5", "--quiet", "--precision", "fp32", "--strands", "forward"],
                   check=True)
    with h5py.File("predicted.h5") as file:
        names = [name.decode().rsplit("/", 1)[-1] for name in file["name"][:]]
        key = "predictions" if "predictions" in file else "score"
        predicted = file[key][:].astype(np.float64).reshape(len(names), -1)
    predicted[predicted > 0.9] = np.nan  # single precision leaves their log-odds too few digits
    logits = dict(zip(names, log_odds(predicted)))
    differences = []
    for (region, position), contribution in explained.items():
        own = slices[int(region[1:])][position]
        expected = logits[f"{region}_{position}_{own}"] - np.mean([logits[f"{region}_{position}_{letter}"] for letter in "ACGT"], axis=0)
        differences.append(np.abs(expected - contribution))
    print(f"{os.path.basename(os.path.dirname(model + '/'))}: {np.isfinite(differences).sum()} contributions of {len(explained)} bases in "
          f"{len({key[0] for key in explained})} regions; largest difference {np.nanmax(differences):.2g}, largest contribution {np.abs(list(explained.values())).max():.2g}, "
          f"their standard deviation {np.std(list(explained.values())):.2g}")
