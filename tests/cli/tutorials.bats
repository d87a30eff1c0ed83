# docs/tutorials: every command runs, and prints what the page says. BIGDNA_RECORD=1 writes into the pages what is printed now.
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  cp "$TEST_DATA"/{genome.fa.gz,atac.bam,tracks.tsv,peaks.tsv,tss.bed,regions.bed,records.fa,*Peak*} .
  cp -r "$TEST_DATA/profile" .
  export TORCHINDUCTOR_CACHE_DIR=$BATS_TEST_TMPDIR/inductor  # which transformers makes in $TMPDIR otherwise
  export ENCODER=$BIGDNA_SOURCE_DIR/models/human-chr20-encoder HF_HUB_OFFLINE=1 PYTHONPATH=$BIGDNA_SOURCE_DIR/apps/python
}
page() { python3 "$BIGDNA_SOURCE_DIR/tests/cli/run_page.py" "$BIGDNA_SOURCE_DIR/docs/tutorials/$1.md"; }

# chromosome 20 as hg19.fa.gz, and three peak files with their table
human() {
  [[ -d $BIGDNA_DATA ]] || skip "no real data in \$BIGDNA_DATA"
  local file name
  for file in "$BIGDNA_DATA"/genomes/GRCh37.chr20.fa.gz*; do ln -s "$file" "hg19.fa${file#*.fa}"; done
  printf 'file\tname\tcell\tassay\tgroup\n' >peaks.tsv
  for name in GM12878.SPI1 K562.CEBPB K562.CTCF; do
    file=ChIPseq.$name.conservative.train.narrowPeak.gz
    cp "$BIGDNA_DATA/chromatin/dream_tf_hg19/$file" .
    printf '%s\t%s\t%s\tChIP-seq\tTF\n' "$file" "${name#*.}" "${name%.*}" >>peaks.tsv
  done
}

@test "I have a genome and peaks" { page peaks; }
@test "I have peaks of a human experiment" {
  human
  { page human-peaks; }
}
@test "I have reads of an experiment" { page tracks; }
@test "I have a VCF" { page variants; }
@test "I have a ChromBPNet or BPNet model" { page chrombpnet; }
@test "I have a CSV" { page table; }
@test "I have an assembly" { page promoters; }
@test "I have a genome, and no labels" { page genome; }
@test "From Python" {
  [[ -x $("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/peers/bin/python ]] || skip "no Python environment: tests/peers/setup.sh installs it"
  { page python; }
}
@test "On a cluster" { page cluster; }

notebook() {
  local python
  python=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/peers/bin/python
  "$python" -c 'import h5py, ipykernel, matplotlib, nbclient, pandas, pyBigWig' 2>/dev/null ||
    skip "no Python environment that runs notebooks: tests/peers/setup.sh installs it"
  "$python" "$BIGDNA_SOURCE_DIR/tests/cli/run_notebook.py" "$@"
}

@test "A notebook: its cells run, print what it shows, and draw pictures" {
  notebook "$BIGDNA_SOURCE_DIR/docs/tutorials/notebook.ipynb"
  [ "$(stat -c %s "$BIGDNA_SOURCE_DIR/docs/tutorials/notebook.ipynb")" -lt 1000000 ]
}

@test "a notebook that prints something else, or lacks a picture, fails" {
  export BIGDNA_RECORD=
  cell() {
    printf '{"cells": [{"cell_type": "code", "id": "a", "execution_count": 1, "metadata": {}, "source": "%s", "outputs": [%s]}],
      "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}}, "nbformat": 4, "nbformat_minor": 5}' "$1" "$2" >cell.ipynb
  }
  cell 'print(1.01)' '{"output_type": "stream", "name": "stdout", "text": "1.02"}'
  notebook cell.ipynb
  cell 'print(1.01)' '{"output_type": "stream", "name": "stdout", "text": "1.2"}'
  not notebook cell.ipynb
  cell 'print(1.01)' "{\"output_type\": \"display_data\", \"metadata\": {}, \"data\": {\"image/png\": \"$(printf 'A%.0s' {1..2000})\"}}"
  not notebook cell.ipynb
  cell '1 / 0' ''
  not notebook cell.ipynb
}

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
