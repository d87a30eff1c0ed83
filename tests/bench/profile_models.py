#!/usr/bin/env python3
"""profile_models.py [WINDOWS]: windows per second of `bigdna profile` and of bpnet-lite in PyTorch, for a ChromBPNet of the usual size
(512 filters, 8 layers) with its bias model (128, 4), and single-base variants per second (`bigdna variants`; both alleles along both
strands, without the bias model). Windows on 1 and 2 threads, variants on 1.

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


def alleles(model, letters, threads, batch):
    """REF and ALT of each window along both strands, which takes as long whatever the alleles are."""
    for _ in range(2):
        pytorch(model, letters, threads, batch)
        pytorch(model, letters.flip((1, 2)), threads, batch)


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
    genome = "".join("ACGT"[c] for c in rng.integers(0, 4, 400 * (WINDOWS + 8)))
    open("genome.fa", "w").write(f">chr1\n{genome}\n")
    for count in (1, WINDOWS):
        with open(f"{count}.vcf", "w") as file:
            file.write("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
            for at in range(1500, 1500 + 300 * count, 300):
                file.write(f"chr1\t{at + 1}\t.\t{genome[at]}\t{'G' if genome[at] != 'G' else 'C'}\t.\t.\t.\n")
    bigdna(1, "variants", "model", "1.vcf", "-g", "genome.fa", "-o", "out.tsv")  # makes the index
    print("task\tthreads\tprogram\tper_second\tlow\thigh\tload_average")
    for task, all_threads, command, peer, network in (("windows", (1, 2), lambda n: ("profile", "model", f"{n}.fa", "-o", "out.h5"), pytorch, model),
                                                      ("variants", (1,), lambda n: ("variants", "model", f"{n}.vcf", "-g", "genome.fa", "-o", "out.tsv"), alleles, model.accessibility)):
        for threads in all_threads:
            rates = {name: [] for name in ("bigdna", *(f"bpnet-lite, batches of {batch}" for batch in BATCHES))}
            for _ in range(ROUNDS):
                rates["bigdna"].append((WINDOWS - 1) / (timed(bigdna, threads, *command(WINDOWS)) - timed(bigdna, threads, *command(1))))
                for batch in BATCHES:
                    rates[f"bpnet-lite, batches of {batch}"].append(WINDOWS / timed(peer, network, letters, threads, batch))
            for name, values in rates.items():
                print(task, threads, name, *(f"{f(values):.2f}" for f in (statistics.median, min, max)), f"{os.getloadavg()[0]:.1f}", sep="\t", flush=True)
