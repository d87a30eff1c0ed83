# bigdna likelihood and variants --effects LLR. That the numbers are transformers' is shown by tests/peers/likelihood_test.py.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_encoder
  small_network
  printf '>a\nACGTTGCANNACGATTACAG\n>empty\n>c\n%s\n' "$(printf 'ACGTTGCATTGACCA%.0s' {1..200})" >records.fa
}
setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}
likelihood() { bigdna likelihood "$shared/pre" "$@" --quiet --precision fp32; }
numbers() { grep -v '^##' "$@"; }

@test "a line for each record: bits are the sum over its tokens, and N has none" {
  likelihood "$shared/records.fa" >records.tsv
  likelihood "$shared/records.fa" --each token >tokens.tsv
  [ "$(numbers records.tsv | head -1)" = $'#name\tstart\tend\ttokens\tscored_bases\tbits\tbits_per_base' ]
  [ "$(numbers records.tsv | sed 1d | cut -f1-3)" = $'a\t0\t20\nc\t0\t3000' ]
  [ "$(numbers tokens.tsv | head -1)" = $'#name\tstart\tend\ttoken\tbits\tbits_per_base' ]
  grep -c '^a.*[.].[.]$' tokens.tsv
  awk -F'\t' '/^#/ {next} NR == FNR {if ($5 != ".") {bits[$1] += $5; ++tokens[$1]; bases[$1] += $3 - $2} next}
    {++n; d = bits[$1] - $6; if (d * d > 1e-4 || tokens[$1] != $4 || bases[$1] != $5 || ($1 == "a" && $5 > 18) || ($6 / $5 - $7) ^ 2 > 1e-8) bad = 1} END {exit bad || n != 2}' tokens.tsv records.tsv
}

@test "records have the same bits, to the last digit, whatever else is read and on any number of threads" {
  for i in {0..19}; do printf 'chr1\t%s\t%s\n' $((5000 + 911 * i)) $((5060 + 920 * i)); done >many.bed
  likelihood -R many.bed -g "$genome" -@1 | sed '/^#/d' >one.tsv
  tac many.bed | likelihood -R - -g "$genome" -@2 | sed '/^#/d' | tac >two.tsv
  [ "$(wc -l <one.tsv)" = 20 ]
  same_files one.tsv two.tsv
  likelihood - <"$shared/records.fa" | sed '/^#/d' >stdin.tsv
  same_files stdin.tsv <(likelihood "$shared/records.fa" | sed '/^#/d')
}

@test "--mask-fraction: each token is masked once, whatever the share" {
  for share in 0.05 0.15 0.5; do
    likelihood "$shared/records.fa" --mask-fraction $share | sed '/^#/d' >$share.tsv
    same_files <(cut -f1-5 $share.tsv) <(cut -f1-5 0.05.tsv)
  done
  not cmp -s 0.05.tsv 0.5.tsv
  fails 2 "--mask-fraction" likelihood "$shared/records.fa" --mask-fraction 0
  fails 2 "--mask-fraction" likelihood "$shared/records.fa" --mask-fraction 0.51 # would mask all at once
}

@test "a bigWig has the bits per base of the tokens, on either strand; HDF5 has what TSV has" {
  printf 'chr1\t5000\t5300\ta\t0\t+\nchr1\t6000\t6400\tb\t0\t-\n' >some.bed
  likelihood -R some.bed -g "$genome" --each token >tokens.tsv
  likelihood -R some.bed -g "$genome" -o bits.bw
  bigdna coverage bits.bw -g "$genome" -o bits.bedgraph --quiet
  awk -F'\t' -v OFS='\t' '/^#/ || $6 == "." {next} $1 == "a" {print 5000 + $2, 5000 + $3, $6} $1 == "b" {print 6400 - $3, 6400 - $2, $6}' tokens.tsv | sort -n >expected
  awk -F'\t' '/^#/ || /^track/ {next} NR == FNR {for (i = $1; i < $2; ++i) value[i] = $3; next} {for (i = $2; i < $3; ++i) {++n; if ((value[i] - $4) ^ 2 > 1e-6) bad = 1}} END {exit bad || n < 600}' expected bits.bedgraph
  likelihood -R some.bed -g "$genome" -o bits.h5
  likelihood -R some.bed -g "$genome" -o bits.h5 -@1
  likelihood -R some.bed -g "$genome" -o again.h5 -@2
  cmp bits.h5 again.h5
  grep -c bits_per_base bits.h5
}

@test "bad input: one line, no output" {
  fails 1 "is a model of bigdna train, which reads bases" bigdna likelihood "$shared/run" "$shared/records.fa" -o out.tsv
  fails 1 "records.fa" bigdna likelihood "$shared/pre" missing_records.fa -o out.tsv
  printf '>x\nHELLO\n' >bad.fa
  fails 1 "bad.fa" likelihood bad.fa -o out.tsv
  fails 1 "empty" likelihood "$shared/records.fa" --strict -o out.tsv
  fails 2 "a bigWig needs -R" likelihood "$shared/records.fa" -o out.bw
  fails 2 "give FASTA" likelihood -o out.tsv
  printf 'chr1\t5000\t5300\nchr1\t5100\t5400\n' >overlapping.bed
  fails 1 "overlapping.bed:2: overlaps or comes before the region above it, so out.bw cannot be written" likelihood -R overlapping.bed -g "$genome" -o out.bw
  printf 'chr2\t5000\t5300\nchr1\t100\t400\n' >unsorted.bed  # of contigs in another order than the genome's
  fails 1 "unsorted.bed:2: overlaps or comes before the region above it" likelihood -R unsorted.bed -g "$genome" -o out.bw
  nothing_but bad.fa overlapping.bed unsorted.bed
}

@test "variants --effects LLR: of ALT to REF it is the negative; both strands by default; percentiles" {
  sequence=$(samtools faidx "$genome" chr1:5001-5001 | tail -1 | tr acgt ACGT)
  other=$(tr ACGT CATG <<<"$sequence")
  printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t5001\t.\t%s\t%s\t.\t.\t.\n' "$sequence" "$other" >one.vcf
  bigdna variants "$shared/pre" one.vcf -g "$genome" --context 200 --effects LLR --quiet -o one.tsv
  [ "$(numbers one.tsv | cut -f6,10 | head -1)" = $'strand\tLLR' ]
  [ "$(numbers one.tsv | cut -f6 | tail -1)" = . ]
  { samtools faidx "$genome" chr1:1-5000; echo "$other"; samtools faidx "$genome" chr1:5002-20000 | sed 1d; } | sed 's/^>.*/>chr1/' | awk '/^>/ {print; next} {printf "%s", $0} END {print ""}' >other.fa
  printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t5001\t.\t%s\t%s\t.\t.\t.\n' "$other" "$sequence" >back.vcf
  bigdna variants "$shared/pre" back.vcf -g other.fa --context 200 --effects LLR --quiet -o back.tsv
  awk -F'\t' '/^#/ {next} NR == FNR {there = $10; next} {++n; bad = (there + $10) ^ 2 > 1e-8 || there == 0} END {exit bad || n != 1}' one.tsv back.tsv
  behind=$(samtools faidx "$genome" chr1:5002-5009 | tail -1 | tr acgt ACGT)  # what REF and ALT share alters nothing
  sed "s/\t\.\t$sequence\t$other\t/\t.\t$sequence$behind\t$other$behind\t/" one.vcf >padded.vcf
  bigdna variants "$shared/pre" padded.vcf -g "$genome" --context 200 --effects LLR --quiet -o padded.tsv
  [ "$(numbers padded.tsv | tail -1 | cut -f4,5)" = "$sequence$behind"$'\t'"$other$behind" ]
  [ "$(numbers padded.tsv | tail -1 | cut -f10)" = "$(numbers one.tsv | tail -1 | cut -f10)" ]
  bigdna variants "$shared/pre" one.vcf -g "$genome" --context 200 --effects LLR,DIST --null 10 --quiet -o null.tsv
  [ "$(numbers null.tsv | head -1 | cut -f10-)" = $'LLR\tLLR_percentile\tDIST\tDIST_percentile\tseen' ]
  fails 2 "is not a language model, so it has no LLR" bigdna variants "$shared/run" one.vcf -g "$genome" --effects LLR
}
