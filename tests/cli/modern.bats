# A model of pretrain --architecture modern through everything that reads models, and several processes: very small, for behaviour, not skill.
load helpers

modern=(--architecture modern --preset tiny --layers 2 --hidden 32 --max-length 256 --batch 2 --evaluation-tokens 1000 --precision fp32)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  bigdna pretrain "$genome" "${modern[@]}" --vocab-size 200 --hold-out chr3 --steps 4 --log-every 1 -o pre --quiet
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like pre/model --validation chrX -o promoters --quiet
  bigdna finetune pre promoters --steps 4 --evaluations 1 --no-baseline --precision fp32 -o promoter --quiet >promoter.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

@test "transformers' ModernBERT takes no token types" {
  python3 - "$shared/pre/model/tokenizer_config.json" <<'PY'
import json, sys
config = json.load(open(sys.argv[1]))
assert config["model_input_names"] == ["input_ids", "attention_mask"], config
assert config["model_max_length"] == 256 and config["pad_token"] == "[PAD]", config
PY
}

@test "several processes train what one trains" {
  export OMP_NUM_THREADS=1
  ranks 2 bigdna pretrain "$shared/pre/corpus" "${modern[@]}" --steps 4 --log-every 1 --micro-batch 1 --device cpu -@ 1 -o two --quiet
  bigdna pretrain "$shared/pre/corpus" "${modern[@]}" --steps 4 --log-every 1 --micro-batch 1 --device cpu -@ 1 -o one --quiet
  python3 - <<'PY'
import json
one, two = ([json.loads(line) for line in open(f"{name}/metrics.jsonl")] for name in ("one", "two"))
assert len(one) == len(two) == 5
for a, b in zip(one, two):
    for key in a.keys() - {"tokens_per_second"}:
        assert abs(a[key] - b[key]) <= 5e-5 * max(1, abs(a[key])), (key, a[key], b[key])
PY
}

@test "promoters: a fitted head, ModernBERT's head, freezing, predictions, explanations" {
  grep -q "^bigdna.test.auroc" "$shared/promoter.out"
  bigdna finetune "$shared/pre" "$shared/promoters" --pool mean --head classification --steps 2 --evaluations 1 --no-baseline --layer-decay 0.5 \
    -o dense --quiet >/dev/null
  grep -q ModernBertForSequenceClassification dense/model/config.json
  bigdna finetune "$shared/pre" "$shared/promoters" --freeze 2 --random-head --steps 2 --evaluations 1 --no-baseline --precision fp32 -o frozen --quiet >/dev/null
  for model in "$shared/pre" frozen; do
    bigdna embed "$model" "$TEST_DATA/records.fa" --precision fp32 --quiet | sed '/^##/d' | cut -f4- >"$(basename "$model").tsv"
  done
  same_rows pre.tsv frozen.tsv
  bigdna embed "$shared/pre" "$TEST_DATA/records.fa" --layer 1 --precision fp32 --quiet | sed '/^##/d' | cut -f4- >inner.tsv
  not cmp -s pre.tsv inner.tsv
  for model in "$shared/promoter" dense; do
    bigdna predict-promoter "$model" "$TEST_DATA/records.fa" --quiet -@ 1 >one.tsv
    bigdna predict-promoter "$model" "$TEST_DATA/records.fa" --quiet -@ 2 >two.tsv
    same_rows one.tsv two.tsv
  done
  printf 'chr1\t8154\t8155\tplus\t0\t+\n' >plus.bed
  bigdna explain dense -R plus.bed -g "$genome" --around 40 -o bases.bg --quiet
  [ "$(sed '/^##/d' bases.bg | cut -f4 | sort -u | wc -l)" -gt 50 ]
}

@test "chromatin and variants" {
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 200 --downstream 200 --max-bins 300 --split-like "$shared/pre/model" \
    --validation chrX --keep any -o bins --quiet
  bigdna finetune "$shared/pre" bins --steps 2 --evaluations 1 -o chromatin --quiet >/dev/null
  bigdna chromatin chromatin "$TEST_DATA/regions.bed" -g "$genome" --quiet >regions.tsv
  [ "$(grep -vc '^#' regions.tsv)" = "$(grep -vc '^#' "$TEST_DATA/regions.bed")" ]
  printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >one.vcf
  base=$(bgzip -dc "$genome" | awk '/^>/ {on = $1 == ">chr1"; next} on' | tr -d '\n' | cut -c5000 | tr acgt ACGT)
  printf 'chr1\t5000\tv\t%s\t%s\t.\t.\t.\n' "$base" "$([ "$base" = A ] && echo C || echo A)" >>one.vcf
  bigdna variants chromatin one.vcf -g "$genome" --quiet -o effects.tsv
  [ "$(sed '/^#/d' effects.tsv | wc -l)" -ge 1 ]
}

@test "convert: heads, patterns, lengths, and what cannot be" {
  bigdna convert "$shared/pre" -o mlm --head mlm --quiet
  not grep -q nsp.output mlm/model.safetensors
  bigdna convert mlm -o full --pattern full --max-length 400 --quiet
  same_files full/model.safetensors mlm/model.safetensors
  fails 1 "cannot become pretraining" bigdna convert mlm -o again --head pretraining
  fails 1 "cannot become bigbird-etc" bigdna convert mlm -o etc --pattern bigbird-etc
  sed 's/"modernbert"/"big_bird"/' full/config.json >changed
  mv changed full/config.json
  fails 1 "full/model.safetensors: the weights do not fit config.json; missing: bert.embeddings" bigdna convert full -o other --quiet
  nothing_but full mlm
}
