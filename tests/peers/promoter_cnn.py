#!/usr/bin/env python3
"""A DeePromoter-like network (Oubounyt et al. 2019) on a folder of `bigdna dataset promoter`, on the same splits.

    promoter_cnn.py DATASET [--epochs N] [--seed S] [--threads T] [--name cnn] [--scores FILE]

One-hot bases, convolutions of 27, 14 and 7 bases side by side, max-pooling, a bidirectional LSTM of 32, a dense layer of
128. What is longer than 300 bp is pooled more, so that the LSTM reads at most about 100 steps. Early stopping and the threshold by
validation alone. Prints rows like bigdna's metrics.tsv: method, split, metric, value, and no intervals. FILE gets the
probability of each test row, in file order, a line each."""
import argparse
import gzip
import sys

import numpy as np
import torch
from sklearn.metrics import average_precision_score, f1_score, matthews_corrcoef, precision_score, recall_score, roc_auc_score
from torch import nn


def read_dataset(folder):
    """Bases as indices (A C G T = 0..3, N = 4), labels and splits, in file order."""
    rows = [line.rstrip("\n").split("\t") for line in gzip.open(f"{folder}/regions.bed.gz", "rt") if line[0] != "#"]
    table = np.full(256, 4, np.uint8)
    table[np.frombuffer(b"ACGT", np.uint8)] = np.arange(4)
    sequences, names = [], []
    with gzip.open(f"{folder}/sequences.fa.gz", "rb") as file:
        for line in file:
            if line.startswith(b">"):
                names.append(line[1:].split()[0].decode())
                sequences.append([])
            else:
                sequences[-1].append(line.strip())
    if names != [row[3] for row in rows]:
        sys.exit(f"{folder}: regions.bed.gz and sequences.fa.gz hold other rows")
    bases = np.stack([table[np.frombuffer(b"".join(parts), np.uint8)] for parts in sequences])
    return bases, np.array([int(row[4]) for row in rows]), np.array([row[6] for row in rows])


class Network(nn.Module):
    def __init__(self, length, filters=32, hidden=32):
        super().__init__()
        pool = max(6, -(-length // 100))
        self.branches = nn.ModuleList(
            nn.Sequential(nn.Conv1d(4, filters, width, padding="same"), nn.ReLU(), nn.MaxPool1d(pool), nn.Dropout(0.5))
            for width in (27, 14, 7))
        self.lstm = nn.LSTM(3 * filters, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Sequential(nn.Linear(2 * hidden, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 1))

    def forward(self, bases):
        one_hot = nn.functional.one_hot(bases.long(), 5)[..., :4].float().transpose(1, 2)
        states, _ = self.lstm(torch.cat([branch(one_hot) for branch in self.branches], 1).transpose(1, 2))
        return self.head(states.amax(1)).squeeze(1)


def probabilities(network, bases):
    network.eval()
    with torch.no_grad():
        return torch.cat([torch.sigmoid(network(part)) for part in torch.from_numpy(bases).split(64)]).numpy()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--patience", type=int, default=5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--name", default="cnn")
    parser.add_argument("--scores")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    bases, labels, splits = read_dataset(options.dataset)
    part = {name: splits == name for name in ("train", "validation", "test")}
    network = Network(bases.shape[1])
    optimiser = torch.optim.Adam(network.parameters(), lr=options.learning_rate)
    loss = nn.BCEWithLogitsLoss()
    train_bases, train_labels = torch.from_numpy(bases[part["train"]]), torch.from_numpy(labels[part["train"]]).float()
    best, best_state, worse = -1.0, None, 0
    for epoch in range(options.epochs):
        network.train()
        for rows in torch.randperm(len(train_labels)).split(options.batch):
            optimiser.zero_grad()
            loss(network(train_bases[rows]), train_labels[rows]).backward()
            optimiser.step()
        auroc = roc_auc_score(labels[part["validation"]], probabilities(network, bases[part["validation"]]))
        print(f"epoch {epoch + 1}: validation AUROC {auroc:.4f}", file=sys.stderr)
        if auroc > best:
            best, worse = auroc, 0
            best_state = {name: value.clone() for name, value in network.state_dict().items()}
        elif (worse := worse + 1) >= options.patience:
            break
    network.load_state_dict(best_state)
    tuning = probabilities(network, bases[part["validation"]])
    threshold = max(np.unique(tuning), key=lambda t: f1_score(labels[part["validation"]], tuning >= t))
    scores, truth = probabilities(network, bases[part["test"]]), labels[part["test"]]
    if options.scores:
        np.savetxt(options.scores, scores, "%.9g")
    calls = scores >= threshold
    values = {"rows": len(truth), "positives": int(truth.sum()), "threshold": threshold, "f1": f1_score(truth, calls),
              "precision": precision_score(truth, calls, zero_division=0), "recall": recall_score(truth, calls),
              "mcc": matthews_corrcoef(truth, calls), "auroc": roc_auc_score(truth, scores),
              "auprc": average_precision_score(truth, scores)}
    print("#method\tsplit\tmetric\tvalue\tlow\thigh")
    for metric, value in values.items():
        print(options.name, "test", metric, value if isinstance(value, int) else f"{value:.6f}", "NA", "NA", sep="\t")


if __name__ == "__main__":
    main()
