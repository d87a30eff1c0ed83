# bigdna liftover of VCF and BCF. BED: liftover.bats.
load helpers

# chr1 of the old assembly: bases 11 to 55 are on 2, which has five more bases behind base 30; 101 to 140 are on the minus strand of 3.
setup() {
  cd "$BATS_TEST_TMPDIR"
  printf '>2\nACGTTGCAAGCTTAGGCATCGATTACAGGCTTAAACCCGGGTTTACGATCGGATCTTACG\n>3\nGATTACACATTTTTTGCAGGCATCCCGATAGCTTACGTAC\n' >new.fa
  cat >old_to_new.chain <<'END'
chain 9 chr1 200 + 10 55 2 60 + 5 55 1
20 0 5
25

chain 8 chr1 200 + 100 140 3 40 - 0 40 2
40
END
  python3 - <<'PY'
old = ["N"] * 200
new = dict(line.split("\n")[:2] for line in open("new.fa").read().split(">")[1:])
old[10:30], old[30:55] = new["2"][5:25], new["2"][30:55]
old[100:140] = new["3"][::-1].translate(str.maketrans("ACGT", "TGCA"))
base = lambda at, length=1: "".join(old[at - 1:at - 1 + length])
other = lambda text: text.translate(str.maketrans("ACGT", "CATG"))
header = ['##fileformat=VCFv4.2', '##reference=old.fa', '##contig=<ID=chr1,length=200>', '##contig=<ID=chr9>',
          '##INFO=<ID=AC,Number=A,Type=Integer,Description="Count">', '##INFO=<ID=END,Number=1,Type=Integer,Description="End">',
          '##FILTER=<ID=q10,Description="Low">', '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
          "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT a b".replace(" ", "\t")]
rows = [(12, "snv", base(12), other(base(12)), "AC=1"), (27, "mnv", base(27, 2), other(base(27, 2)), "AC=1"),
        (30, "gap", base(30, 2), base(30), "AC=1"), (35, "insertion", base(35), base(35) + "TT," + other(base(35)), "AC=1,2"),
        (40, "deletion", base(40, 3), base(40), "END=42"), (42, "block", base(42), ".", "END=50"), (44, "mismatch", other(base(44)), "C", "."),
        (46, "swapped", other(base(46)), base(46), "."), (48, "symbolic", base(48), "<DEL>", "END=60"), (50, "breakend", base(50), "N[chr1:9[", "."),
        (55, "end", base(55, 2), base(55), "."), (80, "nowhere", "A", "T", "."), (105, "minus_snv", base(105), other(base(105)), "AC=1"),
        (110, "minus_mnv", base(110, 3), other(base(110, 3)), "."), (125, "minus_deletion", base(125, 3), base(125), "END=127"),
        (127, "minus_insertion", base(127), base(127) + "A,*", "AC=1,2"), (131, "minus_reference", base(131), ".", "END=131")]
with open("old.vcf", "w") as file:
    print(*header, sep="\n", file=file)
    for at, name, ref, alt, info in rows:
        print("chr1", at, name, ref, alt, "50", "q10", info, "GT", "0/0" if alt == "." else "0/1", "./.", sep="\t", file=file)
    print("chr9", 7, "no_chain", "A", "C", ".", "PASS", ".", "GT", "0/0", "1/1", sep="\t", file=file)
PY
  lift() { bigdna liftover "${1:-old.vcf}" --chain old_to_new.chain -g new.fa "${@:2}"; }
  rows() { grep -v '^##' "$1"; }
}

@test "records, header, reasons and counts" {
  golden liftover_vcf lift old.vcf --unmapped lost.vcf
  golden liftover_vcf_rejected cat lost.vcf
}

@test "the same records from stdin, on one thread and two, and by way of BCF" {
  lift old.vcf -o one.vcf --unmapped one.lost.vcf -@ 1 --quiet
  lift - -o two.vcf.gz --unmapped two.lost.vcf.gz -@ 2 --quiet <old.vcf
  bgzip -t two.vcf.gz
  same_files <(rows one.vcf) <(bgzip -dc two.vcf.gz | grep -v '^##')
  same_files <(rows one.lost.vcf) <(bgzip -dc two.lost.vcf.gz | grep -v '^##')
  bcftools view -Ob -o old.bcf old.vcf
  lift old.bcf -o one.bcf --unmapped lost.bcf --quiet
  same_files <(rows one.vcf) <(bcftools view -H one.bcf | cat <(rows one.vcf | head -1) -)
  [ "$(bcftools view -H lost.bcf | wc -l)" = "$(grep -vc '^#' one.lost.vcf)" ]
}

@test "an allele makes the same sequence in both assemblies, and REF is what the new genome has" {
  lift old.vcf -o new.vcf --quiet
  bcftools norm -f new.fa -c e new.vcf >normalised.vcf 2>log
  same_files <(grep '^3' new.vcf | sort) <(grep '^3' normalised.vcf | sort)  # left-aligned
  python3 - <<'PY'
new = dict(line.split("\n")[:2] for line in open("new.fa").read().split(">")[1:])
minus = lambda text: text[::-1].translate(str.maketrans("ACGT", "TGCA"))
read = lambda path: {row[2]: row for row in (line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("#"))}
before, after = read("old.vcf"), read("new.vcf")
edited = lambda whole, start, ref, alt: whole[:start] + alt + whole[start + len(ref):]
for name, row in after.items():
    was = before[name]
    at, was_at = int(row[1]), int(was[1])
    assert row[5:7] == was[5:7] and row[8:] == was[8:]
    if was_at <= 55:
        assert row[0] == "2" and at == was_at - (5 if was_at <= 30 else 0) and row[3:5] == was[3:5], row
        continue
    for alt, was_alt in zip(row[4].split(","), was[4].split(",")):
        if was_alt in "*.":
            assert alt == was_alt
        else:
            assert edited(new["3"], at - 1, row[3], alt) == minus(edited(minus(new["3"]), was_at - 101, was[3], was_alt)), row
assert set(after) == {"snv", "mnv", "insertion", "deletion"} | {name for name in before if name.startswith("minus_")}
PY
}

@test "Picard's own variants are lifted and rejected as Picard does" {
  there=$BIGDNA_DATA/liftover/golden_picard
  [ -e "$there" ] || skip "no real data: $there"
  for name in dummy.reference dummy.two.block.reference; do awk '/^>/ {print; next} {printf "%s", $0} END {print ""}' "$there/$name.fasta" >$name.fasta; done
  picard() { bigdna liftover "$there/$1.vcf" --chain "$there/$2.chain" -g "$3.fasta" -o out.vcf --unmapped lost.vcf --quiet; }
  short() { sed '/^#/d' "$1" | cut -f"$2" | sed 's/;*BIGDNA_REJECTED=/ /'; }
  picard testLiftoverBiallelicIndels test.over dummy.reference
  # LiftoverVcf 2.27.5 gives these, and sorts them
  [ "$(short out.vcf 2,4,5,8,10 | sort -n)" = $'468\tAA\tT\tEND=469\t1/.\n469\tA\tT\tEND=469\t./.\n469\tA\tT\tEND=469\t0/1\n479\tGA\tG\tEND=480\t0/1\n539\tA\tAGGGG\tEND=539\t0/0' ]
  short lost.vcf 1- | no_lines
  picard testLiftoverFailingVariants test.over dummy.reference
  [ "$(short out.vcf 1-5)" = $'chr1\t301\t.\tCA\tC' ]
  [ "$(short lost.vcf 2,8)" = $'1\tAF=0.2;MAX_AF=1.0;FLIPPED_AF=0.8 alleles_swapped\n61\tAF=0.0;MAX_AF=0.1;FLIPPED_AF=1.0 alleles_swapped' ]
  picard testLiftoverMismatchingSnps test.two.block.over dummy.two.block.reference
  [ "$(short out.vcf 2-5)" = $'1\tchr1_1_C_CCCCT\tC\tCCCCT' ]
  [ "$(short lost.vcf 2,8)" = $'61\t reference_mismatch\n72\t alleles_swapped\n73\t reference_mismatch' ]
  picard testLiftoverBiallelicIndels test.positive.over dummy.reference
  [ "$(short out.vcf 2-5)" = $'1\t.\tC\tCCCCC' ]
  [ "$(short lost.vcf 2,8 | cut -d' ' -f2)" = $'reference_mismatch\nalleles_swapped\nalleles_swapped\nreference_mismatch' ]
  picard testLiftoverBiallelicIndels test.over.badContig dummy.reference
  short out.vcf 1- | no_lines
  [ "$(short lost.vcf 8 | cut -d' ' -f2 | sort -u)" = deleted ]
}

@test "measured variants of HNF4A lie where their authors have them in the other assembly" {
  table=$BIGDNA_DATA/variants/MPRA_satmut_kircher2019_GRCh37_GRCh38.elements.tsv.gz chain=$BIGDNA_DATA/liftover/hg38ToHg19.over.chain.gz
  genome=$BIGDNA_DATA/genomes/GRCh37.chr20.fa.gz
  [ -e "$table" ] && [ -e "$chain" ] && [ -e "$genome" ] || skip "no real data: $BIGDNA_DATA"
  of() { gzip -dc "$table" | awk -F'\t' -v release="$1" '$11 == release && $10 ~ /^HNF4A/ && $4 ~ /^[ACGT]$/ {print $1 "\t" $2 "\t.\t" $3 "\t" $4}'; }
  { printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'; of GRCh38 | sed 's/$/\t.\t.\t./'; } >38.vcf
  bigdna liftover 38.vcf --chain "$chain" -g "$genome" -o 37.vcf --unmapped lost.vcf --quiet
  [ "$(grep -vc '^#' 37.vcf)" -gt 500 ]
  same_files <(grep -v '^#' 37.vcf | cut -f1-5 | sort) <(of GRCh37 | sort)
}

@test "another assembly is an error or a warning" {
  sed 's/ 60 + 5 55/ 61 + 5 55/' old_to_new.chain >other.chain
  fails 1 "old.vcf:10: is lifted to 2, which has 61 bp in the chain file, but 60 bp in new.fa: is that the FASTA of the other assembly?" \
    bigdna liftover old.vcf --chain other.chain -g new.fa -o out.vcf --quiet
  sed 's/^chr1\t12\t/chr1\t201\t/' old.vcf >far.vcf
  fails 1 "far.vcf:10: position 201 is past the end of chr1 (200 bp) in the assembly that old_to_new.chain leads from" lift far.vcf -o out.vcf --quiet
  tr ACGT TGCA <new.fa >complement.fa
  bigdna liftover old.vcf --chain old_to_new.chain -g complement.fa -o out.vcf 2>log
  grep -q "warning: REF is not what complement.fa has for" log
}

@test "bad input and options" {
  printf 'chr1\t1\t2\n' >in.bed
  fails 1 "in.bed: is not VCF or BCF" lift in.bed -o out.vcf
  fails 1 "old.vcf: is VCF, which is lifted with -g" bigdna liftover old.vcf --chain old_to_new.chain -o out.bed
  fails 2 "out.vcf: VCF and BCF are lifted with -g" bigdna liftover in.bed --chain old_to_new.chain -o out.vcf
  fails 2 "out.bed: files of this suffix cannot be used here; the formats are VCF (.vcf) or BCF (.bcf)" lift old.vcf -o out.bed
  fails 2 "lost.bed: files of this suffix cannot be used here" lift old.vcf -o out.vcf --unmapped lost.bed
  fails 2 "--min-match" lift old.vcf -o out.vcf --min-match 0.5
  fails 1 "old.vcf: is the input old.vcf itself" lift old.vcf -o out.vcf --unmapped old.vcf
  fails 1 "none.fa" bigdna liftover old.vcf --chain old_to_new.chain -g none.fa -o out.vcf
  sed 's/^chr1\t12\tsnv\t.\t.\t50/chr1\t12\tsnv\tG\tC\tx/' old.vcf >bad.vcf
  lift bad.vcf -o new.vcf --unmapped lost.vcf 2>log
  grep -q "warning: bad.vcf:10: QUAL is not a number ('x'), so it is not lifted" log
  grep -q "rejected: 1 record, malformed_record" log
  sed -n '1,9p' old.vcf >empty.vcf
  lift empty.vcf -o new.vcf 2>log
  grep -q "0 records lifted" log
  nothing_but bad.vcf empty.vcf in.bed lost.vcf log new.fa new.fa.fai new.vcf old.vcf old_to_new.chain
}
