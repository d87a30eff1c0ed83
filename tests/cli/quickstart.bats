# pipelines/quickstart.sh at a scale of seconds: the newcomer's first command cannot rot.
# Takes chromosome 20 from $BIGDNA_DATA, else from the Debian packages the script itself downloads.

@test "quickstart.sh runs every step" {
  local data=()
  [[ -d ${BIGDNA_DATA:-$BIGDNA_SOURCE_DIR/../shared/data} ]] && data=(--data "${BIGDNA_DATA:-$BIGDNA_SOURCE_DIR/../shared/data}")
  local out=$BATS_TEST_TMPDIR/out
  run "$BIGDNA_SOURCE_DIR/pipelines/quickstart.sh" --no-build --scale seconds --bin "$(dirname "$BIGDNA")" --out "$out" "${data[@]}"
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(grep -vc '^#' "$out/chromatin.tsv")" -eq 3 ]
  [ "$(grep -vc '^#' "$out/promoters.tsv")" -eq "$(grep -c '^>' "$out/sequences.fa")" ]
  [ -s "$out/pretrain/model/model.safetensors" ]
}

@test "quickstart.sh refuses an output folder that exists, and unknown arguments" {
  run "$BIGDNA_SOURCE_DIR/pipelines/quickstart.sh" --no-build --out "$BATS_TEST_TMPDIR"
  [ "$status" -eq 1 ]
  [[ $output == *"exists already"* ]]
  run "$BIGDNA_SOURCE_DIR/pipelines/quickstart.sh" --no-such-flag
  [ "$status" -eq 2 ]
}
