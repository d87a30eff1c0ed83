# A shipped human model, which GRCh37 trained, on pieces of GRCh38: the first Mb of chromosome 1 at its own positions, and 300 kb of
# chromosome 22 whose contig begins at 32,000,000. Contigs called chr22 and 22 alike.
load helpers

setup_file() {
  [[ -d $BIGDNA_DATA ]] || return 0
  cd "$BATS_FILE_TMPDIR"
  zcat "$BIGDNA_DATA/genomes/hg38.chr22_32000000-32300000.fa.gz" >chr22.fa
  zcat "$BIGDNA_DATA/genomes/GRCh38.chr22_20000001-21000000.fa.gz" >piece.fa
  ln -s "$BIGDNA_DATA/genomes/hg38.chr1_first1Mb.fa.gz" hg38.fa.gz
  python3 - <<'PY'
bases = "".join(line.strip() for line in open("chr22.fa") if line[0] != ">").upper()
assert len(bases) == 300_000 and "N" not in bases
for contig in ("chr22", "22"):
    with open(f"{contig}.vcf", "w") as file:
        print("##fileformat=VCFv4.2", "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO", sep="\n", file=file)
        for at, ref in ((43082, 1), (43090, 4), (43262, 1), (159303, 1)):  # SLC5A1's start sites, C22orf42's
            ref = bases[at - 1:at - 1 + ref]
            print(contig, at, f"v{at}", ref, ref[0] if len(ref) > 1 else {"A": "G"}.get(ref, "A"), ".", "PASS", ".", sep="\t", file=file)
PY
}

setup() {
  [[ -d $BIGDNA_DATA ]] || skip "no real data in \$BIGDNA_DATA"
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR
  human() { bigdna "$1" human-chr20-chrX "${@:2}" --precision fp32; }
  plain() { sed -e '/^##/d' -e 's/\bchr22\b/22/g' "$@"; }
}

@test "chromatin and predict: start sites of genes on chromosome 1 have the probabilities that the rest has not, chr1 and 1 alike" {
  for contig in chr1 1; do
    human chromatin -r $contig:900,001-1,000,000 -g "$shared/hg38.fa.gz" --features 'TSS,H3K4me3|GM12878' --seen -o $contig.tsv 2>$contig.err
  done
  same_files <(sed -e '/^##/d' -e 's/^chr//' chr1.tsv) <(sed '/^##/d' 1.tsv)
  grep -q "contig 1 is called chr1 in $shared/hg38.fa.gz" 1.err
  not grep -q "warning" chr1.err
  zcat "$BIGDNA_DATA/promoters/EPDnew_human_hg38_29598.bed.gz" | awk '$1 == "chr1" && $2 >= 900000 && $3 <= 1000000' >sites.bed
  python3 - <<'PY'
header, *rows = [line.rstrip("\n").split("\t") for line in open("chr1.tsv") if not line.startswith("##")]
sites = [int(line.split("\t")[1]) for line in open("sites.bed")]
assert len(sites) >= 4 and len(rows) == 500
own, other = [], []
for row in map(lambda row: dict(zip(header, row)), rows):
    assert row["seen"] == "0"  # no part of chromosome 1 was
    near = any(int(row["start"]) <= site < int(row["end"]) for site in sites)
    (own if near else other).append(max(float(row["TSS|+"]), float(row["TSS|-"])))
higher = sum((a > b) + (a == b) / 2 for a in own for b in other) / len(own) / len(other)
assert higher > 0.9, (higher, own)
PY
  samtools faidx "$shared/chr22.fa" chr22:36401-49800 | bigdna predict human-chr20-chrX - --features TSS --precision fp32 >record.tsv
  human chromatin -r 22:43001-43200 -g "$shared/chr22.fa" --features TSS >bin.tsv
  same_files <(grep -v '^#' record.tsv | cut -f7-) <(grep -v '^#' bin.tsv | cut -f7-)
}

@test "variants: a VCF of chr22 and one of 22, on one thread and two, with a background of another assembly" {
  for contig in chr22 22; do
    human variants "$shared/$contig.vcf" -g "$shared/chr22.fa" --features 'TSS,DNase' --effects LOGIT --model-background -o $contig.tsv --table $contig.top.tsv \
      -@ $((${#contig} > 2 ? 2 : 1)) 2>$contig.err
  done
  same_files <(plain chr22.tsv) <(plain 22.tsv)
  same_files <(plain chr22.top.tsv) <(plain 22.top.tsv)
  all_rows '$9 == "." && $NF == 0' <22.tsv
  [ "$(grep -vc '^#' 22.top.tsv)" = 4 ]
  grep -q "4 records, 4 alleles scored, 0 skipped" chr22.err
  bigdna variants human-chr20-chrX - -g "$shared/chr22.fa" --features TSS --effects LOGIT --quiet <"$shared/22.vcf" | bcftools view -H | cut -f1 >contigs
  [ "$(sort -u contigs)" = 22 ]
  # the header of a whole genome, and the sequence of a piece of it
  sed 's/^#CHROM/##contig=<ID=chr22,length=50818468>\n&/' "$shared/chr22.vcf" >whole.vcf
  human variants whole.vcf -g "$shared/chr22.fa" --features TSS -o whole.tsv 2>err
  grep -q "its header says that chr22 has 50818468 bp, but in $shared/chr22.fa chr22 has 300000: is it another assembly than the VCF's?" err
}

@test "explain, tracks and a report of all of it" {
  for contig in chr22 22; do
    human explain -r $contig:43071-43090 -g "$shared/chr22.fa" --features 'TSS|+' --pictures $contig.logos -o $contig.bases.tsv --quiet
  done
  same_files <(plain chr22.bases.tsv | cut -f1-3,5-) <(plain 22.bases.tsv | cut -f1-3,5-)
  ls 22.logos/1_22_*_TSS_plus.svg chr22.logos/1_chr22_*_TSS_plus.svg
  human chromatin -r 22:42001-44000 -g "$shared/chr22.fa" --features TSS -o tracks.tsv --bigwig tracks --quiet
  human variants "$shared/22.vcf" -g "$shared/chr22.fa" --features TSS --pictures alleles --strongest 1 -o effects.tsv --quiet
  bigdna report tracks.tsv effects.tsv 22.bases.tsv 22.logos alleles -o page.html --quiet
  for name in tracks.tsv effects.tsv 22.bases.tsv 22.logos alleles v43082; do grep -q "$name" page.html; done
  fails 1 "tracks: report draws predicted tracks from their table (-o NAME.tsv as well as --bigwig)" bigdna report tracks -o other.html
  fails 1 "tracks/41_TSS_plus.bw: report draws predicted tracks from their table" bigdna report tracks/41_TSS_plus.bw -o other.html
  [ ! -e other.html ]
}

@test "a piece of a contig that samtools has named, and positions of the whole contig, are errors that say so" {
  fails 1 "region '22:20,000,101-20,000,300': $shared/piece.fa has no such contig; it has a piece of it, 22:20000001-21000000, whose first base is position 1" \
    human chromatin -r 22:20,000,101-20,000,300 -g "$shared/piece.fa" --quiet
  printf 'chr22\t20000100\t20000300\n' >far.bed
  fails 1 "far.bed:1: $shared/piece.fa has no contig chr22; it has a piece of it, 22:20000001-21000000" human chromatin far.bed -g "$shared/piece.fa" --quiet
  human chromatin -r 22:20000001-21000000:101-300 -g "$shared/piece.fa" --features TSS --quiet | all_rows '$1 == "22:20000001-21000000" && $2 == 100'
  fails 1 "region 'chr22:32,043,001-32,043,200': starts past the end of chr22 (300000 bp)" human chromatin -r chr22:32,043,001-32,043,200 -g "$shared/chr22.fa" --quiet
  fails 1 "has no such contig" human chromatin -r chr21:1-200 -g "$shared/chr22.fa" --quiet
}

# The one command within the text of a tutorial that names a file.
line_of() {
  python3 - "$BIGDNA_SOURCE_DIR/docs/tutorials/$1.md" "$2" <<'PY'
import re, sys
[line] = [" ".join(line.split()) for line in re.findall(r"`(bigdna [^`]+)`", open(sys.argv[1]).read()) if sys.argv[2] in line.split()]
print(line)
PY
}

@test "the lines of the tutorials that are of GRCh38 run as printed" {
  ln -s "$shared/hg38.fa.gz" .
  line=$(line_of human-peaks hg38.tsv)
  eval "$line" 2>err
  [ "$(grep -vc '^#' hg38.tsv)" = 100 ]
  ls hg38_tracks/*.bw | wc -l | all_rows '$1 == 43'
  base() { samtools faidx "$1" "$2" | tail -1 | tr a-z A-Z; }
  zcat hg38.fa.gz >hg38.fa
  { printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    for at in 959309 959310; do r=$(base hg38.fa chr1:$at-$at); printf 'chr1\t%d\t.\t%s\t%s\t.\t.\t.\n' $at $r "$(tr ACGT CGTA <<<$r)"; done; } >calls.hg38.vcf
  line=$(line_of variants effects.hg38.vcf.gz)
  eval "$line" 2>err
  grep -q "2 records, 2 alleles scored, 0 skipped" err
  zcat effects.hg38.vcf.gz | grep -v '^#' | cut -f8 | tr ';' '\n' | grep -c '^BIGDNA_DIFF' | all_rows '$1 == 4'
  # POS of GRCh38, which UCSC's chain moves; chromosome 20 of GRCh37 is 20
  for file in "$BIGDNA_DATA"/genomes/GRCh37.chr20.fa.gz*; do ln -s "$file" "hg19.fa${file#*.fa.gz}"; done
  ln -s "$BIGDNA_DATA/liftover/hg38ToHg19.over.chain.gz" .
  printf '20\t1000225\t1000226\n20\t30000000\t30000001\n' | bigdna liftover - --chain "$BIGDNA_DATA/liftover/hg19ToHg38.over.chain.gz" --quiet -o hg38.bed
  [ "$(wc -l <hg38.bed)" = 2 ]
  { grep '^#' calls.hg38.vcf; paste hg38.bed <(base hg19.fa 20:1000226-1000226; base hg19.fa 20:30000001-30000001) |
    awk -v OFS='\t' '{ print "chr20", $3, ".", $NF, $NF == "A" ? "C" : "A", ".", ".", "." }'; } >moved.vcf
  mv moved.vcf calls.hg38.vcf
  line=$(line_of variants calls.hg19.vcf)
  eval "$line" 2>err
  diff <(grep -v "^#" calls.hg19.vcf | cut -f2) <(printf "1000226\n30000001\n")
}
