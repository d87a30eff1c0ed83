"""Processor seconds of `bigdna explain` on one thread beside PyTorch's, with the same network, one strand and one feature:

  tests/bench/explain.py BIGDNA MODEL GENOME.fa CONTIG:POSITION [REPEATS [FLANK]]

MODEL is a model's folder (models/human-chr20-chrX), FLANK the bp that it reads on either side of a bin (6600; bigdna info). Run it with a Python that has torch and captum (tests/peers/setup.sh
installs them) and tangermeme (pip install tangermeme==1.6.0). bigdna_torch reads the network in PyTorch; all read
the window that the model reads. Repeats alternate; medians and ratios.
Of bigdna the start is taken away: 3 regions less 1, halved.
"""
import os
import resource
import statistics
import subprocess
import sys
import time

import torch
from captum.attr import IntegratedGradients, Saliency
from tangermeme.saturation_mutagenesis import saturation_mutagenesis

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../apps/python")
from bigdna_torch import load, one_hot

bigdna, folder, genome, place = sys.argv[1:5]
repeats = int(sys.argv[5]) if len(sys.argv) > 5 else 3
contig, position = place.split(":")
position, flank, label, mutated, steps = int(position), int(sys.argv[6]) if len(sys.argv) > 6 else 6600, 0, 100, 20
torch.set_num_threads(1)


def bases(start, end):
    text = subprocess.run(["samtools", "faidx", genome, f"{contig}:{start + 1}-{end}"], check=True, capture_output=True, text=True).stdout
    return "".join(text.split("\n")[1:]).upper()


class Logit(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = load(folder, strands="forward", answers="logits")

    def forward(self, x):
        return self.model(x)[:, label:label + 1]


def ours(*options):
    def seconds(regions):
        bed = "".join(f"{contig}\t{start - mutated // 2}\t{start + mutated // 2}\n" for start in range(position, position + 20000 * regions, 20000))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([bigdna, "explain", folder, "-R", "-", "-g", genome, "--features", str(label), "--strands", "forward", "-@", "1",
                        "--quiet", "-o", "/dev/null", *options], input=bed, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (seconds(3) - seconds(1)) / 2


def theirs(call):
    start = time.process_time()
    call()
    return time.process_time() - start


model = Logit()
x = one_hot(bases(position - 100 - flank, position + 100 + flank))
baseline = x.flip(2)
middle, few = x.shape[2] // 2, 2  # the time of mutagenesis is proportional to the bases: 2 are enough
with torch.no_grad():
    model(x)
IG = IntegratedGradients(lambda given: model(given)[:, 0])
METHODS = {
    f"mutagenesis of {mutated} bp, tangermeme": (
        lambda: ours("--method", "mutagenesis"),
        lambda: mutated / few * theirs(lambda: saturation_mutagenesis(model, x, start=middle, end=middle + few, batch_size=8, device="cpu"))),
    "gradient, Captum": (
        lambda: ours("--method", "gradient"),
        lambda: theirs(lambda: Saliency(lambda given: model(given)[:, 0]).attribute(x.clone().requires_grad_(), abs=False))),
    f"integrated gradients, 1 shuffle, {steps} steps, Captum": (
        lambda: ours("--method", "integrated", "--shuffles", "1", "--steps", str(steps)),
        lambda: theirs(lambda: IG.attribute(x, baseline, n_steps=steps, method="riemann_middle", internal_batch_size=4))),
}
print("#method\tbigdna_seconds\ttheir_seconds\tratio\tlowest_ratio\thighest_ratio")
for name, (one, other) in METHODS.items():
    pairs = [(one(), other()) for _ in range(repeats)]
    ratios = sorted(b / a for a, b in pairs)
    print(name, *(f"{value:.3g}" for value in (statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs),
                                               statistics.median(ratios), ratios[0], ratios[-1])), sep="\t", flush=True)
