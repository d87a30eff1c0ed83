# Bad input to the commands that run a model: one line, exit 1, nothing left behind.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bgzip -dc "$TEST_DATA/genome.fa.gz" | sed -n 1,3400p >genome.fa
  bigdna vocab genome.fa -o other_vocabulary --size 80 --quiet
  bigdna pretrain genome.fa -o run --preset tiny --layers 1 --heads 1 --hidden 16 --ffn 32 --max-length 64 --block 8 --vocab-size 60 \
    --steps 2 --batch 2 --device cpu --quiet
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

@test "a vocabulary without [CLS]" {
  sed -i 's/\[CLS\]/[CLX]/g' model/spiece.model model/tokenizer*.json
  rm model/bigdna.json
  fails 1 "model: its vocabulary lacks [CLS] or [SEP]" bigdna embed model "$TEST_DATA/records.fa" -o out.tsv --quiet
  fails 1 "model: its vocabulary lacks [CLS] or [SEP]" bigdna evaluate mlm model "$TEST_DATA/genome.fa.gz" -R "$TEST_DATA/regions.bed" -o out --quiet
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 \
    --test chrX --validation 0 -o rows --quiet
  fails 1 "model: its vocabulary lacks [CLS] or [SEP]" bigdna finetune promoter model rows -o out --quiet
  rm -r rows
  nothing_but model
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
