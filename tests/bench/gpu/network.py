"""Times plain PyTorch on a GPU with the network of `bigdna train chromatin --preset base`: network.py [LABELS]

The same sizes, channels first, bf16 autocast, fused AdamW, one network. Prints TSV rows: what, windows, bp of a window, ms, bp a second;
training: forward, backward and update. Compiled: the same by torch.compile.
"""

import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

STAGES, DILATIONS = ((128, 15, 4), (160, 5, 5), (256, 5, 10)), (1, 2, 4, 8, 16, 1)


class Residual(nn.Module):
    def __init__(self, hidden, dilation):
        super().__init__()
        self.norm = nn.LayerNorm(hidden)
        self.dilated = nn.Conv1d(hidden, hidden, 3, padding=dilation, dilation=dilation)
        self.output = nn.Conv1d(hidden, hidden, 1)

    def forward(self, x):
        inner = F.gelu(self.norm(x.transpose(1, 2)), approximate="tanh").transpose(1, 2)
        inner = F.gelu(self.dilated(inner), approximate="tanh")
        return x + F.dropout(self.output(inner), 0.2, self.training)


class Network(nn.Module):
    def __init__(self, labels):
        super().__init__()
        self.convolutions, self.scales, self.shifts, inputs = nn.ModuleList(), nn.ParameterList(), nn.ParameterList(), 4
        for filters, width, _ in STAGES:
            self.convolutions.append(nn.Conv1d(inputs, filters, width, padding=width // 2))
            self.scales.append(torch.ones(filters, 1))
            self.shifts.append(torch.zeros(filters, 1))
            inputs = filters
        self.tower = nn.Sequential(*(Residual(inputs, dilation) for dilation in DILATIONS))
        self.norm, self.head = nn.LayerNorm(inputs), nn.Linear(inputs, labels)

    def forward(self, x):
        for convolution, scale, shift, (_, _, pool) in zip(self.convolutions, self.scales, self.shifts, STAGES):
            x = F.gelu(F.max_pool1d(convolution(x), pool) * scale + shift, approximate="tanh")
        return self.head(F.gelu(self.norm(self.tower(x).transpose(1, 2)), approximate="tanh"))


def median(run):
    times = []
    while len(times) < 6 or (sum(times[3:]) < 1 and len(times) < 200):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times[3:])


def main():
    labels = int(sys.argv[1]) if len(sys.argv) > 1 else 43
    for compiled in (False, True):
        network = Network(labels).cuda()
        called = torch.compile(network) if compiled else network
        optimiser = torch.optim.AdamW(network.parameters(), lr=1e-3, fused=True)

        def bases(windows, length):
            return F.one_hot(torch.randint(4, (windows, length), device="cuda"), 4).transpose(1, 2).float()

        def row(what, windows, length, seconds):
            name = what + (", compiled" if compiled else "")
            print(f"PyTorch, {name}\t{windows}\t{length}\t{seconds * 1e3:.2f}\t{windows * length / seconds:.0f}", flush=True)

        def train_on(x, y):
            with torch.autocast("cuda", torch.bfloat16):
                loss = F.binary_cross_entropy_with_logits(called(x), y)
            loss.backward()
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)

        network.train()
        for windows in (8, 64):
            x, y = bases(windows, 16000), torch.randint(2, (windows, 80, labels), device="cuda").float()
            row("training", windows, 16000, median(lambda: train_on(x, y)))
        network.eval()
        x = bases(1, 64000)
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
            row("prediction", 1, 64000, median(lambda: called(x)))


main()
