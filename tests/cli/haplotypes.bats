# bigdna haplotypes on the simulated genome: a very small network, for behaviour, not skill.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_network
  cp "$TEST_DATA/genome.fa.gz" genome.fa.gz
  chmod u+w genome.fa.gz
  samtools faidx genome.fa.gz
  python3 - <<'PY'
import gzip, random
random.seed(4)
contigs = {}
for entry in gzip.open("genome.fa.gz", "rt").read().split(">")[1:]:
    name, sequence = entry.split("\n", 1)
    contigs[name.split()[0]] = sequence.replace("\n", "").upper()
bases = contigs["chr1"]
genotypes = ["0|0", "0|1", "1|0", "1|1"]
with open("calls.vcf", "w") as file:
    file.write("##fileformat=VCFv4.2\n##contig=<ID=chr1,length=%d>\n" % len(bases))
    file.write('##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Depth">\n')
    file.write("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tone\ttwo\n")
    at = 12000
    while at < 40000:
        at += random.randint(30, 400)
        kind = random.random()
        if "N" in bases[at:at + 12]:
            continue
        if kind < .6:
            ref, alt = bases[at], random.choice([b for b in "ACGT" if b != bases[at]])
        elif kind < .8:
            ref, alt = bases[at], bases[at] + "".join(random.choice("ACGT") for _ in range(random.randint(1, 8)))
        else:
            ref, alt = bases[at:at + random.randint(2, 10)], bases[at]
        file.write(f"chr1\t{at + 1}\t.\t{ref}\t{alt}\t.\t.\t.\tGT:DP\t{random.choice(genotypes)}:3\t{random.choice(genotypes)}:4\n")
        at += len(ref)
# Pairs of records, many of them padded, that overlap or touch: one of each kind behind one of each kind, at each distance.
def kinds(at):
    other = lambda base: "CGTA"["ACGT".index(base)]
    yield bases[at], other(bases[at])
    yield bases[at], bases[at] + "GG"
    yield bases[at:at + 3], bases[at]
    yield bases[at:at + 3], bases[at + 2]
    yield bases[at:at + 4], bases[at] + "CC" + bases[at + 1:at + 4]
    yield bases[at:at + 4], bases[at:at + 2] + bases[at + 3]
    yield bases[at:at + 4], bases[at] + other(bases[at + 1]) + bases[at + 2:at + 4]
    yield bases[at:at + 2], other(bases[at]) + "TT" + bases[at + 1]
with open("calls.vcf") as file: header = [line for line in file if line.startswith("#")]
with open("padded.vcf", "w") as file:
    file.writelines(header)
    at = 45000
    for first in range(8):
        for second in range(8):
            for distance in range(5):
                at += 36
                assert "N" not in bases[at:at + 36]
                for place, kind in ((at, first), (at + distance, second)):
                    ref, alt = list(kinds(place))[kind]
                    if ref != alt: file.write(f"chr1\t{place + 1}\t.\t{ref}\t{alt}\t.\t.\t.\tGT:DP\t1|0:3\t0|0:4\n")
PY
  bgzip -k calls.vcf
  tabix -p vcf calls.vcf.gz
  bcftools view -Ob -o calls.bcf calls.vcf
  bcftools index calls.bcf
  bgzip padded.vcf
  tabix -p vcf padded.vcf.gz
  printf 'chr1\t50777\t50779\tpadded\n' >padded.bed
  printf 'chr1\t20000\t20200\tfirst\nchr1\t27000\t27200\tsecond\nchr1\t33100\t33101\tthird\n' >regions.bed
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$BATS_FILE_TMPDIR/genome.fa.gz
}

haplotypes() { bigdna haplotypes "$shared/run" "$shared/calls.vcf.gz" -g "$genome" --quiet "$@"; }

# In small letters bcftools 1.16 puts the base that an insertion stands behind back to the reference's.
capitals() { awk '!/^>/ { $0 = toupper($0) } { print }'; }
# changes.tsv of calls in VCF.GZ at regions, which are the changes that predict gives for
# what bcftools consensus writes. SAMPLE.HAPLOTYPE.log: what bcftools said.
both_ways() {
  bigdna haplotypes "$shared/run" "$1" -g "$genome" -R "$2" -o changes.tsv --quiet
  # left and right of the centre by themselves, so that the centre stays where it is
  while read -r chrom start end name; do
    centre=$(((start + end) / 2))
    left=$chrom:$((centre - 6999))-$centre right=$chrom:$((centre + 1))-$((centre + 7000))
    join() { python3 -c "import sys; left, right = [''.join(e.split('\n')[1:]) for e in sys.stdin.read().split('>')[1:]]; print('>' + sys.argv[1] + '\n' + left[-6700:] + right[:6700])" "$1"; }
    samtools faidx "$genome" "$left" "$right" | join "$name.reference" >>records.fa
    for sample in one two; do
      for which in 1 2; do
        for part in "$left" "$right"; do samtools faidx "$genome" "$part" | capitals | bcftools consensus -s $sample -H $which "$1" 2>>"$sample.$which.log"; done |
          join "$name.$sample.$which" >>records.fa
      done
    done
  done <"$2"
  bigdna predict "$shared/run" records.fa --strands average --precision fp32 -o predicted.tsv --quiet
  python3 - <<'PY'
import math
def table(path):
    lines = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("##")]
    return [dict(zip([lines[0][0].lstrip("#")] + lines[0][1:], line)) for line in lines[1:]]
logit = lambda p: math.log(p / (1 - p))
rows, predicted = table("changes.tsv"), {row["chrom"]: row for row in table("predicted.tsv")}
largest = 0
for row in rows:
    features = [key for key in row if key.startswith("change:")]
    assert len(features) == 3
    for feature in features:
        name = feature[7:]
        there, before = (float(predicted[f"{row['name']}.{which}"][name]) for which in (f"{row['sample']}.{row['haplotype']}", "reference"))
        expected = logit(there) - logit(before)
        rounding = sum(1e-6 / (p * (1 - p)) for p in (there, before))  # probabilities have six decimals
        assert abs(expected - float(row[feature])) < 1e-4 + rounding, (row, feature, expected)
        largest = max(largest, abs(expected))
assert largest > .02, largest
PY
}

@test "haplotypes: the changes are those of bcftools consensus and predict" {
  both_ways "$shared/calls.vcf.gz" "$shared/regions.bed"
  [ "$(grep -vc '^#' changes.tsv)" = 12 ]
  grep -v '^#' changes.tsv | all_rows '$7 > 10 && $8 == 0 && $9 == 0'
  [ "$(grep -v '^#' changes.tsv | cut -f10 | sort -u | wc -l)" = 12 ]
}

@test "haplotypes: padded records that overlap are applied and skipped as by bcftools consensus" {
  both_ways "$shared/padded.vcf.gz" "$shared/padded.bed"
  applied=$(sed -n 's/^Applied \([0-9]*\) variants/\1/p' one.1.log | paste -sd+ | bc)
  skipped=$(grep -c 'overlaps with another variant' one.1.log)
  [ "$applied" -gt 300 ]
  [ "$skipped" -gt 100 ]
  [ "$(grep -v '^#' changes.tsv | head -1 | cut -f7-9)" = "$applied	$skipped	0" ]
}

@test "haplotypes: BCF, one region, a sample, stdin and threads" {
  haplotypes -R "$shared/regions.bed" -o all.tsv -@ 1
  bigdna haplotypes "$shared/run" "$shared/calls.bcf" -g "$genome" -R - --quiet -@ 2 <"$shared/regions.bed" >bcf.tsv
  same_rows all.tsv bcf.tsv
  haplotypes -r chr1:20001-20200 --samples two --features DNase -o two.tsv
  diff <(grep -v '^#' two.tsv | cut -f2-) <(grep -v '^#' all.tsv | awk '$1 == "first" && $5 == "two"' | cut -f2-9,11)
}

@test "haplotypes: what cannot be done, or is left out" {
  fails 2 "give -R BED or -r REGION" haplotypes
  fails 2 "has no sample nobody" haplotypes -r chr1:20001-20200 --samples nobody
  fails 1 "calls.vcf" bigdna haplotypes "$shared/run" "$shared/calls.vcf" -g "$genome" -r chr1:20001-20200 --quiet
  bcftools view -G -Oz -o sites.vcf.gz "$shared/calls.vcf.gz"
  tabix sites.vcf.gz
  fails 1 "sites.vcf.gz: has no samples" bigdna haplotypes "$shared/run" sites.vcf.gz -g "$genome" -r chr1:20001-20200 --quiet
  sed 's/0|1:/0\/1:/g' "$shared/calls.vcf" | bgzip >unphased.vcf.gz
  tabix unphased.vcf.gz
  bigdna haplotypes "$shared/run" unphased.vcf.gz -g "$genome" -r chr1:20001-20200 -o unphased.tsv 2>err
  grep -q "without phase: the haplotypes have the reference there" err
  [ "$(grep -v '^#' unphased.tsv | cut -f9 | sort -u | head -1)" -gt 0 ]
  # a genotype counts once, although two haplotypes and two regions have it
  { grep '^#' "$shared/calls.vcf"; for at in 20050 20110; do printf 'chr1\t%d\t.\t%s\t<DEL>\t.\t.\t.\tGT\t0/1\t1/0\n' $at "$(samtools faidx "$genome" chr1:$at-$at | tail -1)"; done; } |
    bgzip >twice.vcf.gz
  tabix twice.vcf.gz
  printf 'chr1\t20000\t20200\nchr1\t20100\t20300\n' >overlapping.bed
  bigdna haplotypes "$shared/run" twice.vcf.gz -g "$genome" -R overlapping.bed -o twice.tsv 2>err
  grep -v '^#' twice.tsv | all_rows '$9 == 2'
  grep -q " 4 heterozygous genotypes without phase" err
  fails 1 "without phase" bigdna haplotypes "$shared/run" unphased.vcf.gz -g "$genome" -r chr1:20001-20200 --strict -o strict.tsv --quiet
  sed 's/0|1:/0|7:/g' "$shared/calls.vcf" | bgzip >damaged.vcf.gz
  tabix damaged.vcf.gz
  fails 1 "genotype 0|7 is not of one or two alleles of the record" bigdna haplotypes "$shared/run" damaged.vcf.gz -g "$genome" -r chr1:20001-20200 --quiet
  # a contig that the file does not have is not a contig without variants
  fails 1 "other.vcf.gz: has no contig chr1, so no region has variants" bash -c 'grep -v "^##contig" "$1" | sed "s/^chr1\t/chr5\t/; s/^1\t/chr5\t/" | bgzip >other.vcf.gz
    tabix other.vcf.gz && bigdna haplotypes "$0" other.vcf.gz -g "$2" -r chr1:20001-20200 --quiet' "$shared/run" "$shared/calls.vcf" "$genome"
  sed 's/^##contig=<ID=chr1,length=[0-9]*/##contig=<ID=chr1,length=77/; t; s/^#CHROM/##contig=<ID=chr1,length=77>\n#CHROM/' "$shared/calls.vcf" | bgzip >length.vcf.gz
  tabix length.vcf.gz
  bigdna haplotypes "$shared/run" length.vcf.gz -g "$genome" -r chr1:20001-20200 -o length.tsv 2>err
  grep -q "its header says that chr1 has 77 bp" err
  rm -f ./*.tbi err unphased.tsv twice.tsv twice.vcf.gz overlapping.bed length.* other.vcf.gz
  nothing_but sites.vcf.gz unphased.vcf.gz damaged.vcf.gz
}
