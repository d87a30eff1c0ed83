# docs/commands: the first example of a page runs, and prints what the page says (tests/cli/run_example.py).
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  cp "$TEST_DATA"/{genome.fa.gz,peaks.tsv,tss.bed,records.fa,*Peak*} .
}
example() { python3 "$BIGDNA_SOURCE_DIR/tests/cli/run_example.py" "$BIGDNA_SOURCE_DIR/docs/commands/$1.md"; }
# human chromosome 20 as hg19.fa, and a VCF of it
human() {
  [[ -d $BIGDNA_DATA ]] || skip "no real data in \$BIGDNA_DATA"
  local file
  for file in "$BIGDNA_DATA"/genomes/GRCh37.chr20.fa.gz*; do ln -s "$file" "hg19.fa${file#*.fa.gz}"; done
}

@test "vocab" { example vocab; }
@test "tokenize" { example tokenize; }
@test "corpus" { example corpus; }
@test "embed" { example embed; }
@test "likelihood" { example likelihood; }
@test "sample" { example sample; }
@test "fill" { example fill; }
@test "info" { example info; }
@test "dataset chromatin" { example dataset-chromatin; }
@test "dataset promoter" { example dataset-promoter; }
@test "dataset profile" { cp "$TEST_DATA"/{tracks.tsv,atac.bam} .; example dataset-profile; }
@test "coverage" { cp "$TEST_DATA/atac.bam" .; example coverage; }
@test "convert" { cp -r "$TEST_DATA/profile" .; example convert; }
@test "profile" { cp -r "$TEST_DATA/profile" .; example profile; }
@test "merge" { example merge; }
@test "train" { example train; }
@test "pretrain" { example pretrain; }
@test "evaluate mlm" { example evaluate-mlm; }

table_of_tutorial() { bash -c "$(awk '/^```/ {inside = !inside; if (!inside) exit; next} inside' "$BIGDNA_SOURCE_DIR/docs/tutorials/table.md")"; }
@test "dataset table: the table of the tutorial" {
  table_of_tutorial
  example dataset-table
}
@test "finetune: the table of the tutorial" {
  table_of_tutorial
  example finetune
}

@test "evaluate: the model of the tutorial" {
  bigdna dataset chromatin --peaks peaks.tsv -g genome.fa.gz --keep all --upstream 0 --downstream 0 --validation chrX --test chr3 -o bins --quiet
  bigdna train bins --preset tiny --epochs 2 --precision fp32 --no-baseline -o model --quiet
  example evaluate
}

@test "chromatin" { human; example chromatin; }
@test "predict" { human; example predict; }
@test "predict-promoter" { human; example predict-promoter; }
@test "explain" { human; example explain; }
@test "motifs" { human; example motifs; }

@test "marginalize" {
  human
  {
    printf 'MEME version 4\n\nALPHABET= ACGT\n\nMOTIF CTCF\nletter-probability matrix: alength= 4 w= 12\n'
    printf '%s\n' '0 1 0 0' '0 1 0 0' '1 0 0 0' '0 1 0 0' '.25 .25 .25 .25' '1 0 0 0' '0 0 1 0' '.5 0 .5 0' '0 0 .5 .5' '0 0 1 0' '0 0 1 0' '0 1 0 0'
  } >ctcf.meme
  example marginalize
}

@test "variants" {
  human
  bcftools view -G "$BIGDNA_DATA/variants/1000G_b37_chr20_1-4Mb_300hap.reference.vcf.gz" | awk '/^#/ || ++n <= 5' >calls.vcf
  example variants
}

@test "design" { human; example design; }

@test "haplotypes" {
  human
  gzip -dc "$BIGDNA_DATA/variants/1000G_b37_chr20_1-4Mb_300hap.reference.vcf.gz" | bgzip >phased.vcf.gz
  tabix -p vcf phased.vcf.gz
  example haplotypes
}

@test "every page has an example that is run here, or none; no output but the help's is in a plain fence" {
  for file in "$BIGDNA_SOURCE_DIR"/docs/commands/*.md; do
    name=$(basename "$file" .md)
    sed '/^## \(Columns\|All options\)$/,$d' "$file" | awk -v file="$name" '/^```/ { if (!inside && $0 == "```") { print file ": a plain fence, line " NR; bad = 1 } inside = !inside } END { exit bad }'
    grep -q '^```text$' "$file" || continue
    [ "$name" = doctor ] || grep -q "example $name" "$BATS_TEST_FILENAME"
  done
}

@test "a page that prints something else fails" {
  printf '```sh\necho 1.04 a\necho b\n```\n```text\n1.0 a\n```\n' >page.md
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/run_example.py" page.md
  sed -i 's/^1.0 a/1.3 a/' page.md
  not python3 "$BIGDNA_SOURCE_DIR/tests/cli/run_example.py" page.md 2>err
  grep -q 'does not print' err
}
