# pipelines/chromatin.sh from end to end, at the smallest scale
load helpers

@test "pipelines/chromatin.sh: two models, their ensemble's evaluation and predictions; done steps are not done again" {
  "$BIGDNA_SOURCE_DIR/pipelines/chromatin.sh" --genome "$TEST_DATA/genome.fa.gz" --peaks "$TEST_DATA/peaks.tsv" --scale seconds --out run --no-build \
    --bin "${BIGDNA%/*}" >first.log 2>&1 || { tail -20 first.log; false; }
  for file in metrics.pretrained.600.tsv metrics.scratch.600.tsv metrics.pretrained.600.svg metrics.pretrained.600.json predictions.h5; do [ -s run/$file ]; done
  [ "$(sed '/^##/d' run/metrics.pretrained.600.tsv | cut -f2 | sort -u | paste -sd' ')" = 'bigdna bigdna-kmers kmers method' ]
  [ "$(sed '/^##/d' run/comparison.tsv | cut -f2 | sort -u | paste -sd' ')" = 'bigdna bigdna-scratch.600.1 method scratch.600.1' ]
  sed -n '/== Summary/,$p' first.log | grep -q 'pretrained.600 *TF *bigdna  *median'
  [ "$(sed -n '/== Summary/,$p' first.log | tail -n +2 | grep -vcE ' median [0-9.-]+ \[[0-9.NA-]+, [0-9.NA-]+\], mean [0-9.-]+$')" = 0 ]
  "$BIGDNA_SOURCE_DIR/pipelines/chromatin.sh" --genome "$TEST_DATA/genome.fa.gz" --peaks "$TEST_DATA/peaks.tsv" --scale seconds --out run --no-build \
    --bin "${BIGDNA%/*}" >second.log 2>&1
  grep -q 'is complete' second.log
  same_files <(sed -n '/== Summary/,$p' first.log) <(sed -n '/== Summary/,$p' second.log)
  run "$BIGDNA_SOURCE_DIR/pipelines/chromatin.sh" --genome g
  [ "$status" = 2 ]
}
