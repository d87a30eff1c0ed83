"""`dataset chromatin --deepsea` on files that SciPy (MATLAB 5) and h5py (7.3) write in the shapes of DeepSEA's bundle.

Rows are cut from real human chr20 (from the simulated genome where there is no real data), both strands, with repeats,
duplicates, N and foreign sequence among them. Every bin, label, split and dropped row must be as planned.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np
import scipy.io
from safetensors.numpy import load_file

FEATURES = 919
data = os.environ.get("BIGDNA_DATA", os.path.join(os.environ["BIGDNA_SOURCE_DIR"], "../shared/data"))
real = os.path.join(data, "genomes/GRCh37.chr20.fa.gz")
rng = np.random.default_rng(1)


def load_genome():
    if not os.path.exists(real):
        print("no real data: the simulated genome instead")
        path, name, start, length = os.path.join(os.environ["BIGDNA_SOURCE_DIR"], "test-data/genome.fa.gz"), ">chr1", 0, 300_000
    else:
        path, name, start, length = real, ">", 0, 3_000_000
    bases, inside = [], False
    with gzip.open(path, "rt") as file:
        for line in file:
            if line.startswith(">"):
                if inside:
                    break
                inside = line.startswith(name)
            elif inside:
                bases.append(line.strip().upper())
                if len(bases) * len(line) > length + 1000:
                    break
    return "".join(c if c in "ACGT" else "N" for c in "".join(bases)[start:start + length])


def complement(bases):
    return bases[::-1].translate(str.maketrans("ACGT", "TGCA"))


def one_hot(sequences):
    array = np.zeros((len(sequences), 4, 1000), np.uint8)
    letters = np.array([list(s) for s in sequences])
    for channel, base in enumerate("AGCT"):
        array[:, channel, :] = letters == base
    return array


genome = load_genome()
copied = genome[150_000:155_000]
contigs = {"chr20": genome, "chrB": "ACGT" * 50 + complement(copied) + "TTGCA" * 100}
positions = [p for p in range(100_000, len(genome) - 2000, 200) if not 149_000 <= p <= 156_000]
counts, places = {}, {}
for p in range(0, len(genome) - 999):  # what is there once, and what more often
    if p % 200 == 0:
        counts.setdefault(genome[p:p + 1000], 0)
for name, bases in contigs.items():
    for p in range(len(bases) - 999):
        window = bases[p:p + 1000]
        for found in {window, complement(window)} & counts.keys():
            counts[found] += 1


def split(n, extra):
    """n bins and their twins behind them, then extra rows: sequences, labels, expected (start, labels), expected drops."""
    unique = [p for p in rng.choice(positions, 3 * n, replace=False) if counts[genome[p:p + 1000]] == 1][:n]
    labels = (rng.random((n, FEATURES)) < 0.05).astype(np.uint8)
    sequences = [genome[p:p + 1000] for p in unique]
    rows = sequences + [complement(s) for s in sequences]
    all_labels = np.concatenate([labels, labels])
    bins = [("chr20", p + 400) for p in unique]
    dropped = []
    kept = [labels]
    if extra:
        more = [genome[151_000:152_000],                        # is in the genome twice, on both strands
                complement(genome[152_200:153_200]),            # the same
                "".join(rng.choice(list("ACGT"), 1000)),        # is not there
                sequences[0],                                   # again
                genome[first_n - 500:first_n + 500]]            # N: at its border there is one place only
        added = (rng.random((len(more), FEATURES)) < 0.05).astype(np.uint8)
        dropped = [(len(rows) + 1, "ambiguous"), (len(rows) + 2, "ambiguous"), (len(rows) + 3, "not_found"), (len(rows) + 4, "duplicate")]
        bins.append(("chr20", first_n - 100))
        kept.append(added[4:])
        rows += more
        all_labels = np.concatenate([all_labels, added])
        all_labels[n + 1, 7] ^= 1                               # a twin with another label
        dropped.append((n + 2, "labels_differ"))
    return rows, all_labels, bins, np.concatenate(kept), dropped


first_n = genome.index("N") + 0 if "N" in genome else None
# a border between N and sequence
for p in range(1, len(genome)):
    if (genome[p - 1] == "N") != (genome[p] == "N") and p > 600 and counts.get(genome[p - 500:p + 500], 1) == 1:
        first_n = p
        break

parts = {"train": split(300, False), "valid": split(40, True), "test": split(120, True)}


def write_73(path, name, x, y, dtype, chunks):
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_dataset(name + "xdata", data=np.transpose(x).astype(dtype), chunks=(7, 4, 64) if chunks else None, compression="gzip" if chunks else None)
        file.create_dataset(name + "data", data=np.transpose(y).astype(dtype), chunks=(100, 50) if chunks else None, compression="gzip" if chunks else None)
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, written by h5py".ljust(124) + b"\x00\x02IM")


def write_5(path, name, x, y, compressed):
    scipy.io.savemat(path, {name + "xdata": x, name + "data": y}, do_compression=compressed)


def check(folder, variant, genome_path, threads):
    bundle, output = os.path.join(folder, variant), os.path.join(folder, variant + ".dataset")
    subprocess.run([os.environ["BIGDNA"], "dataset", "chromatin", "--deepsea", bundle, "-g", genome_path, "-o", output, "--quiet", f"-@{threads}"], check=True)
    with gzip.open(os.path.join(output, "regions.bed.gz"), "rt") as file:
        found = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    labels = np.unpackbits(load_file(os.path.join(output, "labels.safetensors"))["labels"], axis=1, bitorder="little")[:, :FEATURES]
    expected, expected_labels, expected_drops = [], [], []
    for name, (_, _, bins, kept, dropped) in parts.items():
        split_name = {"valid": "validation"}.get(name, name)
        expected += [(chrom, str(start), str(start + 200), split_name) for chrom, start in bins]
        expected_labels.append(kept)
        expected_drops += [(split_name, str(row), reason) for row, reason in dropped]
    assert [(f[0], f[1], f[2], f[6]) for f in found] == expected, variant
    assert (labels == np.concatenate(expected_labels)).all(), variant
    with open(os.path.join(output, "dropped.tsv")) as file:
        drops = [tuple(line.split("\t")[:3]) for line in file if not line.startswith("#")]
    assert sorted(drops) == sorted(expected_drops), (variant, drops)
    rows = json.load(open(os.path.join(output, "dataset.json")))["deepsea_rows"]
    assert rows["train"] == {"taken": 300, "twin": 300, "not_found": 0, "ambiguous": 0, "duplicate": 0, "labels_differ": 0}
    print(f"{variant}: {len(found)} bins and their labels as planned; train: 600 of 600 rows located")


with tempfile.TemporaryDirectory() as folder:
    genome_path = os.path.join(folder, "genome.fa")
    with open(genome_path, "w") as file:
        for name, bases in contigs.items():
            file.write(f">{name}\n{bases}\n")
    for variant in ("published", "plain", "doubles"):  # 7.3 with 5 as DeepSEA has them; nothing compressed; all 7.3, 8 bytes
        os.mkdir(os.path.join(folder, variant))
        for name, (rows, labels, *_) in parts.items():
            path, x = os.path.join(folder, variant, name + ".mat"), one_hot(rows)
            if variant == "doubles":
                write_73(path, name, x, labels, np.float64, True)
            elif name == "train":
                write_73(path, name, x, labels, np.uint8, variant == "published")
            else:
                write_5(path, name, x, labels if variant == "published" else labels.astype(np.float64), variant == "published")
        check(folder, variant, genome_path, 1 if variant == "plain" else 2)

    def error_of(name):
        run = subprocess.run([os.environ["BIGDNA"], "dataset", "chromatin", "--deepsea", os.path.join(folder, "bad"), "-g", genome_path, "-o",
                              os.path.join(folder, "out")], capture_output=True, text=True)
        assert run.returncode == 1 and run.stderr.count("error") <= 1, run.stderr
        assert not os.path.exists(os.path.join(folder, "out"))
        return run.stderr

    os.mkdir(os.path.join(folder, "bad"))
    bad = os.path.join(folder, "bad", "test.mat")
    whole = open(os.path.join(folder, "published", "test.mat"), "rb").read()
    for name, content, text in (("cut", whole[:len(whole) // 2], "damaged"), ("empty", b"", "test.mat"), ("text", b"no matlab file\n" * 100, "not a MATLAB file"),
                                ("cut73", open(os.path.join(folder, "doubles", "test.mat"), "rb").read()[:20000], "test.mat")):
        open(bad, "wb").write(content)
        message = error_of(name)
        assert text in message, (name, message)
    x, y = one_hot(parts["test"][0]), parts["test"][1]
    broken = x.copy()
    broken[3, :2, 10] = 1
    write_5(bad, "test", broken, y, True)
    assert "row 4 does not have exactly one base at position 11" in error_of("two bases")
    write_73(bad, "test", x * 0.5, y, np.float64, True)
    assert "not a whole number from 0 to 255" in error_of("halves")
    write_5(bad, "test", -x.astype(np.int8), y, True)
    assert "not a whole number from 0 to 255" in error_of("negative")
    write_5(bad, "test", x, y[:, :100], True)
    assert "x 919 features" in error_of("features")
    write_5(bad, "test", one_hot(["".join(rng.choice(list("ACGT"), 1000)) for _ in range(5)]), y[:5], True)
    assert "none of the rows is in" in error_of("foreign")
print("damaged and foreign files are refused")
sys.exit(0)
