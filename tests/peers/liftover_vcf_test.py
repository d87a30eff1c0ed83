"""bigdna liftover of VCF against CrossMap and, where picard-tools are installed, Picard: variants of chromosome 20 on GRCh38 back to
GRCh37, where they came from."""
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile

data = os.environ.get("BIGDNA_DATA") or os.path.join(os.environ["BIGDNA_SOURCE_DIR"], "../shared/data")
vcf = os.path.join(data, "variants/1000G_b37_chr20_1-4Mb_300hap.reference.vcf.gz")
genome = os.path.join(data, "genomes/GRCh37.chr20.fa.gz")
to_38 = os.path.join(data, "liftover/hg19ToHg38.over.chain.gz")
to_37 = os.path.join(data, "liftover/hg38ToHg19.over.chain.gz")
if not all(map(os.path.exists, (vcf, genome, to_38, to_37))):
    print("SKIPPED: no real data in", data)
    sys.exit(77)
bigdna = os.environ["BIGDNA"]
reverse = lambda bases: bases[::-1].translate(str.maketrans("ACGT", "TGCA"))


def rows(path):
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


def spoilt(lines):
    """Of every 90 single-base variants one has REF and ALT swapped, and one a REF that is neither base."""
    single = 0
    for fields in sorted(lines, key=lambda fields: int(fields[1])):
        if len(fields[3]) == len(fields[4]) == 1:
            single += 1
            if single % 90 == 0:
                fields[3], fields[4] = fields[4], fields[3]
            elif single % 90 == 45:
                fields[3] = next(base for base in "ACGT" if base not in fields[3:5])
        yield fields


def against_picard(here):
    """Both lift the same variants to the same place, and both reject the same."""
    with open(here("mixed.vcf"), "w") as file:
        file.write("##fileformat=VCFv4.2\n##contig=<ID=chr20,length=64444167>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
        file.writelines("\t".join(fields) + "\n" for fields in spoilt(rows(here("38.vcf"))))
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([bigdna, "liftover", here("mixed.vcf"), "--chain", to_37, "-g", here("37.fa"), "-o", here("own.vcf"), "--unmapped", here("own.lost.vcf")], **quiet)
    subprocess.run(["samtools", "faidx", here("37.fa")], **quiet)
    subprocess.run(["PicardCommandLine", "CreateSequenceDictionary", f"R={here('37.fa')}", f"O={here('37.dict')}"], **quiet)
    subprocess.run(["PicardCommandLine", "LiftoverVcf", f"I={here('mixed.vcf')}", f"O={here('picard.vcf')}", f"CHAIN={to_37}", f"REJECT={here('picard.lost.vcf')}",
                    f"R={here('37.fa')}", "WARN_ON_MISSING_CONTIG=true"], **quiet)
    lifted, lost = ({name: {row[2]: row[:2] + row[3:5] for row in rows(here(f"{name}{kind}.vcf"))} for name in ("own", "picard")} for kind in ("", ".lost"))
    print(f"Picard: {len(lifted['own'])} lifted by bigdna, {len(lifted['picard'])} by Picard; {len(lost['own'])} and {len(lost['picard'])} rejected")
    assert lifted["own"] == lifted["picard"] and lost["own"].keys() == lost["picard"].keys() and len(lost["own"]) > 500


with tempfile.TemporaryDirectory() as folder:
    here = lambda name: os.path.join(folder, name)
    with gzip.open(genome, "rt") as file:
        fasta = file.read()
    with open(here("37.fa"), "w") as file:  # with the name that the chains have, since CrossMap knows no other
        file.write(fasta.replace(">20", ">chr20", 1))
    bases = "".join(fasta.split("\n")[1:])
  # GRCh37: real variants, and changes of random bases of the whole chromosome
    original = []
    with gzip.open(vcf, "rt") as file:
        for line in file:
            if not line.startswith("#"):
                fields = line.split("\t", 5)
                original.append((int(fields[1]), fields[3], fields[4]))
    random.seed(1)
    for _ in range(5000):
        at = random.randrange(len(bases))
        if bases[at] != "N":
            original.append((at + 1, bases[at], random.choice([base for base in "ACGT" if base != bases[at]])))
    with open(here("37.bed"), "w") as file:
        for i, (at, ref, _) in enumerate(original):
            file.write(f"chr20\t{at - 1}\t{at - 1 + len(ref)}\t{i}\t0\t+\n")
    subprocess.run([bigdna, "liftover", here("37.bed"), "--chain", to_38, "-o", here("38.bed"), "--quiet"], check=True)
    with open(here("38.vcf"), "w") as file:
        file.write("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
        for contig, start, end, i, _, strand in rows(here("38.bed")):
            at, ref, alt = original[int(i)]
            if int(end) - int(start) != len(ref) or (strand == "-" and len(ref) != len(alt)):
                continue
            if strand == "-":
                ref, alt = reverse(ref), reverse(alt)
            file.write(f"{contig}\t{int(start) + 1}\t{i}{strand}\t{ref}\t{alt}\t.\t.\t.\n")
    command = [bigdna, "liftover", here("38.vcf"), "--chain", to_37, "-g", here("37.fa"), "-o", here("37.vcf"), "--unmapped", here("lost.vcf"), "--quiet"]
    subprocess.run(command, check=True)
    crossmap = os.path.join(os.path.dirname(sys.executable), "CrossMap")
    subprocess.run([sys.executable, crossmap, "vcf", to_37, here("38.vcf"), here("37.fa"), here("crossmap.vcf")], check=True, stderr=subprocess.DEVNULL)
    ours = {row[2]: row[:2] + row[3:5] for row in rows(here("37.vcf"))}
    theirs = {row[2]: row[:2] + row[3:5] for row in rows(here("crossmap.vcf"))}
    lost = len(rows(here("lost.vcf")))
    if shutil.which("PicardCommandLine"):
        against_picard(here)

moved = sum(row != ["chr20", str(original[int(i[:-1])][0]), *original[int(i[:-1])][1:]] for i, row in ours.items())
# CrossMap lifts the first base of REF alone: its deletions and substitutions of several bases are other variants
both = {i for i in ours.keys() & theirs.keys() if len(original[int(i[:-1])][1]) == 1}
differ = [(i, ours[i], theirs[i]) for i in both if ours[i] != theirs[i]]
print(f"{len(ours)} lifted, {lost} rejected, {moved} elsewhere than they came from; {len(both)} also by CrossMap, {len(differ)} of them otherwise;",
      f"{len(theirs.keys() - ours.keys())} by CrossMap alone")
print(*differ[:5], sep="\n")
sys.exit(moved > 0 or len(differ) > 0 or len(ours) < 28000)
