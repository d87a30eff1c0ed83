"""Times plain PyTorch on a GPU with a network on bases that bigdna trained: network.py MODEL [DEVICE]

The same sizes and weights (apps/python/bigdna_torch.py), one network, bf16 autocast, fused AdamW. Prints TSV rows: what, windows,
bp of a window, ms, bp a second; training: forward, backward and update. Compiled: the same by torch.compile. By a CUDA graph: the
whole step is captured once and replayed.
"""

import functools
import os
import statistics
import sys
import time

import torch
from torch.nn import functional as F

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, here + "/../../../apps/python"]  # beside this file in the folder of pack.sh
from bigdna_torch import Networks


def main():
    model, device = Networks(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cuda"
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    network, bin_size, labels = model.networks[0].to(device), model.bin, model.config["labels"]

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

    def captured(step):
        """Calls step() by a CUDA graph, after the warm-up on a stream of its own that capture needs."""
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        return graph.replay

    ways = ("", "compiled", "by a CUDA graph") if device == "cuda" else ("", "compiled")
    for way in ways:
        by_graph = way == "by a CUDA graph"
        called = torch.compile(network) if way == "compiled" else network
        optimiser = torch.optim.AdamW(network.parameters(), lr=1e-6, fused=True, capturable=by_graph)

        def row(what, windows, length, seconds):
            name = what + (", " + way if way else "")
            print(f"PyTorch, {name}\t{windows}\t{length}\t{seconds * 1e3:.2f}\t{windows * length / seconds:.0f}", flush=True)

        def train_on(x, y):
            # a graph's casts must be made in the graph; gradients are set to none so that backward() allocates them there
            optimiser.zero_grad(set_to_none=True)
            with torch.autocast(device, torch.bfloat16, cache_enabled=not by_graph):
                loss = F.binary_cross_entropy_with_logits(called(x).float(), y)
            loss.backward()
            optimiser.step()

        network.train()
        for windows in (8, 64):
            x, y = bases(windows, 16000), torch.randint(2, (windows, 16000 // bin_size, labels), device=device).float()
            step = functools.partial(train_on, x, y)
            row("training", windows, 16000, median(captured(step) if by_graph else step))
        network.eval()
        x = bases(1, 64000)
        with torch.no_grad(), torch.autocast(device, torch.bfloat16, cache_enabled=not by_graph):
            row("prediction", 1, 64000, median(captured(lambda: called(x)) if by_graph else lambda: called(x)))


main()
