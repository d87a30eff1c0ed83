"""What the measurements of alleles share: VCF files, effects by bigdna, counts of k-mers, AUROC and its interval."""
import csv
import subprocess

import numpy as np
from scipy.stats import rankdata

COMPLEMENT = str.maketrans("ACGTN", "TGCAN")


def reverse_complement(bases):
    return bases.translate(COMPLEMENT)[::-1]


def read_sequence(genome, region):
    """Upper-case bases of a region (contig or contig:first-last, from 1) of an indexed FASTA."""
    text = subprocess.run(["samtools", "faidx", genome, region], check=True, capture_output=True, text=True).stdout
    return "".join(text.split("\n")[1:]).upper()


def write_vcf(path, alleles):
    """alleles: (contig, position from 1, REF, ALT), in the genome's order. Allele i has the ID v<i>."""
    with open(path, "w") as file:
        file.write("##fileformat=VCFv4.2\n")
        for contig in dict.fromkeys(allele[0] for allele in alleles):
            file.write(f"##contig=<ID={contig}>\n")
        file.write("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
        for index, (contig, position, ref, alt) in enumerate(alleles):
            file.write(f"{contig}\t{position}\tv{index}\t{ref}\t{alt}\t.\t.\t.\n")


def effects(bigdna, model, vcf, genome, effect, table, threads, count):
    """[count, columns]: each column of `bigdna variants` that the effect has. Every allele must have a value."""
    subprocess.run([bigdna, "variants", model, vcf, "-g", genome, "--effects", effect, "--header", "plain", "-o", table, "-@", str(threads),
                    "--quiet", "--resume"], check=True)
    with open(table) as file:
        reader = csv.DictReader(file, delimiter="\t")
        rows = list(reader)
        columns = [name for name in reader.fieldnames if name.split(":")[0] == effect]
    values = np.full((count, len(columns)), np.nan)
    for row in rows:
        values[int(row["name"][1:])] = [float(row[name]) for name in columns]
    assert columns and not np.isnan(values).any(), "an allele has no effect"
    return values


class KmerCounts:
    """Counts of k-mers on both strands of sequences; k-mers with an N are left out."""

    def __init__(self, sequences, k):
        self.k = k
        self.counts = np.zeros(4**k, np.int64)
        codes = np.full(256, -1, np.int64)
        codes[np.frombuffer(b"ACGT", np.uint8)] = range(4)
        for sequence in sequences:
            for strand in (sequence, reverse_complement(sequence)):
                bases = codes[np.frombuffer(strand.encode(), np.uint8)]
                number = np.zeros(len(bases) - k + 1, np.int64)
                known = np.ones(len(number), bool)
                for i in range(k):
                    part = bases[i : i + len(number)]
                    number = number * 4 + part
                    known &= part >= 0
                self.counts += np.bincount(number[known], minlength=4**k)

    def ratio(self, around, alt):
        """ln of the ratio of the counts (plus a half) of the k-mers whose middle is ALT and the reference base."""
        middle = len(around) // 2
        ref = around[middle - self.k // 2 : middle + self.k // 2 + 1]
        return np.log((self[ref[: self.k // 2] + alt + ref[self.k // 2 + 1 :]] + 0.5) / (self[ref] + 0.5))

    def __getitem__(self, kmer):
        number = 0
        for base in kmer:
            if base not in "ACGT":
                return 0
            number = number * 4 + "ACGT".index(base)
        return self.counts[number]


def auroc(scores, positive):
    ranks = rankdata(scores)
    n = positive.sum()
    return (ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(scores) - n))


def interval(statistic, block, chosen, rng, draws=1000):
    """95 % interval of statistic(rows) when blocks are drawn again. chosen: whether each row counts."""
    blocks = np.unique(block[chosen])
    members = {b: np.flatnonzero(chosen & (block == b)) for b in blocks}
    values = [statistic(np.concatenate([members[b] for b in rng.choice(blocks, len(blocks))])) for _ in range(draws)]
    return np.percentile(values, [2.5, 97.5])


def with_interval(statistic, block, chosen, rng):
    low, high = interval(statistic, block, chosen, rng)
    return f"{statistic(np.flatnonzero(chosen)):.3f} [{low:.3f}, {high:.3f}]"
