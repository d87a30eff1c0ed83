#!/usr/bin/env python3
"""The models that come with bigdna, read by PyTorch and transformers, give bigdna's numbers.

Networks on bases (models/*/config.json of type bigdna-network) are read by bigdna_torch; the encoder is loaded by transformers and
read with full attention.
"""
import glob, json, os, subprocess, tempfile

import numpy as np
import torch
from bigdna_torch import load, one_hot
from transformers import AutoTokenizer, ModernBertModel

BIGDNA, SOURCE = os.environ["BIGDNA"], os.environ["BIGDNA_SOURCE_DIR"]
GENOME, STARTS = SOURCE + "/test-data/genome.fa.gz", (40000, 40200, 60100)


def bigdna(*words):
    return subprocess.run([BIGDNA, *words, "--quiet"], check=True, capture_output=True, text=True).stdout


def bases(start, end):
    text = subprocess.run(["samtools", "faidx", GENOME, f"chr1:{start + 1}-{end}"], check=True, capture_output=True, text=True).stdout
    return "".join(text.split("\n")[1:]).upper()


def network(folder):
    table = bigdna("chromatin", folder, "regions.bed", "-g", GENOME, "--precision", "fp32")
    ours = np.array([[float(x) for x in line.split("\t")[6:]] for line in table.splitlines() if line[0] != "#"])
    flank = 9000
    with torch.no_grad():
        theirs = load(folder)(one_hot([bases(start - flank, start + 200 + flank) for start in STARTS])).numpy()
    assert ours.std() > 1e-4, "the predictions say nothing"
    return np.abs(ours - theirs).max(), ours.size


def encoder(folder):
    sequences = [bases(start, start + 400) for start in STARTS]
    with open("sequences.fa", "w") as fasta:
        fasta.writelines(f">s{i}\n{s}\n" for i, s in enumerate(sequences))
    bigdna("convert", folder, "--pattern", "full", "-o", "full")
    bigdna("embed", "full", "sequences.fa", "--precision", "fp32", "-o", "ours.npy")
    ours = np.load("ours.npy")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), ModernBertModel.from_pretrained("full", dtype=torch.float32).eval()
    theirs = []
    for sequence in sequences:
        with torch.no_grad():
            hidden = model(**tokenizer(sequence, return_tensors="pt")).last_hidden_state[0]
        theirs.append(hidden[1:-1].mean(0).numpy())  # without [CLS] and [SEP]
    theirs = np.array(theirs)
    return np.abs(ours - theirs).max() / np.abs(theirs).max(), ours.size


def main():
    folders = sorted(glob.glob(SOURCE + "/models/*/config.json"))
    assert folders, "no models"
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)
        with open("regions.bed", "w") as bed:
            bed.writelines(f"chr1\t{start}\t{start + 200}\n" for start in STARTS)
        for config in folders:
            folder = os.path.dirname(config)
            is_network = json.load(open(config))["model_type"] == "bigdna-network"
            difference, count = (network if is_network else encoder)(folder)
            print(f"{os.path.basename(folder)}: largest difference of {count} numbers: {difference:.2g}")
            assert difference < 2e-5, difference


if __name__ == "__main__":
    main()
