# pipelines/context_length.sh at a scale of seconds: every run is trained, all are compared, and it continues where it stopped.
# Takes chromosome 20 from $BIGDNA_DATA; skipped where there is none.
load helpers

@test "context_length.sh trains twelve runs and compares them at the same masked tokens" {
  [[ -d $BIGDNA_DATA ]] || skip "no real data: $BIGDNA_DATA"
  local script=("$BIGDNA_SOURCE_DIR/pipelines/context_length.sh" --no-build --scale seconds --bin "$(dirname "$BIGDNA")" --data "$BIGDNA_DATA" --out out)
  run "${script[@]}"
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(ls -d out/{tokens,steps}-* | wc -l)" -eq 12 ]
  [ "$(grep -v '^#' out/scores.tsv | cut -f5 | sort -u | wc -l)" -eq 1 ]
  # tokens-bigbird-4096 with its context cut, each with an interval
  [ "$(grep -P '^tokens-bigbird-4096/model\t\d+\ttokens-bigbird-4096/model\t4096\tall\t[-0-9.]+\t[-0-9.]+\t[-0-9.]+$' out/differences.tsv | cut -f2 | tr '\n' ' ')" = "2048 1024 512 " ]
  [ "$(cut -f1 out/accuracy_by_step.tsv | tail -n +2 | sort -u | wc -l)" -eq 12 ]
  rm out/scores.tsv out/steps-full-512/run.json
  touch out/steps-full-512/.unfinished  # as a run that was stopped
  run "${script[@]}"
  [ "$status" -eq 0 ]
  [ "$(grep -c '^== ' <<<"$output")" -eq 1 ]
  [ -s out/scores.tsv ]
}

@test "context_length.sh refuses what it does not know" {
  run "$BIGDNA_SOURCE_DIR/pipelines/context_length.sh" --scale huge --no-build
  [ "$status" -eq 2 ]
  run "$BIGDNA_SOURCE_DIR/pipelines/context_length.sh" --no-such-flag
  [ "$status" -eq 2 ]
}
