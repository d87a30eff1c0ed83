#!/usr/bin/env python3
"""cut_sites.py BIGDNA MODEL DATASET GENOME FOLDER: which bases a ChromBPNet expects around cuts, with and without its bias model.

For the test's peaks of a dataset of profiles, each base counts as often as it is cut: observed, expected by the whole model, by the model
without its bias, and by the bias model. The composition at -10 to 10 bp is compared with the unweighted one: Kullback-Leibler divergence
in bits, at each offset and in all. Null: observed counts in random order within their region. Writes a logo of each to FOLDER (SVG):
letters are as tall as their part of the divergence."""
import os
import subprocess
import sys

import h5py
import matplotlib
import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D
from profile_data import ProfileData

matplotlib.use("svg")
import matplotlib.pyplot as plt

program, model, dataset, genome, folder = sys.argv[1:]
REACH = 10
os.makedirs(folder, exist_ok=True)
data = ProfileData(dataset, genome)
peaks = [region[:2] for region in data.regions["test"] if region[2] == "peak"]
places = os.path.join(folder, "peaks.bed")
with open(places, "w") as file:
    file.writelines(f"{contig}\t{middle}\t{middle + 1}\n" for contig, middle in peaks)


def expected(part):
    path = os.path.join(folder, part + ".h5")
    subprocess.run([program, "profile", model, "-R", places, "-g", genome, "--part", part, "-o", path, "--quiet"], check=True)
    with h5py.File(path) as table:
        assert len(table["start"]) == len(peaks)
        return table["profile"][:], table["start"][:]


whole, starts = expected("whole")
assert whole.shape[1] == data.width
observed, bases = np.zeros_like(whole), []
for row, ((contig, _), start) in enumerate(zip(peaks, starts)):
    observed[row] = data.counts[contig][start : start + data.width]
    letters = data.letters[contig].T
    bases.append(np.stack([letters[start + offset : start + offset + data.width] for offset in range(-REACH, REACH + 1)], 1))
bases = np.stack(bases)  # [peaks, positions, offsets, 4]
flat = bases.mean((0, 1))


def divergence(profiles):
    composition = np.einsum("rp,rpob->ob", profiles, bases) / profiles.sum()
    return composition * np.log2(composition / flat)


def logo(parts, title, path, top):
    figure, axes = plt.subplots(figsize=(6, 1.8))
    for offset, row in enumerate(parts):
        bottom = 0
        for base in np.argsort(row):
            if row[base] <= 0:
                continue
            text = TextPath((0, 0), "ACGT"[base], size=1, prop=FontProperties(family="DejaVu Sans", weight="bold"))
            box = text.get_extents()
            move = Affine2D().translate(-box.x0, -box.y0).scale(0.9 / box.width, row[base] / box.height).translate(offset - REACH - 0.45, bottom)
            axes.add_patch(PathPatch(text, transform=move + axes.transData, lw=0, color=["#3a7d34", "#2b5d9b", "#d98c1f", "#b5362f"][base]))
            bottom += row[base]
    axes.set(xlim=(-REACH - 1, REACH + 1), ylim=(0, top), title=title, xlabel="bp from the cut", ylabel="bits")
    figure.savefig(path, bbox_inches="tight")
    plt.close(figure)


rng = np.random.default_rng(1)
kinds = {"observed": observed, "whole": whole, "model": expected("model")[0], "bias": expected("bias")[0],
         "null": rng.permuted(observed, axis=1)}
titles = {"observed": "observed cuts", "whole": "the whole model", "model": "without the bias model", "bias": "the bias model",
          "null": "observed cuts in random order"}
print("cuts", "bits in all", "largest offset", "bits there", sep="\t")
all_parts = {kind: divergence(profiles) for kind, profiles in kinds.items()}
top = 1.05 * max(parts.clip(0).sum(1).max() for parts in all_parts.values())  # one scale for all logos
for kind, parts in all_parts.items():
    bits = parts.sum(1)
    print(titles[kind], f"{bits.sum():.3f}", int(bits.argmax()) - REACH, f"{bits.max():.3f}", sep="\t")
    logo(parts, titles[kind], os.path.join(folder, kind + ".svg"), top)
