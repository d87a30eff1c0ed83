# What every output has in common, whatever the command: the suffix decides the format or is refused, each says where it comes from, and
# contigs have the input's names.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  small_encoder
  small_promoters
  bigdna finetune pre promoters --steps 4 --no-baseline -o promoter --quiet >promoter.out
  small_bins
  bigdna finetune pre bins --steps 4 --no-baseline -o panel --quiet >panel.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
  printf '1\t20000\t20900\tA\t7\t+\n1\t30000\t30100\tB\t8\t-\n' >plain.bed  # the genome's chr1
  printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t20050\tv\t%s\tN\t.\t.\t.\n' \
    "$(samtools faidx "$genome" chr1:20050-20050 | sed 1d | tr a-z A-Z)" | sed 's/\tN\t\./\t'"$(samtools faidx "$genome" chr1:20050-20050 | sed 1d | tr ACGTacgt CATGCATG)"'\t./' >v.vcf
}

md5() { md5sum <"$1" | cut -d' ' -f1; }
# The ## lines of a table, then its only other line that begins with #.
comments() { sed -n '/^##/!q;p' "$1"; }
begins_well() { [ "$(grep -c '^##' "$1")" = "$(comments "$1" | wc -l)" ] && [ "$(sed '/^##/d' "$1" | grep -n '^#' | cut -c1-3)" = '1:#' ]; }

@test "a suffix that a command cannot write is a usage error before any work, which names those that it can" {
  for suffix in parquet csv json bw xlsx tsv.xz zip; do
    fails 2 "x.$suffix: files of this suffix cannot be used here; the formats are TSV (.tsv, .txt)" bigdna embed "$shared/pre" missing.fa -o x.$suffix
    fails 2 "x.$suffix: files of this suffix cannot be used here" bigdna predict "$shared/panel" missing.fa -o x.$suffix
    fails 2 "x.$suffix: files of this suffix cannot be used here" bigdna predict-promoter "$shared/promoter" missing.fa -o x.$suffix
    fails 2 "x.$suffix: files of this suffix cannot be used here" bigdna chromatin "$shared/panel" missing.bed -g "$genome" -o x.$suffix
    fails 2 "x.$suffix: files of this suffix cannot be used here" bigdna variants "$shared/panel" missing.vcf -g "$genome" -o x.$suffix
    fails 2 "x.$suffix: files of this suffix cannot be used here" bigdna tokenize missing.fa --vocab "$shared/pre" -o x.$suffix
    fails 2 "x.$suffix: files of this suffix cannot be used here" bigdna liftover missing.bed --chain missing.chain -o x.$suffix
    fails 2 "x.$suffix: files of this suffix cannot be used here" bigdna evaluate mlm "$shared/pre" missing.fa -o x.$suffix
  done
  fails 2 "calls.bw: files of this suffix cannot be used here" bigdna predict-promoter "$shared/promoter" -g "$genome" --bed calls.bw
  fails 2 "scores.tsv: files of this suffix cannot be used here" bigdna predict-promoter "$shared/promoter" -g "$genome" --bigwig scores.tsv
  fails 2 "counts.tsv: files of this suffix cannot be used here; the formats are JSON (.json)" bigdna embed "$shared/pre" missing.fa --counts counts.tsv
  fails 2 "scores.h5: files of this suffix cannot be used here" bigdna evaluate "$shared/promoter" "$shared/promoters" --scores scores.h5
  fails 2 "x.h5.gz: HDF5 files are compressed internally" bigdna embed "$shared/pre" missing.fa -o x.h5.gz
  fails 2 "x.npy: files of this suffix cannot be used here" bigdna predict "$shared/panel" missing.fa -o x.npy
  nothing_but plain.bed v.vcf
}

@test "HDF5 of regions and of sequences, by every command that predicts; other names are TSV" {
  bigdna predict "$shared/panel" "$TEST_DATA/records.fa" -o sequences.h5 --quiet
  bigdna predict "$shared/panel" -R plain.bed -g "$genome" -o regions.HDF5 --parts --quiet
  bigdna predict-promoter "$shared/promoter" "$TEST_DATA/records.fa" -o promoters.h5 --parts --seen --quiet
  bigdna embed "$shared/pre" "$TEST_DATA/records.fa" -o states.h5 --pool token --quiet
  bigdna chromatin "$shared/panel" plain.bed -g "$genome" -o bins.h5 --quiet
  bigdna variants "$shared/panel" v.vcf -g "$genome" -o effects.h5 --quiet
  for file in *.h5 *.HDF5; do
    [ "$(od -A n -t x1 -N 4 "$file")" = ' 89 48 44 46' ]
    for key in bigdna_version bigdna_command model; do grep -aq "$key" "$file"; done
  done
  bigdna embed "$shared/pre" "$TEST_DATA/records.fa" --quiet >states.tsv
  for name in plain numbered.1 x.txt; do
    bigdna embed "$shared/pre" "$TEST_DATA/records.fa" -o $name --quiet
    same_files states.tsv $name
  done
}

@test "every table begins with version, command and models, then one header; the same on one thread and two" {
  bigdna predict "$shared/panel" "$TEST_DATA/records.fa" --quiet >predict.tsv
  bigdna predict-promoter "$shared/promoter" "$TEST_DATA/records.fa" --threshold 0.25 --ensemble "$shared/promoter/model" --quiet -o promoter.tsv -@1
  bigdna predict-promoter "$shared/promoter" "$TEST_DATA/records.fa" --threshold 0.25 --ensemble "$shared/promoter/model" --quiet -@2 | cmp - promoter.tsv
  bigdna predict-promoter "$shared/promoter" -g "$genome" -R plain.bed --bed sites.bed --threshold 0 --quiet
  bigdna explain "$shared/promoter" -g "$genome" -r chr1:20001-20020 --around 10 -o bases.bedGraph --substitutions changes.tsv --quiet
  bigdna chromatin "$shared/panel" plain.bed -g "$genome" -o chromatin.bed.gz --quiet --device cpu
  bgzip -dc chromatin.bed.gz >chromatin.bed
  bigdna variants "$shared/panel" v.vcf -g "$genome" -o variants.tsv --quiet
  bigdna embed "$shared/pre" "$TEST_DATA/records.fa" --quiet >embed.tsv
  bigdna tokenize "$TEST_DATA/records.fa" --vocab "$shared/pre" --quiet >tokens.tsv
  bigdna tokenize "$TEST_DATA/records.fa" --vocab "$shared/pre" --stats --quiet >statistics.tsv
  bigdna evaluate "$shared/promoter" "$shared/promoters" --quiet --scores scores.tsv --report report --json e.json --resamples 20 -@1 >evaluation.tsv
  bigdna evaluate "$shared/promoter" "$shared/promoters" --quiet --resamples 20 -@2 | cmp - evaluation.tsv
  bigdna evaluate "$shared/panel" "$shared/bins" --no-baseline --quiet --features features.tsv --resamples 20 >groups.tsv
  bigdna evaluate mlm "$shared/pre" "$genome" --tokens 2000 --pairs 0 -o mlm.tsv --differences differences.tsv --quiet
  version=$(bigdna --version | sed -n 's/bigdna \([0-9.]*\) (commit \(.*\))/\1+\2/p')
  for file in *.tsv report/*.tsv chromatin.bed sites.bed bases.bedGraph; do
    begins_well "$file" || { head -5 "$file"; false; }
    [ "$(sed -n 1p "$file")" = "##bigdna_version=$version" ]
    [[ $(sed -n 2p "$file") == '##bigdna_command=bigdna '* ]]
  done
  [ "$(comments promoter.tsv | sed 1d)" = "##bigdna_command=bigdna predict-promoter $shared/promoter $TEST_DATA/records.fa --ensemble $shared/promoter/model --threshold 0.25
##model=promoter $(md5 "$shared/promoter/model/model.safetensors")
##model=promoter $(md5 "$shared/promoter/model/model.safetensors")
##threshold=0.25" ]
  grep -qx '##positive_weight=8' chromatin.bed
  # scores also name the thresholds of calls, and metrics what was resampled
  same_files <(comments evaluation.tsv | grep -v -e '^##resampled=blocks of the genome$' -e '^##verdict=') <(comments scores.tsv | grep -v '^##threshold=[a-z]*:promoter 0[.][0-9]*$')
  [ "$(comments evaluation.tsv | grep -c '^##resampled=') $(comments scores.tsv | grep -c '^##threshold=bigdna:')" = "1 1" ]
  same_files <(comments evaluation.tsv) <(comments report/metrics.tsv)
  grep -q '"bigdna_version"' e.json
  # a comment that is not there in one model and there in another, and a header without # are what parsers trip over
  [[ $(sed '/^##/d' variants.tsv | head -1) == $'#chrom\tpos\tname\tref\talt\tstrand\tref_match\tcontains_unk\tskipped\tDIFF:'* ]]
}

@test "VCF, BCF and JSON say it in their own way; a shell reads the command" {
  mkdir 'a b'
  cp v.vcf $'a b/it\'s.vcf'
  bigdna variants "$shared/panel" $'a b/it\'s.vcf' -g "$genome" -o out.vcf.gz --counts counts.json --quiet
  bgzip -dc out.vcf.gz >out.vcf
  grep -qx "##bigdna_variantsModel=panel $(md5 "$shared/panel/model/model.safetensors")" out.vcf
  command=$(sed -n 's/^##bigdna_variantsCommand=//p' out.vcf)
  grep -q '^##bigdna_variantsVersion=[0-9.]*+[0-9a-f]*$' out.vcf
  bash -c "$command" 2>/dev/null | cmp - out.vcf
  python3 - "$command" <<'PY'
import json, sys
counts = json.load(open("counts.json"))
assert counts["bigdna_command"] == sys.argv[1] and len(counts["model"]) == 1 and counts["command"] == "variants", counts
PY
  bigdna variants "$shared/panel" out.vcf -g "$genome" -o out.bcf --quiet
  bcftools view -h out.bcf | grep -c '^##bigdna_variantsCommand' | grep -qx 2  # the history of both runs, as bcftools keeps it
}

@test "the parts of a job say what the whole says" {
  bigdna chromatin "$shared/panel" "$TEST_DATA/regions.bed" -g "$genome" --quiet >whole.tsv
  for i in 1 2 3; do bigdna chromatin "$shared/panel" "$TEST_DATA/regions.bed" -g "$genome" --shard $i/3 --quiet; done | cmp - whole.tsv
}

@test "contigs have the input's names in every format" {
  bigdna chromatin "$shared/panel" plain.bed -g "$genome" -o c.tsv --quiet
  bigdna chromatin "$shared/panel" plain.bed -g "$genome" -o c.h5 --bigwig tracks --quiet
  bigdna predict-promoter "$shared/promoter" -R plain.bed -g "$genome" -o p.tsv --bed p.bed --bigwig p.bw --threshold 0 --quiet
  bigdna variants "$shared/panel" v.vcf -g "$genome" -o v.tsv --quiet
  for table in c.tsv p.tsv p.bed v.tsv; do [ "$(sed '/^#/d' $table | cut -f1 | sort -u)" = 1 ]; done
  for file in tracks/*.bw p.bw; do if grep -aq chr "$file"; then false; fi; done
  if grep -aq 'chr[0-9X]' c.h5; then false; fi
}

@test "--header: names behind #, names alone as pandas and R read them, or none; the rows are the same, and report reads the first two" {
  chromatin() { bigdna chromatin "$shared/panel" plain.bed -g "$genome" --quiet "$@"; }
  chromatin -o hash.tsv
  chromatin --header hash -o again.tsv
  chromatin --header plain -o plain.tsv -@ 1
  chromatin --header plain -o two.tsv -@ 2
  chromatin --header none >none.tsv
  same_rows hash.tsv again.tsv
  same_files plain.tsv two.tsv
  same_files <(sed '/^##/d; s/^#//' hash.tsv) plain.tsv
  same_files <(sed 1d plain.tsv) none.tsv
  for part in 1 2; do chromatin --header plain --shard $part/2 -o part$part.tsv; done
  bigdna merge part1.tsv part2.tsv -o whole.tsv --quiet
  same_files plain.tsv whole.tsv
  bigdna variants "$shared/panel" v.vcf -g "$genome" --header plain -o effects.tsv --table top.tsv --quiet
  [ "$(head -1 effects.tsv | cut -f1,2)" = "chrom	pos" ]
  [ "$(head -1 top.tsv | cut -f1,2)" = "rank	chrom" ]
  bigdna predict "$shared/panel" - --header plain --quiet <"$TEST_DATA/records.fa" | sed -n 1p | grep -q '^chrom'
  # called sites stay BED, which the next run knows by its ## line
  for run in 1 2; do bigdna predict-promoter "$shared/promoter" -R plain.bed -g "$genome" --bed calls.bed -o tiles.tsv --header plain --quiet; done
  [ "$(head -1 tiles.tsv | cut -f1)" = chrom ]
  head -1 calls.bed | grep -q '^##bigdna_version'
  bigdna report plain.tsv effects.tsv top.tsv -o page.html --quiet
  python3 -c 'import csv; assert [row["chrom"] for row in csv.DictReader(open("plain.tsv"), delimiter="\t")] == ["1", "1"]'
  fails 2 "--header" chromatin --header csv
  fails 2 "--header" bigdna info "$shared/panel" --header plain
}
