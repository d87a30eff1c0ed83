"""Times plain PyTorch on a GPU with a network on bases that bigdna trained: network.py MODEL [DEVICE]

The same sizes and weights (tests/peers/profile_network.py), one network, bf16 autocast, fused AdamW. Prints TSV rows: what, windows,
bp of a window, ms, bp a second; training: forward, backward and update. Compiled: the same by torch.compile.
"""

import os
import statistics
import sys
import time

import torch
from torch.nn import functional as F

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, here + "/../../peers"]  # beside this file in the folder of pack.sh
from profile_network import Model


def main():
    model, device = Model(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cuda"
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    network, bin_size, labels = model.networks[0], model.config["bin"], model.config["labels"]
    network.w = {name: value.to(device).requires_grad_() for name, value in network.w.items()}

    def median(run):
        times = []
        while len(times) < 6 or (sum(times[3:]) < 1 and len(times) < 200):
            wait()
            start = time.perf_counter()
            run()
            wait()
            times.append(time.perf_counter() - start)
        return statistics.median(times[3:])

    def bases(windows, length):
        return F.one_hot(torch.randint(4, (windows, length), device=device), 4).transpose(1, 2).float()

    for compiled in (False, True):
        called = torch.compile(network) if compiled else network
        optimiser = torch.optim.AdamW(network.w.values(), lr=1e-6, fused=True)

        def row(what, windows, length, seconds):
            name = what + (", compiled" if compiled else "")
            print(f"PyTorch, {name}\t{windows}\t{length}\t{seconds * 1e3:.2f}\t{windows * length / seconds:.0f}", flush=True)

        def train_on(x, y):
            with torch.autocast(device, torch.bfloat16):
                loss = F.binary_cross_entropy_with_logits(called(x).float(), y)
            loss.backward()
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)

        network.train()
        for windows in (8, 64):
            x, y = bases(windows, 16000), torch.randint(2, (windows, 16000 // bin_size, labels), device=device).float()
            row("training", windows, 16000, median(lambda: train_on(x, y)))
        network.eval()
        x = bases(1, 64000)
        with torch.no_grad(), torch.autocast(device, torch.bfloat16):
            row("prediction", 1, 64000, median(lambda: called(x)))


main()
