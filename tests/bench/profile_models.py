#!/usr/bin/env python3
"""profile_models.py [WINDOWS]: windows per second of `bigdna profile` and of bpnet-lite in PyTorch, for a ChromBPNet of the usual size
(512 filters, 8 layers) with its bias model (128, 4), on 1 and 2 threads.

Needs bpnet-lite (see tests/peers/bpnet_lite_test.py) and bigdna on the PATH. bigdna's time is that of WINDOWS windows less that of one,
so that neither its start nor the reading of weights counts; PyTorch's is that of forward passes alone, the fastest of some batch sizes.
Both are measured in turn, three times; the median counts, and the range is printed."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from bpnetlite.bpnet import BPNet
from bpnetlite.chrombpnet import ChromBPNet

WINDOWS, WINDOW, ROUNDS, BATCHES = int(sys.argv[1]) if len(sys.argv) > 1 else 48, 2114, 3, (1, 8)


def half(filters, layers):
    return BPNet(n_filters=filters, n_layers=layers, n_outputs=1, n_control_tracks=0, verbose=False)


def bigdna(threads, count):
    begin = time.perf_counter()
    subprocess.run(["bigdna", "profile", "model", f"{count}.fa", "-o", "out.h5", "--device", "cpu", "-@", str(threads), "--quiet"], check=True)
    return time.perf_counter() - begin


def pytorch(model, letters, threads, batch):
    torch.set_num_threads(threads)
    begin = time.perf_counter()
    with torch.no_grad():
        for part in letters.split(batch):
            model(part)
    return time.perf_counter() - begin


torch.manual_seed(1)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    model = ChromBPNet(half(128, 4), half(512, 8)).eval()
    torch.save(model, "model.torch")
    subprocess.run(["bigdna", "convert", "model.torch", "-o", "model", "--quiet"], check=True)
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, (WINDOWS, WINDOW))
    letters = torch.nn.functional.one_hot(torch.tensor(codes), 4).transpose(1, 2).float().contiguous()
    for count in (1, WINDOWS):
        with open(f"{count}.fa", "w") as file:
            file.writelines(f">s{i}\n{''.join('ACGT'[c] for c in row)}\n" for i, row in enumerate(codes[:count]))
    print("threads\tprogram\twindows_per_second\tlow\thigh\tload_average")
    for threads in (1, 2):
        rates = {name: [] for name in ("bigdna", *(f"bpnet-lite, batches of {batch}" for batch in BATCHES))}
        for _ in range(ROUNDS):
            rates["bigdna"].append((WINDOWS - 1) / (bigdna(threads, WINDOWS) - bigdna(threads, 1)))
            for batch in BATCHES:
                rates[f"bpnet-lite, batches of {batch}"].append(WINDOWS / pytorch(model, letters, threads, batch))
        for name, values in rates.items():
            print(threads, name, *(f"{f(values):.2f}" for f in (statistics.median, min, max)), f"{os.getloadavg()[0]:.1f}", sep="\t", flush=True)
