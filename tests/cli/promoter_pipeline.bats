# pipelines/promoter.sh at a scale of seconds, on the simulated genome.
load helpers

@test "promoter.sh: dataset, pretraining, fine-tuning, cross-tests, scan; again it does nothing" {
  cp "$TEST_DATA/genome.fa.gz" genome.fa.gz
  arguments=(--scale seconds --genome genome.fa.gz --promoters "$TEST_DATA/tss.bed" --lengths 2000,300 --negatives genomic,permute
    --methods pretrained,scratch,full --threads 1 --no-build --bin "$(dirname "$BIGDNA")" --out out)
  OMP_NUM_THREADS=1 "$BIGDNA_SOURCE_DIR/pipelines/promoter.sh" "${arguments[@]}"
  header out/table.tsv | grep -q '^#negatives'
  # 2 kinds x 2 lengths x (bigdna_pretrained, kmers, bigdna_scratch), and full attention once; encoder and bases where they have a share
  [ "$(grep -v '^#' out/table.tsv | cut -f3 | grep -vcE 'encoder|cnn')" = 13 ]
  [ "$(sed '/^##/d' out/table.tsv | cut -f1-3 | grep -w bigdna_full)" = $'genomic\t2000\tbigdna_full' ]
  # how far the first method is ahead of each other one
  [ "$(awk -F'\t' '!/^#/ && $12 == "."' out/table.tsv | cut -f3 | sort -u)" = bigdna_pretrained ]
  for method in bigdna_pretrained bigdna_scratch kmers; do [ "$(grep -cw "$method" out/table.tsv)" = 4 ]; done
  [ "$(grep -vc '^#' out/cross.tsv)" = 8 ]
  [ -s out/scan.bed ]
  [ -s out/scan.plus.bw ]
  [ -s out/scan.minus.bw ]
  awk '!/^#/ && ($3 > $4 || $4 > $5 || $6 > 1 || $8 > 1) {bad = 1} END {exit bad || NR < 2}' out/scan.tsv
  # the test split is what pretraining did not see
  bgzip -dc out/datasets/genomic.2000/regions.bed.gz | awk '$7 == "test"' | bedtools intersect -v -f 1 -a - -b out/held_out.bed | no_lines
  cp out/table.tsv first
  OMP_NUM_THREADS=1 "$BIGDNA_SOURCE_DIR/pipelines/promoter.sh" "${arguments[@]}"
  same_files first out/table.tsv
  # fewer methods: a table of those
  OMP_NUM_THREADS=1 "$BIGDNA_SOURCE_DIR/pipelines/promoter.sh" "${arguments[@]}" --methods scratch
  [ "$(sed '/^##/d' out/table.tsv | cut -f3 | grep -vE 'encoder|cnn' | sort -u | paste -sd' ')" = "bigdna_scratch kmers method" ]
}

@test "promoter.sh: an evaluation that fails ends it" {
  mkdir bin
  cat >bin/bigdna <<'END'
#!/bin/bash
[[ $1 != evaluate ]] || exit 7
while (($#)); do [[ $1 != -o ]] || { mkdir -p "$2" && touch "$2/run.json"; }; shift; done
END
  chmod +x bin/bigdna
  cp "$TEST_DATA/genome.fa.gz" genome.fa.gz
  run "$BIGDNA_SOURCE_DIR/pipelines/promoter.sh" --no-build --bin "$PWD/bin" --scale seconds --genome genome.fa.gz --promoters tss.bed \
    --lengths 300 --negatives genomic --methods scratch --out out
  [ "$status" = 7 ]
}

@test "promoter.sh: unknown arguments are refused" {
  run "$BIGDNA_SOURCE_DIR/pipelines/promoter.sh" --no-such-flag
  [ "$status" = 2 ]
  run "$BIGDNA_SOURCE_DIR/pipelines/promoter.sh" --scale huge
  [ "$status" = 2 ]
}

@test "every pipeline: --help is its first comment; an option without its value, or an unknown one, is a usage error" {
  for name in promoter chromatin context_length compare pretrain_human quickstart; do
    run "$BIGDNA_SOURCE_DIR/pipelines/$name.sh" --help
    [ "$status" = 0 ]
    [ "$output" = "$(awk 'NR > 1 && !/^#/ {exit} NR > 1 {sub(/^# ?/, ""); print}' "$BIGDNA_SOURCE_DIR/pipelines/$name.sh")" ]
    fails 2 "$name: unknown argument --no-such-flag (see --help)" "$BIGDNA_SOURCE_DIR/pipelines/$name.sh" --no-such-flag
    run "$BIGDNA_SOURCE_DIR/pipelines/$name.sh" --no-build --out
    [ "$status" = 2 ]
    [ "$output" = "$name: --out needs a value (see --help)" ]
  done
  run "$BIGDNA_SOURCE_DIR/pipelines/human_chr20.sh"
  [ "$status" = 2 ]
}
