"""`bigdna dataset promoter` on the real start sites of human chr20 (EPDnew, lifted from hg38; RefSeq), every kind of negative: counts
add up, every positive is samtools' reading of its interval, synthetic negatives differ from their positive as they say, and
nothing of two splits overlaps."""
import collections
import gzip
import json
import os
import subprocess
import sys
import tempfile

data = os.environ.get("BIGDNA_DATA") or os.path.join(os.environ["BIGDNA_SOURCE_DIR"], "../shared/data")
genome = os.path.join(data, "genomes/GRCh37.chr20.fa.gz")
epd = os.path.join(data, "promoters/EPDnew_human_hg38_29598.bed.gz")
chain = os.path.join(data, "liftover/hg38ToHg19.over.chain.gz")
refseq = os.path.join(data, "annotations_hg19/RefSeqTSS.hg19.txt.gz")
if not all(map(os.path.exists, (genome, epd, chain, refseq))):
    print("SKIPPED: no real data in", data)
    sys.exit(77)
kinds = ["substitute", "permute", "shuffle", "genomic"]
pieces = 20
complement = str.maketrans("ACGTN", "TGCAN")


def records(text):
    """Names and bases of a FASTA text; names may occur twice."""
    return [(record.split("\n", 1)[0].split()[0], "".join(record.split("\n")[1:]).upper()) for record in text.split(">")[1:]]


def rows_of(path):
    with gzip.open(path, "rt") as file:
        return [line.rstrip("\n").split("\t") for line in file if line[0] != "#"]


def check(folder, start_sites, length):
    with open(f"{folder}/dataset.json") as file:
        details = json.load(file)
    rows = rows_of(f"{folder}/regions.bed.gz")
    with gzip.open(f"{folder}/sequences.fa.gz", "rt") as file:
        written = records(file.read())
    assert [row[3] for row in rows] == [name for name, _ in written]
    sequences = dict(written)
    assert all(int(row[2]) - int(row[1]) == length == len(sequences[row[3]]) for row in rows)

    positives = [row for row in rows if row[7] == "promoter"]
    with open(f"{folder}/dropped.tsv") as file:
        dropped = collections.Counter(line.rstrip("\n").split("\t")[-1] for line in file if line[0] != "#")
    assert dropped == details["dropped"], (dropped, details["dropped"])
    assert details["start_sites_read"] == start_sites == len(positives) + sum(dropped.values())

    # a positive, and a real negative, is its interval as samtools reads it
    real = [row for row in rows if row[7] in ("promoter", "genomic")]
    with tempfile.NamedTemporaryFile("w") as regions:
        regions.writelines(f"{row[0]}:{int(row[1]) + 1}-{row[2]}\n" for row in real)
        regions.flush()
        text = subprocess.run(["samtools", "faidx", genome, "-r", regions.name], check=True, capture_output=True, text=True).stdout
    read = records(text)
    assert len(read) == len(real)
    for row, (_, bases) in zip(real, read):
        assert sequences[row[3]] == (bases if row[5] == "+" else bases.translate(complement)[::-1]), row

    # synthetic negatives: 12 of 20 pieces changed, 8 as they were
    bounds = [length * i // pieces for i in range(pieces + 1)]
    for row in rows:
        if row[7] not in ("substitute", "permute", "shuffle"):
            continue
        origin, changed = sequences[row[3].rsplit("/", 1)[0]], sequences[row[3]]
        before, after = ([s[a:b] for a, b in zip(bounds, bounds[1:])] for s in (origin, changed))
        moved = [i for i in range(pieces) if before[i] != after[i]]
        # repeats may look alike after the change: only then fewer than 12 differ
        assert len(moved) <= 12, (row, len(moved))
        alike[row[7]] += len(moved) < 12
        if row[7] == "permute":
            assert collections.Counter(before) == collections.Counter(after), row
        if row[7] == "shuffle":
            assert all(sorted(before[i]) == sorted(after[i]) for i in moved), row

    # a negative is in its promoter's split, and no interval of one split overlaps another's
    split = {row[3]: row[6] for row in rows}
    assert all(row[7] == "promoter" or row[6] == split[row[3].rsplit("/", 1)[0]] for row in rows)
    reach = {}
    for row in sorted(rows, key=lambda row: (row[0], int(row[1]))):
        for other, end in reach.items():
            assert other[0] != row[0] or other[1] == row[6] or end <= int(row[1]), row
        key = row[0], row[6]
        reach[key] = max(reach.get(key, 0), int(row[2]))
    return details


alike, summary = collections.Counter(), []
with tempfile.TemporaryDirectory() as folder:
    sites = f"{folder}/refseq.bed"
    with gzip.open(refseq, "rt") as source, open(sites, "w") as file:
        for line in source:
            contig, position, strand = line.split()[:3]
            if contig == "chr20":
                file.write(f"{contig}\t{position}\t{int(position) + 1}\t.\t0\t{strand}\n")
    counts = {epd: sum(1 for _ in gzip.open(epd, "rt")), sites: sum(1 for _ in open(sites))}
    for promoters, further in ((epd, ["--chain", chain]), (sites, [])):
        for upstream, downstream in ((5000, 3000), (249, 51)):
            out = f"{folder}/dataset"
            subprocess.run([os.environ["BIGDNA"], "dataset", "promoter", "--promoters", promoters, *further, "-g", genome, "--upstream", str(upstream),
                            "--downstream", str(downstream), *[word for kind in kinds for word in ("--negatives", kind)], "-o", out, "--force", "--quiet"], check=True)
            details = check(out, counts[promoters], upstream + downstream)
            rows = {split: sum(kinds.values()) for split, kinds in details["rows"].items()}
            summary.append(f"{os.path.basename(promoters)}, {upstream + downstream} bp: {counts[promoters]} start sites, dropped {dict(details['dropped'])}, rows {rows}")
            synthetic = sum(n for split in details["rows"].values() for kind, n in split.items() if kind in ("substitute", "permute", "shuffle"))
            assert sum(alike.values()) <= synthetic / 100, alike
print(*summary, f"synthetic negatives with a changed piece that looks as before: {dict(alike)}", sep="\n")
