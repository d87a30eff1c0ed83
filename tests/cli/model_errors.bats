# Bad input to the commands that run a model: one line, exit 1, nothing left behind.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bgzip -dc "$TEST_DATA/genome.fa.gz" | sed -n 1,3400p >genome.fa
  bigdna vocab genome.fa -o other_vocabulary --size 80 --quiet
  bigdna pretrain genome.fa -o run --preset tiny --layers 1 --heads 1 --hidden 16 --ffn 32 --max-length 64 --block 8 --vocab-size 60 \
    --steps 2 --batch 2 --device cpu --quiet
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 \
    --test chrX --validation 0 -o rows --quiet
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  cp -r "$BATS_FILE_TMPDIR/run/model" .
  corpus=$BATS_FILE_TMPDIR/run/corpus other=$BATS_FILE_TMPDIR/other_vocabulary
}

@test "weights that are missing or truncated" {
  truncate -s -100 model/model.safetensors
  fails 1 "model/model.safetensors: " bigdna evaluate mlm model "$corpus" -o out --quiet
  fails 1 "model/model.safetensors: " bigdna embed model "$TEST_DATA/records.fa" -o out.tsv --quiet
  fails 1 "model/model.safetensors: " bigdna info model
  rm model/model.safetensors
  fails 1 "model/model.safetensors: no such file" bigdna evaluate mlm model "$corpus" -o out --quiet
  fails 1 "model/model.safetensors: no such file" bigdna info model
  rm model/config.json
  fails 1 "model" bigdna evaluate mlm model "$corpus" -o out --quiet
  fails 1 "none" bigdna embed none "$TEST_DATA/records.fa" -o out.tsv --quiet
  nothing_but model
}

# Every command that reads the model says so, and leaves nothing behind. $1: what each says.
refuse_values_of_model() {
  local variants=(variants model calls.vcf -g "$TEST_DATA/genome.fa.gz" --quiet)
  printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t60416\t.\tA\tC\t.\t.\t.\n' >calls.vcf
  for pool in mean cls token base; do
    fails 1 "$1" bigdna embed model "$TEST_DATA/records.fa" --pool $pool -o out.tsv --quiet
  done
  fails 1 "$1" bigdna embed model "$TEST_DATA/records.fa" -o out.h5 --quiet
  fails 1 "$1" bigdna evaluate mlm model "$corpus" -o evaluated --quiet
  fails 1 "$1" bigdna "${variants[@]}" -o out.tsv
  fails 1 "$1" bigdna "${variants[@]}" -o out.vcf
  rm -rf out  # a run's folder can be resumed
  fails 1 "$1" bigdna finetune model "$BATS_FILE_TMPDIR/rows" -o out --steps 2 --quiet
  rm -rf out
  fails 1 "$1" bigdna finetune model "$BATS_FILE_TMPDIR/rows" -o out --steps 2 --freeze 1 --quiet
  rm -rf out calls.vcf
  nothing_but model
}

@test "weights that are NaN or infinite" {
  for value in nan inf; do
    python3 "$BIGDNA_SOURCE_DIR/tests/cli/filled_weights.py" model/model.safetensors layers.0.mlp.Wo.weight $value
    refuse_values_of_model "model/model.safetensors: model.layers.0.mlp.Wo.weight holds values that are not finite numbers"
  done
  rm -rf out
  fails 1 "model/model.safetensors: model.layers.0" bigdna pretrain "$corpus" --init-from model -o out --steps 1 --quiet
  fails 1 "model/model.safetensors: model.layers.0" bigdna convert model -o converted --quiet
}

@test "weights with which the encoder overflows" {
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/filled_weights.py" model/model.safetensors layers.0.mlp.Wo.weight 3e38
  refuse_values_of_model "model: the model gives values that are not finite numbers"
}

@test "a vocabulary without [CLS]" {
  sed -i 's/\[CLS\]/[CLX]/g' model/spiece.model model/tokenizer*.json
  rm model/bigdna.json
  fails 1 "model: its vocabulary lacks [CLS] or [SEP]" bigdna embed model "$TEST_DATA/records.fa" -o out.tsv --quiet
  fails 1 "model: its vocabulary lacks [CLS] or [SEP]" bigdna evaluate mlm model "$TEST_DATA/genome.fa.gz" -R "$TEST_DATA/regions.bed" -o out --quiet
  fails 1 "model: its vocabulary lacks [CLS] or [SEP]" bigdna finetune model "$BATS_FILE_TMPDIR/rows" -o out --quiet
  nothing_but model
}

@test "a tokenizer.json that adds no [CLS] and [SEP], or other tokens" {
  rm model/bigdna.json model/spiece.model
  cp model/tokenizer.json whole.json
  change() {  # the post_processor, as Python
    python3 - "$1" <<'PY'
import json, sys
file = json.load(open("whole.json"))
file["post_processor"] = eval(sys.argv[1], {}, {"now": file["post_processor"]})
json.dump(file, open("model/tokenizer.json", "w"))
PY
  }
  change now
  bigdna embed model "$TEST_DATA/records.fa" -o out.tsv --quiet
  for template in None "dict(now, single=[dict(Sequence=dict(id='A', type_id=0))])"; do
    change "$template"
    for command in "embed model $TEST_DATA/records.fa -o new.tsv" "convert model -o converted"; do
      # shellcheck disable=SC2086
      fails 1 "model: its tokenizer.json puts no [CLS] and [SEP] around a sequence; bigdna always does" bigdna $command --quiet
    done
  done
  change "dict(type='BertProcessing', cls=['[SEP]', 3], sep=['[CLS]', 2])"
  fails 1 "puts other tokens around a sequence than [CLS] and [SEP]" bigdna embed model "$TEST_DATA/records.fa" -o new.tsv --quiet
  nothing_but model whole.json out.tsv
}

@test "a corpus made with another vocabulary" {
  fails 1 "vocabulary" bigdna pretrain "$corpus" --vocab "$other" -o out --quiet
  nothing_but model
}

@test "--device cuda without a GPU" {
  if [ -e /dev/nvidiactl ]; then skip "this machine has a GPU"; fi
  fails 1 "cuda" bigdna evaluate mlm model "$corpus" --device cuda -o out --quiet
  fails 1 "cuda" bigdna embed model "$TEST_DATA/records.fa" --device cuda -o out.tsv --quiet
  nothing_but model
}

@test "a reader that leaves early ends a model command quietly" {
  run bash -c "set -o pipefail; bigdna embed model '$TEST_DATA/records.fa' --quiet --pool token | head -1"
  [[ $status == 0 || $status == 141 ]]  # 141: ended by SIGPIPE; 0: all of it fitted the pipe
  [ "${#lines[@]}" = 1 ]
}
