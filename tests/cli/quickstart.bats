# pipelines/quickstart.sh at a scale of seconds: the newcomer's first command cannot rot.
# Takes chromosome 20 from $BIGDNA_DATA, else from the Debian packages the script itself downloads.

@test "quickstart.sh runs every step" {
  local data=()
  if [[ -d $BIGDNA_DATA ]]; then data=(--data "$BIGDNA_DATA"); fi
  local out=$BATS_TEST_TMPDIR/out
  run "$BIGDNA_SOURCE_DIR/pipelines/quickstart.sh" --no-build --scale seconds --bin "$(dirname "$BIGDNA")" --out "$out" "${data[@]}"
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(grep -vc '^#' "$out/chromatin.tsv")" -eq 3 ]
  [ "$(grep -vc '^#' "$out/promoters.tsv")" -eq "$(grep -c '^>' "$out/sequences.fa")" ]
  [ -s "$out/pretrain/model/model.safetensors" ]
  grep -q '<script type="application/json" id="data">' "$out/report.html"
}

@test "human_chr20.sh takes what it wrote elsewhere, and names what is missing" {
  local given=$BATS_TEST_TMPDIR/given out=$BATS_TEST_TMPDIR/out name
  mkdir -p "$given/features"
  echo genome >"$given/chr20.fa.gz"
  run "$BIGDNA_SOURCE_DIR/pipelines/human_chr20.sh" "$out" "$given"
  [ "$status" -eq 1 ]
  [ "$output" = "human_chr20: $given holds no file named RefSeqTSS.hg19.txt.gz or tss.bed (see --help)" ]
  echo sites >"$given/tss.bed"
  for name in CpGIsland RefSeqTSS2kb RefSeqExon RefSeqTES laminB1lads; do echo $name >"$given/features/$name.bed.gz"; done
  "$BIGDNA_SOURCE_DIR/pipelines/human_chr20.sh" "$out" "$given"
  diff -r -x .complete "$given" "$out"
  # an --out with nothing but data was left by a first step that failed
  rm "$given/tss.bed" "$out/.complete"
  mkdir "$BATS_TEST_TMPDIR/again"
  mv "$out" "$BATS_TEST_TMPDIR/again/data"
  run "$BIGDNA_SOURCE_DIR/pipelines/quickstart.sh" --no-build --data "$given" --out "$BATS_TEST_TMPDIR/again"
  [ "$status" -eq 1 ]
  [[ $output == *"holds no file named RefSeqTSS"* ]]
}

@test "quickstart.sh refuses an output folder with results, and unknown arguments" {
  touch "$BATS_TEST_TMPDIR/held_out.bed"
  run "$BIGDNA_SOURCE_DIR/pipelines/quickstart.sh" --no-build --out "$BATS_TEST_TMPDIR"
  [ "$status" -eq 1 ]
  [[ $output == *"exists already"* ]]
  run "$BIGDNA_SOURCE_DIR/pipelines/quickstart.sh" --no-such-flag
  [ "$status" -eq 2 ]
}
