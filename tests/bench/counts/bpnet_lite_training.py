#!/usr/bin/env python3
"""bpnet_lite_training.py DATASET GENOME OUT [--filters N] [--layers N] [--epochs N] [--count-weight X] [--seed N] [--threads N]

Trains bpnet-lite's BPNet on a dataset of `bigdna dataset profile`, by bpnet-lite's own loop, and prints for the test's peaks or tiles what `bigdna
evaluate` prints of a model: Jensen-Shannon distances, Pearson's r of log(1 + count), Spearman's rho. The first line is the mean profile of
the training regions, which `bigdna evaluate` has, too: it shows that both programs compute the same.

Needs bpnet-lite (see tests/peers/bpnet_lite_test.py). The genome is plain or gzip; regions of one strand; counts of one track."""
import argparse
import os
import time

import numpy as np
import torch
from bpnetlite.bpnet import BPNet
from scipy.spatial.distance import jensenshannon
from scipy.stats import pearsonr, spearmanr

from profile_data import ProfileData

parser = argparse.ArgumentParser()
parser.add_argument("dataset")
parser.add_argument("genome")
parser.add_argument("out", help="where bpnet-lite's files and predictions go")
parser.add_argument("--filters", type=int, default=32)
parser.add_argument("--layers", type=int, default=8)
parser.add_argument("--epochs", type=int, default=20)
parser.add_argument("--count-weight", type=float, default=20)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--learning-rate", type=float, default=1e-3)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--threads", type=int, default=2)
options = parser.parse_args()
torch.set_num_threads(options.threads)
torch.manual_seed(options.seed)


data = ProfileData(options.dataset, options.genome)
window, width, jitter, regions = data.window, data.width, data.jitter, data.regions


def cut(region, shift=0):
    contig, middle, _ = region
    begin, first = middle - window // 2 + shift, middle - width // 2 + shift
    return data.letters[contig][:, begin : begin + window], data.counts[contig][None, first : first + width]


def background(region):
    return region[2] == "background"


class Training(torch.utils.data.Dataset):
    """An epoch has all peaks or tiles, and one background region for ten of them. Regions are moved by up to `jitter` (background is
    not) and read from a random strand, as bpnet-lite's own sampler does."""

    def __init__(self):
        self.rows = [region for region in regions["train"] if not background(region)]
        self.drawn = [region for region in regions["train"] if background(region)]

    def __len__(self):
        return len(self.rows) + (len(self.rows) // 10 if self.drawn else 0)

    def __getitem__(self, index):
        whole = index < len(self.rows)
        region = self.rows[index] if whole else self.drawn[int(torch.randint(len(self.drawn), (1,)))]
        shift = int(torch.randint(-jitter, jitter + 1, (1,))) if whole and jitter else 0
        x, y = cut(region, shift)
        if torch.rand(1) < 0.5:
            x, y = x[::-1, ::-1], y[:, ::-1]
        return torch.from_numpy(x.copy()), torch.from_numpy(y.copy()), int(whole)


def stacked(split):
    pairs = [cut(region) for region in regions[split] if not background(region)]
    return torch.from_numpy(np.stack([x for x, _ in pairs])), torch.from_numpy(np.stack([y for _, y in pairs]))


def show(name, profiles, log_counts, observed):
    totals = observed.sum(1)
    some = totals > 0
    distances = jensenshannon(profiles[some], observed[some], axis=1, base=2)
    words = [name, f"jsd_median {np.median(distances):.4f}", f"jsd_mean {distances.mean():.4f}"]
    if log_counts is not None:
        truth = np.log1p(totals)
        words += [f"pearson {pearsonr(log_counts, truth)[0]:.4f}", f"spearman {spearmanr(log_counts, truth)[0]:.4f}"]
    print(*words, sep="\t", flush=True)


os.makedirs(options.out, exist_ok=True)
test_x, test_y = stacked("test")
observed = test_y[:, 0].numpy()
mean = sum(cut(region)[1][0] for region in regions["train"] if not background(region))
show("mean profile", np.broadcast_to(mean / mean.sum(), observed.shape), None, observed)

model = BPNet(n_filters=options.filters, n_layers=options.layers, n_outputs=1, n_control_tracks=0,
              count_loss_weight=options.count_weight, name=os.path.join(options.out, "bpnet"), trimming=(window - width) // 2)
loader = torch.utils.data.DataLoader(Training(), batch_size=options.batch, shuffle=True)
validation = stacked("validation")
began = time.perf_counter()
model.fit(loader, torch.optim.AdamW(model.parameters(), lr=options.learning_rate, weight_decay=0), X_valid=validation[0],
          y_valid=validation[1], max_epochs=options.epochs, batch_size=options.batch, device="cpu")
print(f"trained in {time.perf_counter() - began:.0f} s", flush=True)

best = torch.load(os.path.join(options.out, "bpnet.torch"), weights_only=False).eval()
profiles, totals = [], []
with torch.no_grad():
    for x in test_x.split(64):
        both = [best(x), best(x.flip((1, 2)))]  # as bigdna reads both strands
        profiles.append((both[0][0][:, 0] + both[1][0][:, 0].flip(1)) / 2)
        totals.append((both[0][1][:, 0] + both[1][1][:, 0]) / 2)
show("bpnet-lite", torch.cat(profiles).softmax(1).numpy(), torch.cat(totals).numpy(), observed)
