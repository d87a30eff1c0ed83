"""De novo motifs and hits of the human model against ChIP-seq summits, scanning with the known motif, and TF-MoDISco.

    de_novo.py FOLDER JASPAR [--data DIR] [--model MODEL] [--options '--method gradient --strands forward'] [--modisco modisco]

FOLDER gets everything; steps whose files exist are not repeated. JASPAR: its vertebrate motifs, in its format of counts. Needs NumPy;
MOODS-python checks the scan, and modisco-lite, h5py and memelite are compared with, where they are installed. Regions: 400 bp on
held-out chromosome 20, 50-63 Mb, half of them around summits of the three factors, half around summits of DNase peaks elsewhere.
"""

import argparse
import gzip
import random
import shlex
import subprocess
import time
from pathlib import Path

import numpy as np

FACTORS = {  # feature's index in features.tsv, known motif, peaks
    "CTCF": (27, "MA0139.2", "encode_hg19/GM12878.CTCF.ENCFF833FTF.narrowPeak.gz"),
    "SPI1": (9, "MA0080.7", "dream_tf_hg19/ChIPseq.GM12878.SPI1.conservative.train.narrowPeak.gz"),
    "CEBPB": (17, "MA0466.4", "dream_tf_hg19/ChIPseq.K562.CEBPB.conservative.train.narrowPeak.gz"),
}
DNASE = ["GM12878.DNase.ENCFF097LEF", "coad.DNase.ENCFF882CST", "kidney.DNase.ENCFF732RRW"]
LOW, HIGH, HALF, NEAR = 50_000_000, 63_000_000, 200, 50  # NEAR: bp from a call's middle to the summit that it finds

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("jaspar", type=Path)
parser.add_argument("--data", type=Path, default=Path("../shared/data"))
parser.add_argument("--model", default="human-chr20-chrX")
parser.add_argument("--bigdna", default="build/bin/bigdna")
parser.add_argument("--options", default="--method gradient --strands forward")
parser.add_argument("--regions", type=int, default=600)
parser.add_argument("--modisco", default="")
arguments = parser.parse_args()
folder = arguments.folder
folder.mkdir(exist_ok=True, parents=True)
genome = arguments.data / "genomes/GRCh37.chr20.fa.gz"


def run(*command):
    start = time.time()
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True)
    print(f"  {time.time() - start:.0f} s", flush=True)


def summits(name):
    found = set()
    with gzip.open(arguments.data / "chromatin" / name, "rt") as lines:
        for line in lines:
            fields = line.split("\t")
            start, end, peak = int(fields[1]), int(fields[2]), int(fields[9])
            at = start + peak if peak >= 0 else (start + end) // 2
            if fields[0] == "chr20" and LOW + HALF <= at < HIGH - HALF:
                found.add(at)
    return sorted(found)


SUMMITS = {factor: np.array(summits(row[2])) for factor, row in FACTORS.items()}


def write_regions(path):
    draw, chosen = random.Random(1), []
    free = lambda at: all(abs(at - other) >= 2 * HALF for other, _ in chosen)
    for factor in FACTORS:
        places = list(SUMMITS[factor])
        draw.shuffle(places)
        for at in [at for at in places if free(at)]:
            if sum(kind == factor for _, kind in chosen) < arguments.regions // 6 and free(at):
                chosen.append((int(at), factor))
    peaks = np.concatenate(list(SUMMITS.values()))
    open_places = sorted({at for name in DNASE for at in summits(f"encode_hg19/{name}.narrowPeak.gz")})
    draw.shuffle(open_places)
    for at in open_places:
        if sum(kind == "open" for _, kind in chosen) < arguments.regions // 2 and free(at) and np.abs(peaks - at).min() >= 2 * HALF:
            chosen.append((at, "open"))
    with open(path, "w") as bed:
        for at, kind in sorted(chosen):
            print("chr20", at - HALF, at + HALF, f"{kind}_{at}", sep="\t", file=bed)


def read_jaspar():
    motifs, name = {}, None
    for line in open(arguments.jaspar):
        if line.startswith(">"):
            name = line.split()[0][1:]
            motifs[name] = []
        elif line.strip():
            motifs[name].append([float(x) for x in line.split("[")[1].split("]")[0].split()])
    return {name: np.array(rows) for name, rows in motifs.items()}


def log_odds(counts, background):
    share = counts + background[:, None]  # one pseudocount for a column
    return np.log2(share / share.sum(0) / background[:, None])


def threshold(matrix, background, p):
    """The least score that random bases reach with a probability up to p, in steps of 0.001 bits."""
    steps = np.rint(matrix * 1000).astype(int)
    low = steps.min(0)
    chances = np.ones(1)
    for i in range(matrix.shape[1]):
        following = np.zeros(len(chances) + steps[:, i].max() - low[i])
        for base in range(4):
            at = steps[base, i] - low[i]
            following[at : at + len(chances)] += background[base] * chances
        chances = following
    above = np.cumsum(chances[::-1])[::-1]
    return (np.argmax(above <= p) + low.sum()) / 1000


regions_bed = folder / "regions.bed"
if not regions_bed.exists():
    write_regions(regions_bed)
regions = [line.split() for line in open(regions_bed)]
regions = [(int(line[1]), int(line[2]), line[3]) for line in regions]
starts = np.array([start for start, _, _ in regions])
text = "".join(line.strip() for line in gzip.open(genome, "rt") if line[0] != ">").upper()
codes = [np.array(["ACGTN".index(base) for base in text[start:end]]) for start, end, _ in regions]
share = np.bincount(np.concatenate(codes), minlength=5)[:4].astype(float)
background = (share + share[::-1]) / (2 * share.sum())
inside = {factor: [at for at in SUMMITS[factor] if any(start <= at < end for start, end, _ in regions)] for factor in FACTORS}
for factor in FACTORS:
    print(f"{factor}: {len(SUMMITS[factor])} summits held out, {len(inside[factor])} in {len(regions)} regions")

# De novo motifs and hits.
features = ",".join(str(row[0]) for row in FACTORS.values())
options = shlex.split(arguments.options)
if not (folder / "dn.meme").exists():
    run(arguments.bigdna, "motifs", arguments.model, "-R", regions_bed, "-g", genome, "--de-novo", "--features", features, *options,
        "--known", arguments.jaspar, "--table", folder / "dn.tsv", "--matches", folder / "dn.matches.tsv", "--hits", folder / "dn.hits.bed",
        "--max-q", "1", "--pictures", folder / "logos", "-o", folder / "dn.meme")
if not (folder / "chromatin.tsv").exists():
    with open(folder / "bins.bed", "w") as bed:
        for start, end, name in regions:
            print("chr20", (start + end) // 2 - 100, (start + end) // 2 + 100, name, sep="\t", file=bed)
    run(arguments.bigdna, "chromatin", arguments.model, folder / "bins.bed", "-g", genome, "--features", features, "-o", folder / "chromatin.tsv")


def rows(path):
    lines = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("##")]
    return [dict(zip([name.lstrip("#") for name in lines[0]], line)) for line in lines[1:]]


table = rows(folder / "dn.tsv")
matches = rows(folder / "dn.matches.tsv")
hits = rows(folder / "dn.hits.bed")
columns = [line for line in open(folder / "chromatin.tsv") if not line.startswith("##")][0].rstrip("\n").split("\t")
feature_names = columns[-3:]  # in the order of their indices
by_index = dict(zip(sorted(row[0] for row in FACTORS.values()), feature_names))
print("\nmotif\tseqlets\tregions\thits with q <= 0.1\tconsensus\tbits\tbest known\te")
for row in table:
    good = sum(hit["name"] == row["motif"] and float(hit["q"]) <= 0.1 for hit in hits)
    print(row["motif"], row["seqlets"], row["regions"], good, row["consensus"], row["information"], f"{row['known']} {row['known_name']}", row["e"], sep="\t")


def own_motif(factor):
    """The positive motif of the factor's feature that is most like its known motif, else the first."""
    mine = [row["motif"] for row in table if row["feature"] == by_index[FACTORS[factor][0]] and "_pos" in row["motif"]]
    like = {row["motif"]: float(row["p"]) for row in matches if row["known"] == FACTORS[factor][1] and row["motif"] in mine}
    return min(like, key=like.get) if like else (mine[0] if mine else None), like


def scan(factor):
    """Calls (score, middle, region) of the known motif: all places with p <= 1e-3 on either strand that overlap no better one by half."""
    matrix = log_odds(read_jaspar()[FACTORS[factor][1]], background)
    least, strict = threshold(matrix, background, 1e-3), threshold(matrix, background, 1e-4)
    width, calls, places = matrix.shape[1], [], 0
    for region, code in enumerate(codes):
        found = []
        for strand in (matrix, matrix[::-1, ::-1]):
            padded = np.vstack([strand, np.full(width, -100.0)])
            for at in range(len(code) - width + 1):
                score = padded[code[at : at + width], np.arange(width)].sum()
                places += score >= strict
                if score >= least:
                    found.append((score, at))
        taken = []
        for score, at in sorted(found, reverse=True):
            if all(abs(at - other) >= (width + 1) // 2 for other in taken):
                taken.append(at)
                calls.append((score, regions[region][0] + at + width / 2, region))
    try:
        import MOODS.scan
        import MOODS.tools
        rows_of = [list(row) for row in matrix]
        moods = 0
        for m in (rows_of, MOODS.tools.reverse_complement(rows_of)):
            for start, end, _ in regions:
                moods += len(MOODS.scan.scan_dna(text[start:end], [m], list(background), [strict], 7)[0])
        print(f"{factor}: {FACTORS[factor][1]}, {places} places with p <= 1e-4 ({strict:.2f} bits), MOODS finds {moods}")
    except ImportError:
        print(f"{factor}: {places} places with p <= 1e-4; MOODS is not installed")
    return sorted(calls, reverse=True)


def of_hits(motif):
    names = {name: i for i, (_, _, name) in enumerate(regions)}
    calls = []
    for hit in hits:
        if hit["name"] == motif:
            score = float(hit["bits"]) + np.log2(float(hit["coefficient"]))
            calls.append((score, (int(hit["start"]) + int(hit["end"])) / 2, names[hit["region"]]))
    return sorted(calls, reverse=True)


def quality(calls, factor, count, kept=None):
    """Precision and recall of the first `count` calls; `kept`: how often each region counts."""
    kept = np.ones(len(regions)) if kept is None else kept
    found, right, all_calls = {}, 0.0, 0.0
    for score, middle, region in calls:
        if all_calls >= count:
            break
        if kept[region] == 0:
            continue
        near = [at for at in inside[factor] if abs(at - middle) <= NEAR]
        right += kept[region] * bool(near)
        all_calls += kept[region]
        for at in near:
            found[at] = True
    region_of = {at: next(i for i, (start, end, _) in enumerate(regions) if start <= at < end) for at in inside[factor]}
    there = sum(kept[region_of[at]] for at in inside[factor])
    return right / max(all_calls, 1), sum(kept[region_of[at]] for at in found) / max(there, 1)


def auroc(scores, labels):
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    for value in np.unique(scores):
        same = scores == value
        ranks[same] = ranks[same].mean()
    positive = labels.sum()
    return (ranks[labels].sum() - positive * (positive + 1) / 2) / (positive * (len(labels) - positive))


def auprc(scores, labels):
    order = np.argsort(-scores, kind="stable")
    right = labels[order]
    return (np.cumsum(right) / np.arange(1, len(right) + 1))[right].mean()


def moved(calls, seed):
    draw = random.Random(seed)
    return [(score, regions[region][0] + draw.uniform(6, 2 * HALF - 6), region) for score, middle, region in calls]


probabilities = rows(folder / "chromatin.tsv")
draw = np.random.default_rng(1)
print("\nfactor\tmotif\tcalls\tmethod\tprecision\trecall")
for factor in FACTORS:
    motif, _ = own_motif(factor)
    known, own = scan(factor), of_hits(motif) if motif else []
    with_q = sum(hit["name"] == motif and float(hit["q"]) <= 0.1 for hit in hits)
    for count in sorted({len(inside[factor]) // 2, len(inside[factor]), with_q} - {0}):
        for method, calls in (("hits", own), ("scan", known), ("hits, moved", moved(own, 1)), ("scan, moved", moved(known, 1))):
            print(factor, motif, count, method, *(f"{x:.3f}" for x in quality(calls, factor, count)), sep="\t")
        differences = []
        for _ in range(500):
            kept = np.bincount(draw.integers(len(regions), size=len(regions)), minlength=len(regions)).astype(float)
            differences.append(np.subtract(quality(own, factor, count, kept), quality(known, factor, count, kept)))
        low, high = np.percentile(differences, [2.5, 97.5], axis=0)
        print(factor, motif, count, "hits - scan", f"[{low[0]:+.3f}, {high[0]:+.3f}]", f"[{low[1]:+.3f}, {high[1]:+.3f}]", sep="\t")
    labels = np.array([any(start <= at < end for at in inside[factor]) for start, end, _ in regions])
    best = {}
    for method, calls in (("hits", own), ("scan", known)):
        scores = np.full(len(regions), -99.0)
        for score, _, region in calls:
            scores[region] = max(scores[region], score)
        best[method] = scores
    best["prediction"] = np.array([float(row[by_index[FACTORS[factor][0]]]) for row in probabilities])
    shuffled = draw.permutation(labels)
    print(f"{factor}, regions with a summit: {labels.sum()} of {len(labels)}; best call of each region, AUROC, AUPRC (labels shuffled):")
    for method, scores in best.items():
        print(f"  {method}\t{auroc(scores, labels):.3f}\t{auprc(scores, labels):.3f}\t({auroc(scores, shuffled):.3f}\t{auprc(scores, shuffled):.3f})")

if arguments.modisco:
    import h5py
    from memelite import tomtom
    known = read_jaspar()
    for factor, (index, name, _) in FACTORS.items():
        prefix = folder / f"modisco.{factor}"
        if not Path(f"{prefix}.attributions.npz").exists():
            run(arguments.bigdna, "explain", arguments.model, "-R", regions_bed, "-g", genome, "--features", index, *options, "--modisco", prefix, "-o", "/dev/null")
        if not Path(f"{prefix}.h5").exists():
            run(arguments.modisco, "motifs", "-s", f"{prefix}.sequences.npz", "-a", f"{prefix}.attributions.npz", "-n", "2000", "-w", 2 * HALF, "-o", f"{prefix}.h5")
        with h5py.File(f"{prefix}.h5") as file:
            for sign in ("pos_patterns", "neg_patterns"):
                for pattern in file.get(sign, {}):
                    group = file[sign][pattern]
                    frequencies = group["sequence"][:]
                    count = group["seqlets"]["n_seqlets"][0] if "n_seqlets" in group["seqlets"] else len(group["seqlets"]["start"])
                    entropy = -(frequencies * np.log2(frequencies + 1e-9)).sum(1)
                    says = np.flatnonzero(2 - entropy >= 0.4)
                    part = frequencies[says[0] : says[-1] + 1] if len(says) else frequencies
                    p = tomtom([part.T], [(m / m.sum(0)) for m in known.values()])[0][0]
                    best = int(np.argmin(p))
                    consensus = "".join("ACGT"[base] for base in part.argmax(1))
                    print(factor, sign, pattern, count, consensus, list(known)[best], f"{p[best]:.2g}", "own:", f"{p[list(known).index(name)]:.2g}", sep="\t")
