# Models that have names: where they are looked for, who wins, what lists them, and how the shipped ones are made.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$TEST_DATA/genome.fa.gz" --upstream 0 --downstream 0 --keep all --test chr2,chr3 \
    --validation chrX -o bins --quiet
  bigdna train bins --preset tiny --steps 2 --batch 2 --window 4000 --precision fp32 --no-baseline --quiet -o run >/dev/null
  mkdir first second
  bigdna convert run --weights fp16 -o first/half --quiet
  bigdna convert run -o second/full --quiet
  bigdna convert run --weights bf16 -o second/half --quiet
  printf 'chr1\t20000\t21000\n' >regions.bed
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
  export BIGDNA_MODELS=$shared/first:$shared/second:$shared/none
}

predict() { bigdna chromatin "$1" "$shared/regions.bed" -g "$genome" --tile 200 --precision fp32 --quiet; }

@test "a model's name stands for its folder; the first folder of BIGDNA_MODELS wins" {
  predict half >named.tsv
  predict "$shared/first/half" >path.tsv
  same_rows named.tsv path.tsv
  predict "$shared/second/half" >other.tsv
  not cmp -s <(grep -v '^##' named.tsv) <(grep -v '^##' other.tsv)
  bigdna info half | grep -q "^$shared/first/half: a model folder"
}

@test "info --models without any says where they are looked for" {
  mkdir none
  BIGDNA_MODELS=$PWD/none bigdna info --models 2>err >out
  [ -s out ] || grep -q "warning: there are no models in the folders that BIGDNA_MODELS names" err
}

@test "a path wins over a name" {
  cp -r "$shared/second/half" half
  predict half >path.tsv
  predict "$shared/second/half" >expected.tsv
  same_rows path.tsv expected.tsv
}

@test "info --models lists them once each" {
  bigdna info --models >list
  grep -A3 '^half$' list | grep -q "folder  *$shared/first/half$"
  [ "$(grep -c '^half$' list)" = 1 ]
  grep -A1 '^full$' list | grep -q "network on bases, 3 labels of 200-bp bins"
  echo damaged >broken.json
  mkdir -p mine/broken
  mv broken.json mine/broken/config.json
  BIGDNA_MODELS=mine bigdna info --models | grep -A1 '^broken$' | grep -q damaged
  fails 2 "--models lists all models" bigdna info --models half
  fails 2 "give PATH, --models or --attentions" bigdna info
}

@test "a name that nothing has is an error that says where names come from" {
  fails 1 "nobody: not a model folder (no such folder), and not the name of a model (bigdna info --models)" predict nobody
}

@test "a pattern of that name is still drawn, and a model by its name" {
  mkdir -p mine/window
  cp "$shared/second/full/config.json" mine/window/
  BIGDNA_MODELS=mine bigdna info --pattern window --length 256 | grep -q "^window: 256 tokens"
  fails 1 "is a model of bigdna train, which reads bases" bigdna info --pattern half
}

@test "convert --weights: half the bytes, nearly the same scores, the same folder otherwise" {
  [ "$(stat -c %s "$shared/first/half/model.safetensors")" -lt "$(($(stat -c %s "$shared/second/full/model.safetensors") * 6 / 10))" ]
  bigdna info --verify half | grep -q "checksums as recorded"
  same_files "$shared/run/model/config.json" "$shared/first/half/config.json"
  same_files "$shared/run/model/features.tsv" "$shared/first/half/features.tsv"
  same_files "$shared/run/model/model.safetensors" "$shared/second/full/model.safetensors"
  for name in half full; do predict $name >$name.tsv; done
  python3 - half.tsv full.tsv <<'PY'
import sys
a, b = ([float(x) for line in open(p) if line[0] != "#" for x in line.split("\t")[6:]] for p in sys.argv[1:])
assert len(a) == len(b) == 15 and 0 < max(abs(x - y) for x, y in zip(a, b)) < 5e-3
PY
  fails 1 "only its weights can be converted" bigdna convert half --head mlm -o other
  nothing_but half.tsv full.tsv
}

@test "the models that come with bigdna are whole, and load" {
  cd "$BIGDNA_SOURCE_DIR/models"
  sha256sum --quiet -c SHA256SUMS
  [ "$(find . -mindepth 2 -type f | wc -l)" = "$(wc -l <SHA256SUMS)" ]
  for model in */; do
    bigdna info --verify "$model" | grep -q "checksums as recorded"
    [ "$(stat -c %s "$model/model.safetensors")" -lt 12000000 ]
    head -1 "$model/README.md" | grep -qx -- ---
    bigdna info --models | grep -qx "${model%/}"
  done
  [ "$(du -sb . | cut -f1)" -lt 30000000 ]
  not grep -rlE '/(work|home|root|tmp)/' --include='*.json' --include='*.md' --include='*.tsv' .
}

@test "release_models.sh makes such folders from raw files, and does not train twice" {
  [[ -d $BIGDNA_DATA/chromatin ]] || skip "no data in $BIGDNA_DATA"
  release() { "$BIGDNA_SOURCE_DIR/pipelines/release_models.sh" --no-build --bin "$(dirname "$BIGDNA")" --scale seconds --work work --out models "$@"; }
  release >log 2>&1 || { cat log; return 1; }
  (cd models && sha256sum --quiet -c SHA256SUMS)
  BIGDNA_MODELS=models bigdna info --models >list
  for model in human-chr20-chrX yeast human-chr20-encoder; do
    grep -qx $model list
    grep -q '^| --- |' models/$model/README.md
  done
  # nothing reads chromosome X behind 50 Mb
  for peaks in work/inputs/*/*.gz; do zcat -f "$peaks"; done | cat - work/inputs/EPDnew.hg19.bed | awk '$1 == "chrX" {++n; far += $3 > 50000000} END {exit !(n > 1000 && far == 0)}'
  samtools faidx work/inputs/GRCh37.chr20_chrX.fa.gz
  [ "$(cut -f1,2 work/inputs/GRCh37.chr20_chrX.fa.gz.fai | tr '\n' ' ')" = "$(printf '20\t63025520 X\t50000000 ')" ]
  grep -q '^| TSS | k-mers of the bin | 2 | 0' models/yeast/README.md
  cp -r models before
  release yeast >log 2>&1
  not grep -q 'train: step' log
  same_files before models
  run release nobody
  [ "$status" = 2 ]
}
