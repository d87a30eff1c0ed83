"""Training and prediction of a network on bases beside plain PyTorch, on the same processor:

  tests/bench/networks_speed.py BIGDNA BINS GENOME.fa REGION [PRECISIONS [THREADS [REPEATS]]]

BINS: a dataset of `dataset chromatin --keep all`, of peaks or of tracks, whose loss is Poisson's; REGION: what is predicted,
CONTIG:START-END of whole megabases; PRECISIONS:
fp32,bf16; THREADS: 1,2. Run it with the peers' Python (tests/peers/setup.sh). One network of preset base that was trained for a
step; bigdna_torch reads it in PyTorch, so both have the same weights. Training: forward, backward and AdamW of
a batch of the default size, bigdna's as `train --plan` measures it. Prediction: one strand; of bigdna the command's time less that
for a bin of the same region, so with reading and writing of the rest; of PyTorch the forward pass alone, in windows as long as
bigdna's, of which the ends do not count, as they lack what the network reads around them. Repeats alternate; medians of million bp a second, and the ratio with its range.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch.nn import functional as F

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../apps/python")
from bigdna_torch import Networks

bigdna, bins, genome, region = (os.path.abspath(word) if os.path.exists(word) else word for word in sys.argv[1:5])
precisions = (sys.argv[5] if len(sys.argv) > 5 else "fp32,bf16").split(",")
threads = [int(n) for n in (sys.argv[6] if len(sys.argv) > 6 else "1,2").split(",")]
repeats = int(sys.argv[7]) if len(sys.argv) > 7 else 3
contig, first, last = re.fullmatch(r"(.+):([\d,]+)-([\d,]+)", region).groups()
begin = int(first.replace(",", "")) - 1
length = int(last.replace(",", "")) - begin
window, batch, predicted = 32000, 4, 64000  # of bigdna's defaults
UNITS = {"k": 1e3, "M": 1e6, "G": 1e9}


def seconds(run, at_least=2.0):
    """Of one run: the mean of as many as take so long, after one that is not counted."""
    run()
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < at_least:
        run()
        count += 1
    return (time.perf_counter() - start) / count


def ours_training(on):
    plan = subprocess.run([bigdna, "train", bins, "-g", genome, "--preset", "base", "--networks", "1", "--plan", "--validation-rows", "200",
                           "--quiet", *on], check=True, capture_output=True, text=True).stdout
    number, unit = re.search(r"^speed: ([\d.]+) ([kMG]?)bp/s", plan, re.M).groups()
    return float(number) * UNITS.get(unit, 1)


def ours_prediction(on):
    def run(count):
        lines = "".join(f"{contig}\t{start}\t{start + 200}\n" for start in range(begin, begin + 200 * count, 200))
        start = time.perf_counter()
        subprocess.run([bigdna, "chromatin", "model", "-", "-g", genome, "--strands", "forward", "--features", "0", "--quiet", "-o", "scores.tsv", *on],
                       input=lines, text=True, check=True)
        return time.perf_counter() - start
    return (length - 200) / (run(length // 200) - run(1))


def theirs_training(model, optimiser, cast):
    x = F.one_hot(torch.randint(4, (batch, window)), 4).transpose(1, 2).float()
    y = torch.randint(2, (batch, window // 200, labels)).float()
    loss_of = F.poisson_nll_loss if tracks else F.binary_cross_entropy_with_logits  # by their logarithm, as bigdna's

    def step():
        with cast():
            loss = loss_of(model(x).float(), y)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
    return batch * window / seconds(step)


def theirs_prediction(model, cast):
    x = F.one_hot(torch.randint(4, (1, predicted)), 4).transpose(1, 2).float()

    def run():
        with torch.no_grad(), cast():
            model(x)
    margin = 200 * (sum(json.load(open("model/config.json"))["dilations"]) + 1)
    return (predicted - 2 * margin) / seconds(run)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    subprocess.run([bigdna, "train", bins, "-g", genome, "--preset", "base", "--networks", "1", "--steps", "1", "--validation-rows", "200",
                    "--no-baseline", "--quiet", "-o", "run"], check=True, stdout=subprocess.DEVNULL)
    os.rename("run/model", "model")
    model = Networks("model").eval()
    labels = json.load(open("model/config.json"))["labels"]
    tracks = open(os.path.join(bins, "features.tsv")).read().count("\tcounts\n") == labels
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-6, fused=True)
    print(f"#what\tprecision\tthreads\tbigdna_Mbp_per_s\tPyTorch_{torch.__version__}_Mbp_per_s\tratio\tlow\thigh")
    for precision in precisions:
        cast = lambda: torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16")
        for n in threads:
            torch.set_num_threads(n)
            on = ["-@", str(n), "--precision", precision, "--device", "cpu"]
            for what, ours, theirs in (("training", lambda: ours_training(on), lambda: theirs_training(model, optimiser, cast)),
                                       ("prediction", lambda: ours_prediction(on), lambda: theirs_prediction(model, cast))):
                pairs = [(ours() / 1e6, theirs() / 1e6) for _ in range(repeats)]
                ratios = [mine / other for mine, other in pairs]
                print(what, precision, n, *("%.3f" % statistics.median(column) for column in zip(*pairs)),
                      *("%.2f" % value for value in (statistics.median(ratios), min(ratios), max(ratios))), sep="\t", flush=True)
