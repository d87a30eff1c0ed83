"""Labels of all real peak files equal bedtools' (merge of each feature, then coverage) on every bin of chr20 and chr22.

With --whole-genome (tests/bench/chromatin_labels.sh) on every chromosome of hg19. Prints time and peak memory of both.
Labels need no sequence, so that the genome is one of hg19's lengths.
"""
import csv
import gzip
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
from safetensors.numpy import load_file

source = os.environ["BIGDNA_SOURCE_DIR"]
data = os.environ.get("BIGDNA_DATA", os.path.join(source, "../shared/data"))
folder_of_peaks = os.path.join(data, "chromatin")
if not os.path.exists(os.path.join(folder_of_peaks, "PEAKS_MANIFEST.tsv")):
    print("SKIPPED: no real data:", folder_of_peaks)
    sys.exit(77)
whole = "--whole-genome" in sys.argv
chosen = [f"chr{c}" for c in [*range(1, 23), "X", "Y"]] if whole else ["chr20", "chr22"]
with open(os.path.join(data, "liftover/chrom_sizes/human.hg19.genome")) as file:
    sizes = {name: int(size) for name, size, *_ in (line.split() for line in file if line.strip()) if name in chosen}
assert len(sizes) == len(chosen)


def timed(command, **options):
    """Seconds, and peak memory of the command's processes in MB."""
    started = time.time()
    code = f"import resource, subprocess, sys; r = subprocess.run({command!r}, shell={isinstance(command, str)}, executable={'/bin/bash' if isinstance(command, str) else None!r}); " \
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(r.returncode)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **options)
    assert run.returncode == 0, run.stderr
    return time.time() - started, int(run.stdout.split()[-1]) / 1024


with tempfile.TemporaryDirectory() as folder:
    genome = os.path.join(folder, "genome.fa.gz")
    with open(genome, "wb") as file:
        bgzip = subprocess.Popen(["bgzip", "-c"], stdin=subprocess.PIPE, stdout=file)
        for name in chosen:
            bgzip.stdin.write(f">{name}\n".encode())
            full, rest = divmod(sizes[name], 100_000)
            for length, count in ((100_000, full), (rest, 1 if rest else 0)):
                for _ in range(count):
                    bgzip.stdin.write(b"ACGTTGCAGC" * (length // 10) + b"A" * (length % 10) + (b"\n" if length == 100_000 or count else b""))
        bgzip.stdin.close()
        assert bgzip.wait() == 0
    features, missing = [], 0
    with open(os.path.join(folder_of_peaks, "PEAKS_MANIFEST.tsv")) as file:
        for row in csv.DictReader(file, delimiter="\t"):
            target = row["target"]
            group = "DHS" if target == "DNase" else "HM" if re.match(r"H\d", target) else "TF"
            path = os.path.join(folder_of_peaks, row["#file"])
            if not os.path.exists(path):
                missing += 1
                continue
            features.append((path, f"{target}.{len(features)}", row["cell"], group))
    if missing:
        print(f"{missing} of the listed peak files are not there")
    with open(os.path.join(folder, "peaks.tsv"), "w") as file:
        print("file\tname\tcell\tgroup", file=file)
        for feature in features:
            print(*feature, sep="\t", file=file)

    seconds, memory = timed([os.environ["BIGDNA"], "dataset", "chromatin", "--peaks", os.path.join(folder, "peaks.tsv"), "-g", genome, "--keep", "tf" if whole else "all",
                             "--test", "0", "--validation", "0", "--upstream", "0", "--downstream", "0", "-o", os.path.join(folder, "d"), "--quiet"])
    labels = np.unpackbits(load_file(os.path.join(folder, "d/labels.safetensors"))["labels"], axis=1, bitorder="little")[:, :len(features)]
    print(f"bigdna: {len(features)} peak files, {len(labels)} bins, {int(labels.sum())} labels: {seconds:.1f} s, {memory:.0f} MB")

    with gzip.open(os.path.join(folder, "d/regions.bed.gz"), "rt") as file, open(os.path.join(folder, "bins.bed"), "w") as bins:
        for line in file:
            if not line.startswith("#"):
                bins.write("\t".join(line.split("\t", 3)[:3]) + "\n")
    if not whole:
        assert len(labels) == sum(size // 200 for size in sizes.values())
    # bedtools wants every input in one order
    subprocess.run(f"sort -k1,1 -k2,2n {folder}/bins.bed >{folder}/sorted.bed", shell=True, check=True, env={**os.environ, "LC_ALL": "C"})
    position = {tuple(line.split()[:2]): i for i, line in enumerate(open(os.path.join(folder, "bins.bed")))}
    order = np.array([position[tuple(line.split()[:2])] for line in open(os.path.join(folder, "sorted.bed"))])
    seconds = memory = 0
    for f, (path, name, *_) in enumerate(features):
        took, peak = timed(f"set -o pipefail; zcat -f {path} | cut -f1-3 | LC_ALL=C sort -k1,1 -k2,2n | bedtools merge -i - | "
                           f"bedtools coverage -sorted -a {folder}/sorted.bed -b - | awk '{{print $(NF - 2)}}' >{folder}/covered")
        seconds, memory = seconds + took, max(memory, peak)
        covered = np.loadtxt(os.path.join(folder, "covered"), dtype=np.int64)
        differ = np.flatnonzero((covered > 100) != labels[order, f])
        assert len(differ) == 0, (path, [open(os.path.join(folder, "sorted.bed")).readlines()[i] for i in differ[:3]])
    print(f"bedtools: the same on all of them: {seconds:.1f} s, {memory:.0f} MB")
