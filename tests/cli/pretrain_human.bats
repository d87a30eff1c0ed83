# pipelines/pretrain_human.sh at its smallest scale, on real chromosome 20.
load helpers

@test "seconds, and again: it resumes to nothing" {
  local chr20
  chr20=$(find -L "$BIGDNA_DATA" -name 'GRCh37.chr20.fa.gz' -print -quit 2>/dev/null || true)
  [[ -n $chr20 ]] || skip "no chromosome 20 in $BIGDNA_DATA"
  pretrain_human() { OMP_NUM_THREADS=1 "$BIGDNA_SOURCE_DIR/pipelines/pretrain_human.sh" "$chr20" --out run --scale seconds --no-build --bin "${BIGDNA%/*}" -- --contigs all "$@"; }
  pretrain_human -@ 2 --quiet
  [[ -s run/model/model.safetensors ]]
  grep -q '"--max-n-fraction"' run/options.json
  pretrain_human -@ 2 2>err
  grep -q "is complete" err
}

@test "bad usage" {
  fails 2 "name a genome and --out" "$BIGDNA_SOURCE_DIR/pipelines/pretrain_human.sh" --out run
  fails 2 "--scale is paper, hour, minutes or seconds" "$BIGDNA_SOURCE_DIR/pipelines/pretrain_human.sh" genome.fa --out run --scale year --no-build
  fails 2 "unknown argument" "$BIGDNA_SOURCE_DIR/pipelines/pretrain_human.sh" genome.fa --fast
}
