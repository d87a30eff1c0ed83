#!/usr/bin/env python3
"""Makes the simulated genome and the annotations of test-data/, where every signal is planted and so the truth known.

usage: make_test_data.py FOLDER

Standard library only, and only random.random(), whose sequence Python guarantees: any Python 3 makes the same
content on any machine (compressed files may differ in their bytes with zlib's version, not in what they hold).
README.md says what is in each file.
"""

import gzip
import random
import struct
import sys
import zlib
from pathlib import Path

SEED = 20201217
BASES = "ACGT"
COMPLEMENT = str.maketrans("ACGTacgt", "TGCAtgca")

# name, length, gene-rich share: start sites are planted in the first share of a contig, the rest is desert
CONTIGS = [
    ("chr1", 420_000, 0.62),
    ("chr2", 280_000, 0.60),
    ("chr3", 180_000, 0.60),
    ("chrX", 120_000, 0.55),
    ("chr2_SIM1v1_alt", 30_000, 0.0),
    ("chrUn_SIM2v1", 12_000, 0.0),
    ("chrM", 16_000, 0.0),
]
N_RUNS = [("chr1", 0, 4_000), ("chr1", 300_000, 312_000), ("chr2", 150_000, 150_700), ("chr3", 178_500, 180_000), ("chrX", 60_000, 60_001)]
LONG_COPY = ("chr1", 330_000, "chr2", 200_000, 20_000)  # from, to, bases: 1 % of them differ

TATA, INITIATOR, DPE = "TATAAAAG", "TCAGTCTT", "AGACGTGC"  # at -31, -2 and +28 of a start site
MOTIFS = {"CTCF": "CCACNAGGTGGCAG", "AP1": "TGACTCATNC"}
SITES = {"CTCF": 220, "AP1": 200}


class Dice:
    """Draws from random.random() alone."""

    def __init__(self, key):
        self.random = random.Random(f"{SEED} {key}").random

    def below(self, bound):
        return int(self.random() * bound)

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def chance(self, probability):
        return self.random() < probability

    def pick(self, items):
        return items[self.below(len(items))]


def reverse_complement(bases):
    return bases.translate(COMPLEMENT)[::-1]


def markov(dice, length, gc, cpg):
    """Bases with a GC content near `gc`; `cpg`: how often the G after a C stays one (1: no depletion)."""
    out, last = [], "A"
    at = (1 - gc) / 2
    for _ in range(length):
        draw = dice.random()
        base = "A" if draw < at else "T" if draw < 2 * at else "C" if draw < 2 * at + gc / 2 else "G"
        if last == "C" and base == "G" and not dice.chance(cpg):
            base = "A"
        out.append(base)
        last = base
    return out


def mutate(dice, bases, rate):
    return "".join(dice.pick(BASES) if dice.chance(rate) else base for base in bases)


def filled(dice, motif):
    return "".join(dice.pick(BASES) if base == "N" else base for base in motif)


class Genome:
    def __init__(self):
        self.sequence = {}  # contig -> list of bases
        self.taken = {}  # contig -> list of (start, end): nothing is planted across them
        self.truth = []  # (contig, start, end, name, score, strand, kind)

    def note(self, contig, start, end, name, score, strand, kind):
        self.truth.append((contig, start, end, name, score, strand, kind))

    def put(self, contig, start, bases):
        self.sequence[contig][start : start + len(bases)] = bases

    def free(self, contig, start, end):
        return start >= 0 and end <= len(self.sequence[contig]) and all(end <= a or b <= start for a, b in self.taken[contig])

    def take(self, contig, start, end):
        self.taken[contig].append((start, end))


def compose(genome):
    """Composition domains of 15 to 45 kb, GC 34 to 56 %, with human-like CpG depletion."""
    for contig, length, _ in CONTIGS:
        dice = Dice(f"domains {contig}")
        bases = []
        while len(bases) < length:
            size = min(length - len(bases), dice.between(15_000, 45_000))
            gc = 0.44 if contig == "chrM" else 0.34 + 0.22 * dice.random() ** 2
            genome.note(contig, len(bases), len(bases) + size, f"gc{round(100 * gc)}", round(1000 * gc), ".", "domain")
            bases += markov(dice, size, gc, 0.25)
        genome.sequence[contig] = bases
        genome.taken[contig] = [(start, end) for name, start, end in N_RUNS if name == contig]
    source, start, target, to, size = LONG_COPY
    genome.take(source, start, start + size)
    genome.take(target, to, to + size)


def scatter_repeats(genome):
    """Families of interspersed repeats, soft-masked, 4 to 22 % diverged, on both strands, and CA microsatellites."""
    dice = Dice("repeats")
    families = [(name, "".join(markov(dice, length, gc, 1.0)), length, whole) for name, length, gc, whole in
                [("SINE1", 300, 0.60, 0.8), ("SINE2", 180, 0.50, 0.8), ("LINE1", 1800, 0.42, 0.1), ("DNA1", 450, 0.38, 0.4)]]
    for contig, length, _ in CONTIGS:
        if contig == "chrM":
            continue
        covered = 0
        while covered < 0.3 * length:
            if dice.chance(0.1):
                name, strand, bases = "CA", ".", "CA" * dice.between(10, 40)
            else:
                name, consensus, size, whole = dice.pick(families)
                part = size if dice.chance(whole) else dice.between(100, size)
                strand = dice.pick("+-")
                bases = mutate(dice, consensus[size - part :], 0.04 + 0.18 * dice.random())
                if strand == "-":
                    bases = reverse_complement(bases)
            start = dice.below(length - len(bases))
            covered += len(bases)
            if not genome.free(contig, start, start + len(bases)):
                continue
            genome.put(contig, start, bases.lower())
            genome.note(contig, start, start + len(bases), name, 0, strand, "repeat")


def plant_promoters(genome):
    """Start sites every 2 to 4 kb of the gene-rich parts: a CpG island around each, Inr and DPE, a TATA box in half."""
    dice, sites = Dice("promoters"), []
    for contig, length, rich in CONTIGS:
        position = 6_000
        while (position := position + dice.between(2_000, 4_000)) < rich * length:
            if not genome.free(contig, position - 700, position + 700):
                continue
            island = markov(dice, 1_100, 0.66, 1.0)
            start = 600  # of the start site within the island, on its own strand
            has_tata = dice.chance(0.5)
            elements = [(start - 2, INITIATOR, "Inr"), (start + 28, DPE, "DPE")] + [(start - 31, TATA, "TATA")] * has_tata
            for offset, bases, _ in elements:
                island[offset : offset + len(bases)] = bases
            strand = dice.pick("+-")
            left = position - start if strand == "+" else position - (len(island) - 1 - start)
            text = "".join(island)
            genome.put(contig, left, text if strand == "+" else reverse_complement(text))
            genome.take(contig, left, left + len(island))
            name = f"SIM{len(sites) + 1:04d}"
            sites.append((contig, position, position + 1, name, 1000 if has_tata else 500, strand))
            genome.note(contig, left, left + len(island), name, 0, strand, "island")
            for offset, bases, kind in elements:
                first = left + offset if strand == "+" else left + len(island) - offset - len(bases)
                genome.note(contig, first, first + len(bases), f"{name}.{kind}", 0, strand, kind)
    return sites


def plant_motifs(genome):
    """Sites of each motif, at least 200 bp from the next planted thing; in a fifth of them one base is drawn again."""
    sites = {}
    for motif, consensus in MOTIFS.items():
        dice, sites[motif] = Dice(f"motif {motif}"), []
        while len(sites[motif]) < SITES[motif]:
            contig, length, _ = CONTIGS[0] if dice.chance(0.45) else dice.pick(CONTIGS[1:4])
            start = dice.below(length - 1_000) + 500
            if not genome.free(contig, start - 200, start + 200):
                continue
            bases = filled(dice, consensus)
            if dice.chance(0.2):
                at = dice.below(len(bases))
                bases = bases[:at] + dice.pick(BASES) + bases[at + 1 :]
            strand = dice.pick("+-")
            genome.put(contig, start, bases if strand == "+" else reverse_complement(bases))
            genome.take(contig, start - 200, start + 200)
            sites[motif].append((contig, start, start + len(bases), strand))
            genome.note(contig, start, start + len(bases), motif, 0, strand, "motif")
    return sites


def finish(genome):
    """The long copy, rare IUPAC codes, and the N runs over everything."""
    dice = Dice("finish")
    source, start, target, to, size = LONG_COPY
    copied = "".join(genome.sequence[source][start : start + size])
    genome.put(target, to, mutate(dice, copied.upper(), 0.0133))  # a quarter of the draws gives the same base
    genome.note(source, start, start + size, "copy1", 0, "+", "copy_source")
    genome.note(target, to, to + size, "copy1", 0, "+", "copy")
    for contig, length, _ in CONTIGS[:5]:
        for _ in range(8):
            genome.put(contig, dice.below(length), dice.pick("RYSWKMBDHVry"))
    for contig, start, end in N_RUNS:
        genome.put(contig, start, "N" * (end - start))
        genome.note(contig, start, end, "N", 0, ".", "gap")


def peaks(genome, starts, motifs):
    """Three tracks: TF = each CTCF site; DHS = each AP1 site and 7 of 10 promoters; HM = 9 of 10 promoters, broad."""
    dice = Dice("peaks")
    tf, dhs, hm = [], [], []
    for contig, start, end, _ in motifs["CTCF"]:
        left = start - dice.between(80, 120)
        tf.append((contig, left, left + dice.between(210, 240), (start + end) // 2))
    for contig, start, end, _ in motifs["AP1"]:
        left = start - dice.between(60, 90)
        dhs.append((contig, left, left + 150 + dice.below(20), (start + end) // 2))
    for contig, start, _, _, _, _ in starts:
        if dice.chance(0.7):
            left = start - dice.between(70, 100)
            dhs.append((contig, left, left + 160, start))
        if dice.chance(0.9):
            hm.append((contig, start - dice.between(400, 600), start + dice.between(400, 600), start))
    hm += [("chr7_absent", 1_000, 2_000, 1_500), ("chr7_absent", 5_000, 6_000, 5_500)]  # a contig the genome lacks
    return {"tf.narrowPeak": sorted(tf), "dhs.narrowPeak.gz": sorted(dhs), "hm.broadPeak": sorted(hm)}


def write_text(path, text):
    if path.suffix == ".gz":
        with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
            file.write(text.encode())
    else:
        path.write_text(text)


def write_bgzf(path, data):
    """BGZF (SAM specification, section 4.1): gzip members of at most 64 kB that carry their size, and an empty one."""
    with open(path, "wb") as file:
        for start in [*range(0, len(data), 65_280), len(data)]:
            block = data[start : start + 65_280]
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            packed = packer.compress(block) + packer.flush()
            file.write(struct.pack("<4BI2BH2BHH", 31, 139, 8, 4, 0, 0, 255, 6, 66, 67, 2, len(packed) + 25))
            file.write(packed + struct.pack("<2I", zlib.crc32(block), len(block)))


def atac_fragments(genome, dhs):
    """Fragments of an ATAC-seq experiment: 30 in each DHS peak, and one in 400 bp elsewhere; 40 to 300 bp long. Sorted."""
    dice, fragments = Dice("fragments"), []
    for contig, start, end, _ in dhs:
        for _ in range(30):
            left = start + dice.below(end - start) - 60
            fragments.append((contig, left, left + dice.between(40, 120)))
    for contig, length, _ in CONTIGS[:4]:
        for _ in range(length // 400):
            left = 1_000 + dice.below(length - 2_000)
            fragments.append((contig, left, left + dice.between(40, 300)))
    order = {contig: i for i, (contig, _, _) in enumerate(CONTIGS)}
    return sorted(fragments, key=lambda row: (order[row[0]], *row[1:]))


def bam_of_pairs(fragments):
    """BAM (SAM specification, section 4.2): of each fragment two reads of up to 40 bp, which face each other, without
    bases and qualities; sorted by position."""
    header = "@HD\tVN:1.6\tSO:coordinate\n" + "".join(f"@SQ\tSN:{contig}\tLN:{length}\n" for contig, length, _ in CONTIGS)
    data = [b"BAM\1", struct.pack("<i", len(header)), header.encode(), struct.pack("<i", len(CONTIGS))]
    for contig, length, _ in CONTIGS:
        data.append(struct.pack("<i", len(contig) + 1) + contig.encode() + b"\0" + struct.pack("<i", length))
    number = {contig: i for i, (contig, _, _) in enumerate(CONTIGS)}
    records = []
    for i, (contig, start, end) in enumerate(fragments):
        size, name = min(40, end - start), f"f{i}".encode() + b"\0"
        for position, mate, flag, length in ((start, end - size, 99, end - start), (end - size, start, 147, start - end)):
            fixed = struct.pack("<iiBBHHHiiii", number[contig], position, len(name), 60, 0, 1, flag, 0, number[contig], mate, length)
            record = fixed + name + struct.pack("<I", size << 4)  # CIGAR: all bases match
            records.append((number[contig], position, i, struct.pack("<i", len(record)) + record))
    return b"".join(data) + b"".join(record for *_, record in sorted(records))


def table(rows, header=""):
    return header + "".join("\t".join(str(value) for value in row) + "\n" for row in rows)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    genome = Genome()
    compose(genome)
    scatter_repeats(genome)
    starts = plant_promoters(genome)
    motifs = plant_motifs(genome)
    finish(genome)

    fasta = []
    for contig, length, _ in CONTIGS:
        bases = "".join(genome.sequence[contig])
        assert len(bases) == length
        fasta.append(f">{contig} simulated\n" + "".join(bases[i : i + 60] + "\n" for i in range(0, length, 60)))
    write_bgzf(folder / "genome.fa.gz", "".join(fasta).encode())
    write_text(folder / "tss.bed", table(starts))
    order = {contig: i for i, (contig, _, _) in enumerate(CONTIGS)}
    truth = sorted(genome.truth, key=lambda row: (order[row[0]], row[1:]))
    write_text(folder / "truth.bed.gz", table(truth, "#chrom\tstart\tend\tname\tscore\tstrand\tkind\n"))
    tracks = peaks(genome, starts, motifs)
    write_bgzf(folder / "atac.bam", bam_of_pairs(atac_fragments(genome, tracks["dhs.narrowPeak.gz"])))
    write_text(folder / "tracks.tsv", table([("file", "name", "cell", "assay", "group", "count", "unit"),
                                             ("atac.bam", "ATAC", "SimCell", "ATAC-seq", "ATAC", "cuts", "fragments")]))
    for name, rows in tracks.items():
        write_text(folder / name, table((c, start, end, ".", 1000, ".", 10, -1, -1, *([] if "broad" in name else [summit - start]))
                                        for c, start, end, summit in rows))
    write_text(folder / "peaks.tsv", table([("file", "name", "cell", "assay", "group"),
                                            ("tf.narrowPeak", "CTCF", "SimCell", "ChIP-seq", "TF"),
                                            ("dhs.narrowPeak.gz", "DNase", "SimCell", "DNase-seq", "DHS"),
                                            ("hm.broadPeak", "H3K4me3", "SimCell", "ChIP-seq", "HM")]))

    dice = Dice("regions")
    regions = [(c, s, s + dice.between(150, 2_500), f"region{i + 1}", i, dice.pick("+-."), f"extra{i}") for i, (c, s) in
               enumerate((dice.pick(["chr1", "chr3", "chr2"]), dice.below(170_000)) for _ in range(24))]
    regions += [("chr1", 2_500, 4_500, "part_N", 0, "+", "x"), ("chr1", 500, 1_500, "all_N", 0, "-", "x"),
                ("chr3", 176_000, 180_000, "to_the_end", 0, "+", "x")]
    write_text(folder / "regions.bed", "# regions to predict, out of order on purpose\n" + table(regions))

    records = []
    for i, (contig, start, _, name, _, strand) in enumerate(starts[:: len(starts) // 6]):
        bases = "".join(genome.sequence[contig][start - 999 : start + 1_000])
        records.append((f"{name} promoter", bases if strand == "+" else reverse_complement(bases)))
        desert = 280_000 + 2_500 * i
        records.append((f"desert{i + 1} chr1:{desert + 1}-{desert + 2_000}", "".join(genome.sequence["chr1"][desert : desert + 2_000])))
    write_text(folder / "records.fa", "".join(f">{name}\n{bases}\n" for name, bases in records))


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main()
