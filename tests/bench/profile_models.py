#!/usr/bin/env python3
"""profile_models.py [WINDOWS [TASK...]]: speed and memory of bigdna with a ChromBPNet, compared with bpnet-lite in PyTorch.

The ChromBPNet has the usual size (512 filters, 8 layers; bias model 128, 4) and random weights. Three tasks are measured:
  windows      profiles and counts of windows of 2114 bp (`bigdna profile`), along one strand
  variants     single-base variants (`bigdna variants`): both alleles along both strands, without the bias model
  mutagenesis  bases of which all three changes are predicted (`bigdna explain`), along one strand, without the bias model

Of windows and variants, WINDOWS (48) are measured; of mutagenesis, 24 bases of two windows. TASK: default all. ROUNDS: 3.

Needs bpnet-lite (see tests/peers/bpnet_lite_test.py) and bigdna on the PATH. The time of one item is subtracted from bigdna's, so that
neither its start nor the reading of weights counts. PyTorch's time is that of forward passes alone. The programs take turns, ROUNDS
times; the median counts, and the range is printed. Last comes the peak memory of each program, from its start."""
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Callable

import numpy as np
import torch
from bpnetlite.bpnet import BPNet
from bpnetlite.chrombpnet import ChromBPNet

WINDOW, BATCHES, EXPLAINED, CHANGED, ALONE = 2114, (1, 8), 24, 4, "--alone"
ROUNDS = int(os.environ.get("ROUNDS", 3))


def half(filters, layers):
    return BPNet(n_filters=filters, n_layers=layers, n_outputs=1, n_control_tracks=0, verbose=False)


def chrombpnet():
    torch.manual_seed(1)
    return ChromBPNet(half(128, 4), half(512, 8)).eval()


def timed(run, *words):
    begin = time.perf_counter()
    run(*words)
    return time.perf_counter() - begin


def bigdna(threads, *words):
    subprocess.run(["bigdna", *words, "--device", "cpu", "-@", str(threads), "--quiet"], check=True)


def pytorch(model, letters, threads, batch):
    torch.set_num_threads(threads)
    with torch.no_grad():
        for part in letters.split(batch):
            model(part)


def both_alleles(model, letters, threads, batch):
    """REF and ALT of each window along both strands, which takes as long whatever the alleles are."""
    for _ in range(2):
        pytorch(model, letters, threads, batch)
        pytorch(model, letters.flip((1, 2)), threads, batch)


def changes(model, letters, threads, batch):
    """The three changes of CHANGED bases. Each base takes as long, so that a few are enough."""
    pytorch(model, letters[:1].repeat(3 * CHANGED, 1, 1), threads, batch)


@dataclass
class Task:
    name: str
    command: Callable  # the words of bigdna for a number of windows
    windows: int       # that bigdna is timed for, beyond one
    items: int         # that each window counts as
    peer: Callable
    network: torch.nn.Module
    peer_items: int


def write_inputs(windows, counts):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, (windows, WINDOW))
    genome = "".join("ACGT"[c] for c in rng.integers(0, 4, 400 * (windows + 8)))
    open("genome.fa", "w").write(f">chr1\n{genome}\n")
    for count in counts:
        with open(f"{count}.fa", "w") as file:
            file.writelines(f">s{i}\n{''.join('ACGT'[c] for c in row)}\n" for i, row in enumerate(codes[:count]))
        with open(f"{count}.vcf", "w") as file:
            file.write("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
            for at in range(1500, 1500 + 300 * count, 300):
                file.write(f"chr1\t{at + 1}\t.\t{genome[at]}\t{'G' if genome[at] != 'G' else 'C'}\t.\t.\t.\n")
    return torch.nn.functional.one_hot(torch.tensor(codes), 4).transpose(1, 2).float().contiguous()


def print_rates(tasks, letters):
    print("task", "threads", "program", "per_second", "low", "high", "load_average", sep="\t")
    for task in tasks:
        for threads in (1, 2):
            rates = {name: [] for name in ("bigdna", *(f"bpnet-lite, batches of {batch}" for batch in BATCHES))}
            for _ in range(ROUNDS):
                seconds = timed(bigdna, threads, *task.command(task.windows + 1)) - timed(bigdna, threads, *task.command(1))
                rates["bigdna"].append(task.windows * task.items / seconds)
                for batch in BATCHES:
                    rates[f"bpnet-lite, batches of {batch}"].append(task.peer_items / timed(task.peer, task.network, letters, threads, batch))
            for name, values in rates.items():
                print(task.name, threads, name, *(f"{f(values):.2f}" for f in (statistics.median, min, max)), f"{os.getloadavg()[0]:.1f}",
                      sep="\t", flush=True)


def peak_memory(words):
    """Peak memory in MiB of a program that has nothing of this process."""
    code = "import resource,subprocess,sys; subprocess.run(sys.argv[1:], check=True, stdout=2); " \
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
    return int(subprocess.run([sys.executable, "-c", code, *words], check=True, stdout=subprocess.PIPE).stdout)


def print_memory(tasks):
    print("task", "program", "peak_MiB", sep="\t")
    for task in tasks:
        print(task.name, "bigdna", peak_memory(["bigdna", *task.command(task.windows + 1), "--device", "cpu", "-@", "1", "--quiet"]), sep="\t")
        for batch in BATCHES:
            print(task.name, f"bpnet-lite, batches of {batch}", peak_memory([sys.executable, __file__, ALONE, task.name, str(batch)]), sep="\t", flush=True)


def tasks_of(model, windows):
    out = ("-o", "out.h5")
    return [
        Task("windows", lambda n: ("profile", "model", f"{n}.fa", *out), windows - 1, 1, pytorch, model, windows),
        Task("variants", lambda n: ("variants", "model", f"{n}.vcf", "-g", "genome.fa", "-o", "out.tsv"), windows - 1, 1, both_alleles,
             model.accessibility, windows),
        Task("mutagenesis", lambda n: ("explain", "model", f"{n}.fa", "--around", str(EXPLAINED // 2), "--strands", "forward", *out), 2,
             EXPLAINED, changes, model.accessibility, CHANGED),
    ]


def measure(windows, names):
    model = chrombpnet()
    tasks = tasks_of(model, windows)
    letters = write_inputs(max(windows, 3), {1} | {task.windows + 1 for task in tasks})
    torch.save(model, "model.torch")
    subprocess.run(["bigdna", "convert", "model.torch", "-o", "model", "--quiet"], check=True)
    bigdna(1, "variants", "model", "1.vcf", "-g", "genome.fa", "-o", "out.tsv")  # makes the index of the genome
    asked = [task for task in tasks if not names or task.name in names]
    print_rates(asked, letters[:windows])
    print_memory(asked)


__file__ = os.path.abspath(__file__)
if sys.argv[1:2] == [ALONE]:  # one task of bpnet-lite, whose memory print_memory() measures
    alone = next(task for task in tasks_of(chrombpnet(), 8) if task.name == sys.argv[2])
    alone.peer(alone.network, torch.zeros(8, 4, WINDOW), 1, int(sys.argv[3]))
else:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        measure(int(sys.argv[1]) if len(sys.argv) > 1 else 48, sys.argv[2:])
