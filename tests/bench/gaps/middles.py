"""Middles of held-out sequence, and counts that predict them from one side and from both.
draw GENOME CONTIG FIRST LAST N: a BED of N stretches without N, 1 to 100 bp long, each doubling of the length equally likely.
compare FASTA FIRST TABLE [OTHER]: bits per base by length, of a table of `fill --regions` and of counts of the FASTA's bases before FIRST.
OTHER: the table of another model for the same middles; differences are paired.
Counts of order k: p(base | k before it), k from 0 on, each smoothed by the shorter one with weight 1. From both sides, given the length:
p(middle, right | left) divided by its sum over all middles of that length, which a pass over all states of k bases gives."""
import math, subprocess, sys
import numpy as np

BOTH, LEFT = 8, 11  # orders


def read(path, contig=None):
    text = subprocess.run(["samtools", "faidx", path, contig], capture_output=True, text=True, check=True).stdout if contig else open(path).read()
    return "".join(text.split("\n")[1:]).upper()


def draw(genome, contig, first, last, count):
    bases, rng, used, rows = read(genome, contig), np.random.default_rng(1), set(), []
    while len(rows) < count:
        length = min(100, int(math.exp(rng.random() * math.log(101))))
        start = int(rng.integers(first + 2000, last - 2000))
        blocks = {start // 250, (start + length) // 250}  # so that none overlap
        if blocks & used or "N" in bases[start - 1000:start + 1000]:
            continue
        used |= blocks
        rows.append((start, start + length))
    for start, end in sorted(rows):
        print(contig, start, end, sep="\t")


def tables(codes, most):
    """p[k][context * 4 + base] for k = 0 to most, from counts of codes (4: N)."""
    smoothed = np.full(4, 0.25)
    known, letters = codes < 4, np.minimum(codes, 3)
    context, valid = letters, known
    for k in range(most + 1):
        if k > 0:  # a further base in front
            context, valid = letters[:-k] * 4 ** k + context[1:], known[:-k] & valid[1:]
        counts = np.bincount(context[valid], minlength=4 ** (k + 1)).reshape(-1, 4)
        shorter = np.tile(smoothed.reshape(-1, 4), (len(counts) // max(1, smoothed.size // 4), 1))
        smoothed = ((counts + 4 * shorter) / (counts.sum(1, keepdims=True) + 4)).ravel()
        yield k, smoothed


def ln_p(table, k, codes):
    """ln p of codes[k:], each given the k before it."""
    total = 0.0
    for i in range(k, len(codes)):
        total += math.log(table[int("".join(map(str, codes[i - k:i + 1])), 4)])
    return total


def two_sided(table, k, left, middle, right):
    """ln p(middle | k bases on each side, its length)."""
    transitions = table.reshape(4 ** k, 4)
    states = np.zeros(4 ** k)
    states[int("".join(map(str, left)), 4)] = 1
    for _ in middle:  # a state's oldest base leaves, and a base joins
        states = (states[:, None] * transitions).reshape(4, -1).sum(0)
    for base in right:
        kept = np.zeros((4 ** (k - 1), 4))
        kept[:, base] = (states * transitions[:, base]).reshape(4, -1).sum(0)
        states = kept.ravel()
    return ln_p(table, k, list(left) + list(middle) + list(right)) - math.log(states.sum())


def read_table(path):
    rows = [line.rstrip("\n").split("\t") for line in open(path) if line[0] != "#"]
    return [(int(row[1]), int(row[2])) for row in rows], [float(row[6]) for row in rows], [float(row[7]) for row in rows]


def compare(fasta, first, table, other=None):
    bases = read(fasta)
    codes = np.frombuffer(bases.encode().translate(bytes.maketrans(b"ACGTN", bytes(range(5)))), np.uint8)
    spans, both, left = read_table(table)
    columns = {"both flanks": both, "left flank alone": left}
    if other:
        others, columns["both flanks, other model"], _ = read_table(other)
        assert others == spans, f"{other} has other middles than {table}"
    kept = {k: table for k, table in tables(codes[:first].astype(np.int64), LEFT) if k in (BOTH, LEFT)}
    for k in (BOTH, LEFT):
        columns[f"counts of order {k}, left"] = [-ln_p(kept[k], k, codes[s - k:e].tolist()) / math.log(2) / (e - s) for s, e in spans]
    columns[f"counts of order {BOTH}, both sides"] = [
        -two_sided(kept[BOTH], BOTH, codes[s - BOTH:s].tolist(), codes[s:e].tolist(), codes[e:e + BOTH].tolist()) / math.log(2) / (e - s) for s, e in spans]
    lengths, rng = np.array([e - s for s, e in spans]), np.random.default_rng(2)
    bins = [("all", 1, 100), ("1 bp", 1, 1), ("2-4 bp", 2, 4), ("5-20 bp", 5, 20), ("21-100 bp", 21, 100)]
    print("method", *(f"{name} ({int(((lengths >= a) & (lengths <= b)).sum())})" for name, a, b in bins), sep="\t")

    def show(name, per_base):
        values = []
        for _, a, b in bins:
            chosen = np.flatnonzero((lengths >= a) & (lengths <= b))
            weights, bits = lengths[chosen], per_base[chosen] * lengths[chosen]
            draws = rng.integers(0, len(chosen), (1000, len(chosen)))
            resampled = np.sort(bits[draws].sum(1) / weights[draws].sum(1))
            values.append(f"{bits.sum() / weights.sum():.3f} [{resampled[25]:.3f}, {resampled[974]:.3f}]")
        print(name, *values, sep="\t")

    columns = {name: np.array(values) for name, values in columns.items()}
    for name, values in columns.items():
        show(name, values)
    show("both flanks - left flank alone", columns["both flanks"] - columns["left flank alone"])
    show("both flanks - counts, both sides", columns["both flanks"] - columns[f"counts of order {BOTH}, both sides"])
    if other:
        show("both flanks - other model", columns["both flanks"] - columns["both flanks, other model"])


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what == "draw":
        draw(arguments[0], arguments[1], *map(int, arguments[2:]))
    else:
        compare(arguments[0], int(arguments[1]), *arguments[2:])
