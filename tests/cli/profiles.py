"""Simulated data of a profile model, in the working folder: genome.fa, and cuts everywhere and around sites 300 bp apart.

In every other site a motif stands up to 20 bp from the middle. There the cuts are four times as many, and most of them lie around it.
  peaks.bed     the sites; chr4 and chrX are for tests and validation
  cuts.bed      the cuts; shuffled.bed: those of each site moved to another one
  motifs.bed    where the motif stands
  track.tsv, strands.tsv, shuffled.tsv
"""
import random

random.seed(11)
MOTIF, STEP, SITES = "TGACTCAGC", 300, 180
genome, sites, scattered = {}, [], []
for name in ("chr1", "chr2", "chr3", "chr4", "chrX"):
    bases = random.choices("ACGT", k=STEP * (SITES + 2))
    scattered += [(name, random.randrange(STEP, STEP * (SITES + 1))) for _ in range(STEP * SITES // 20)]
    for i in range(SITES):
        middle = STEP * (i + 1)
        at = middle + random.randint(-20, 20) if i % 2 else None
        if at is not None:
            bases[at:at + len(MOTIF)] = MOTIF
        cuts = [(at + random.choice((-6, -5, 12, 13)) if at is not None and random.random() < 0.8 else middle + random.randint(-50, 49)) - middle
                for _ in range(random.randint(30, 50) * (4 if at is not None else 1) // 2)]
        sites.append((name, middle, at, cuts))
    genome[name] = "".join(bases)
with open("genome.fa", "w") as out:
    for name, bases in genome.items():
        print(f">{name}\n{bases}", file=out)
with open("peaks.bed", "w") as peaks, open("motifs.bed", "w") as motifs:
    for name, middle, at, _ in sites:
        print(name, middle - 10, middle + 10, sep="\t", file=peaks)
        if at is not None:
            print(name, at, at + len(MOTIF), sep="\t", file=motifs)
others = [cuts for *_, cuts in sites]
random.shuffle(others)
for file, lists in (("cuts.bed", [cuts for *_, cuts in sites]), ("shuffled.bed", others)):
    with open(file, "w") as out:
        at_sites = [(name, middle + offset) for (name, middle, *_), cuts in zip(sites, lists) for offset in cuts]
        for name, at in at_sites + scattered:
            strand = "+-"[random.random() < 0.5]
            start = at - (9 if strand == "-" else 0)  # the cut is the 5' end of a read of 10 bp
            print(name, start, start + 10, "r", 0, strand, sep="\t", file=out)
open("track.tsv", "w").write("file\tname\tcount\ncuts.bed\tcuts\tcuts\n")
open("shuffled.tsv", "w").write("file\tname\tcount\nshuffled.bed\tcuts\tcuts\n")
open("strands.tsv", "w").write("file\tname\tcount\tstrand\ncuts.bed\tcuts\tcuts\t+\ncuts.bed\tcuts\tcuts\t-\n")
