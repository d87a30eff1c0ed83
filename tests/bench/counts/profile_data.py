"""A dataset of `bigdna dataset profile` as NumPy arrays, for the scripts beside this one: one track, one strand."""
import gzip
import json
import os

import numpy as np
from safetensors.numpy import load_file


def genome(path):
    """{name of a contig: its bases, upper case} of a FASTA, plain or gzip."""
    contigs = {}
    with gzip.open(path, "rt") if path.endswith("gz") else open(path) as file:
        for line in file:
            if line[0] == ">":
                lines = contigs.setdefault(line[1:].split()[0], [])
            else:
                lines.append(line.strip().upper())
    return {name: "".join(lines) for name, lines in contigs.items()}


class ProfileData:
    """window, width, jitter: bp. letters, counts: of each contig one-hot bases [4, bp] and the counts of its bases.
    regions: of each split (contig, 0-based middle, kind)."""

    def __init__(self, folder, fasta):
        with open(os.path.join(folder, "dataset.json")) as file:
            manifest = json.load(file)
        self.window, self.width, self.jitter = (manifest[key] for key in ("window", "width", "jitter"))
        sequences, arrays = genome(fasta), load_file(os.path.join(folder, "counts.safetensors"))
        self.letters, self.counts = {}, {}
        for index, name in enumerate(contig["name"] for contig in manifest["contigs"]):
            codes = np.frombuffer(sequences[name].encode(), np.uint8)
            self.letters[name] = np.stack([codes == ord(base) for base in "ACGT"]).astype(np.float32)
            begin, end = arrays["first"][index], arrays["first"][index + 1]
            self.counts[name] = np.zeros(len(codes), np.float32)
            self.counts[name][arrays["positions"][begin:end]] = arrays["counts"][begin:end]
        self.regions = {"train": [], "validation": [], "test": []}
        with gzip.open(os.path.join(folder, "regions.bed.gz"), "rt") as file:
            for line in file:
                fields = line.rstrip("\n").split("\t")
                if line[0] != "#":
                    self.regions[fields[6]].append((fields[0], (int(fields[1]) + int(fields[2])) // 2, fields[7]))
