"""BPNet and ChromBPNet as modules of bigdna_torch give the logits and counts of `bigdna profile`."""
import os, subprocess, tempfile

import h5py
import numpy as np
import torch
from bigdna_torch import load, one_hot

MADE = os.environ["BIGDNA_SOURCE_DIR"] + "/test-data/profile/"


def bigdna(*words):
    subprocess.run([os.environ["BIGDNA"], *words, "--quiet"], check=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        names, texts = zip(*(record.split("\n", 1) for record in open(MADE + "sequences.fa").read().split(">")[1:]))
        texts = ["".join(text.split()) for text in texts]
        for file, parts in {"chrombpnet.h5": ("whole", "model", "bias"), "chrombpnet.torch": ("whole",), "bpnet.torch": ("whole",), "bias.h5": ("whole",)}.items():
            bigdna("convert", MADE + file, "-o", file + ".model")
            for part in parts:
                for strands in ("forward", "average"):
                    bigdna("profile", file + ".model", MADE + "sequences.fa", "-o", "out.h5", "--part", part, "--strands", strands)
                    model = load(file + ".model", part=part, strands=strands)
                    with torch.no_grad():
                        answers = [model(one_hot(text)) for text in texts]
                    counts = torch.cat([counts for _, counts in answers]).numpy()
                    profile = torch.cat([torch.softmax(logits.flatten(1), 1) * counts.exp() for logits, counts in answers]).numpy()
                    with h5py.File("out.h5") as table:
                        of_counts = np.abs(table["log_counts"][:] - counts).max()
                        of_profile = np.abs(table["profile"][:] - profile).max() / profile.max()
                    print(f"{file}, {part}, {strands}: log counts differ by {of_counts:.1e}, profiles by {of_profile:.1e} of the largest value")
                    assert of_counts < 1e-5 and of_profile < 1e-5 and profile.std() > 1e-6


if __name__ == "__main__":
    main()
