# docs/tutorials: every command runs, and prints what the page says. BIGDNA_RECORD=1 writes into the pages what is printed now.
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  cp "$TEST_DATA"/{genome.fa.gz,atac.bam,tracks.tsv,peaks.tsv,tss.bed,regions.bed,records.fa,*Peak*} .
  cp -r "$TEST_DATA/profile" .
  export ENCODER=$BIGDNA_SOURCE_DIR/models/human-chr20-encoder HF_HUB_OFFLINE=1 PYTHONPATH=$BIGDNA_SOURCE_DIR/apps/python
}
page() { python3 "$BIGDNA_SOURCE_DIR/tests/cli/run_page.py" "$BIGDNA_SOURCE_DIR/docs/tutorials/$1.md"; }

@test "I have a genome and peaks" { page peaks; }
@test "I have reads of an experiment" { page tracks; }
@test "I have a VCF" { page variants; }
@test "I have a ChromBPNet or BPNet model" { page chrombpnet; }
@test "I have a CSV" { page table; }
@test "I have an assembly" { page promoters; }
@test "I have a genome, and no labels" { page genome; }
@test "From Python and notebooks" { page python; }
@test "On a cluster" { page cluster; }

@test "every tutorial is run here" {
  for file in "$BIGDNA_SOURCE_DIR"/docs/tutorials/*.md; do
    name=$(basename "$file" .md)
    [ "$name" = README ] || grep -q "{ page $name; }" "$BATS_TEST_FILENAME"
  done
}

@test "a page that prints something else fails" {
  printf '```sh\necho 1.04 a\n```\n```text\n1.0 a\n```\n' >page.md
  export BIGDNA_RECORD=
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/run_page.py" page.md
  sed -i 's/1.0 a/1.1 a/' page.md
  not python3 "$BIGDNA_SOURCE_DIR/tests/cli/run_page.py" page.md 2>err
  printf '```sh\nexit 1\n```\n' >page.md
  not python3 "$BIGDNA_SOURCE_DIR/tests/cli/run_page.py" page.md 2>err
  grep -q 'page.md: exit code 1' err
}
