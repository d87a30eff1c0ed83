#!/usr/bin/env python3
"""A DeepSEA-like convolutional network on a chromatin dataset folder: same bins, labels and splits, both strands averaged.

  ~/.cache/bigdna/peers/bin/python tests/peers/deepsea_cnn.py DATASET [--genome FASTA] [--context 1000] [--epochs 5] [--width 1.0]
      [--score FASTA TSV]

Three convolutions of 8 (320, 480, 960 kernels times --width), max-pooling of 4, one hidden layer of 925, as Zhou & Troyanskaya
(Nature Methods 2015) have it, with Adam. The epoch with the best validation AUROC (median over features) is kept. Prints
the columns of `bigdna evaluate`'s table that it can: group, method, split, features, scored, medians and means.
--score writes the log-odds of the records of FASTA, all --context bases long, in the layout of `bigdna chromatin`.
"""
import argparse
import gzip
import json
import os

import numpy as np
import torch
from safetensors.numpy import load_file
from sklearn.metrics import average_precision_score, roc_auc_score

parser = argparse.ArgumentParser()
parser.add_argument("dataset")
parser.add_argument("--genome")
parser.add_argument("--context", type=int, default=1000)
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--width", type=float, default=1.0)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--score", nargs=2, metavar=("FASTA", "TSV"))
options = parser.parse_args()
torch.manual_seed(options.seed)
rng = np.random.default_rng(options.seed)

with open(os.path.join(options.dataset, "dataset.json")) as file:
    manifest = json.load(file)
features = [line.rstrip("\n").split("\t") for line in open(os.path.join(options.dataset, "features.tsv")) if not line.startswith("#")]
with gzip.open(os.path.join(options.dataset, "regions.bed.gz"), "rt") as file:
    bins = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
labels = np.unpackbits(load_file(os.path.join(options.dataset, "labels.safetensors"))["labels"], axis=1, bitorder="little")[:, :len(features)]
splits = np.array([row[6] for row in bins])

codes = np.full(256, 4, np.uint8)
for i, (upper, lower) in enumerate(zip(b"ACGT", b"acgt")):
    codes[[upper, lower]] = i


def read_fasta(path):
    records, name = {}, None
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        for line in file:
            if line.startswith(b">"):
                name = line[1:].split()[0].decode()
                records[name] = []
            else:
                records[name].append(line.strip())
    return {name: codes[np.frombuffer(b"".join(parts), np.uint8)] for name, parts in records.items()}


contigs = read_fasta(options.genome or manifest["genome"])


def around(row):
    """The bases of a bin with its context."""
    contig, x = contigs[bins[row][0]], np.full(options.context, 4, np.uint8)
    start = (int(bins[row][1]) + int(bins[row][2])) // 2 - options.context // 2
    first, last = max(0, start), min(len(contig), start + options.context)
    x[first - start:last - start] = contig[first:last]
    return x


def one_hot(sequences, reverse):
    """[sequences, 4, context]; N and what lies past the contig is 0."""
    x = np.stack(sequences)
    flipped = np.where(x < 4, 3 - x, x)[:, ::-1]
    x = np.where(reverse[:, None], flipped, x)
    return torch.from_numpy(np.eye(5, dtype=np.float32)[x][:, :, :4].transpose(0, 2, 1).copy())


k1, k2, k3 = (max(8, int(options.width * k)) for k in (320, 480, 960))
length = ((options.context - 7) // 4 - 7) // 4 - 7
model = torch.nn.Sequential(
    torch.nn.Conv1d(4, k1, 8), torch.nn.ReLU(), torch.nn.MaxPool1d(4), torch.nn.Dropout(0.2),
    torch.nn.Conv1d(k1, k2, 8), torch.nn.ReLU(), torch.nn.MaxPool1d(4), torch.nn.Dropout(0.2),
    torch.nn.Conv1d(k2, k3, 8), torch.nn.ReLU(), torch.nn.Dropout(0.5),
    torch.nn.Flatten(), torch.nn.Linear(k3 * length, 925), torch.nn.ReLU(), torch.nn.Linear(925, len(features)))
optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_of = torch.nn.BCEWithLogitsLoss()


def predict(sequences, link):
    """The mean over both strands of the linked log-odds."""
    model.eval()
    out = []
    with torch.no_grad():
        for begin in range(0, len(sequences), 256):
            part = sequences[begin:begin + 256]
            out.append(sum(link(model(one_hot(part, np.full(len(part), strand)))) for strand in (False, True)).numpy() / 2)
    return np.concatenate(out)


def by_feature(rows):
    predicted, truth = predict([around(row) for row in rows], torch.sigmoid), labels[rows]
    both = [f for f in range(len(features)) if 0 < truth[:, f].sum() < len(rows)]
    return {f: (roc_auc_score(truth[:, f], predicted[:, f]), average_precision_score(truth[:, f], predicted[:, f])) for f in both}


train, validation, test = (np.flatnonzero(splits == name) for name in ("train", "validation", "test"))
best, kept = -1, None
for epoch in range(options.epochs):
    model.train()
    order = rng.permutation(train)
    for begin in range(0, len(order), options.batch):
        rows = order[begin:begin + options.batch]
        loss = loss_of(model(one_hot([around(row) for row in rows], rng.random(len(rows)) < 0.5)), torch.from_numpy(labels[rows].astype(np.float32)))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    auroc = np.median([a for a, _ in by_feature(validation[:2000]).values()])
    print(f"# epoch {epoch + 1}: loss {loss.item():.4f}, validation AUROC {auroc:.4f}", flush=True)
    if auroc > best:
        best, kept = auroc, {name: value.clone() for name, value in model.state_dict().items()}
model.load_state_dict(kept)
results = by_feature(test)
print("#group\tmethod\tsplit\tfeatures\tscored\tauroc_median\tauroc_mean\tauprc_median\tauprc_mean")
for group in [*dict.fromkeys(f[4] for f in features), "all"]:
    members = [f for f in range(len(features)) if group in ("all", features[f][4])]
    values = np.array([results[f] for f in members if f in results])
    if len(values):
        print(group, f"cnn{options.context}", "test", len(members), len(values), *(f"{v:.6f}" for v in (np.median(values[:, 0]), values[:, 0].mean(), np.median(values[:, 1]), values[:, 1].mean())), sep="\t")
if options.score:
    records = read_fasta(options.score[0])
    with open(options.score[1], "w") as file:
        print("#chrom", "start", "end", "name", "score", "strand", *(f"{f[1]}|{f[2]}" for f in features), sep="\t", file=file)
        for name, values in zip(records, predict(list(records.values()), lambda log_odds: log_odds)):
            print(name, 0, options.context, ".", ".", ".", *(f"{value:.6f}" for value in values), sep="\t", file=file)
