load helpers

# A model of eight hidden units, two steps old: enough to be converted.
setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bigdna pretrain "$TEST_DATA/genome.fa.gz" -o run --architecture bigbird --quiet --layers 1 --heads 2 --hidden 8 --ffn 16 --max-length 64 --block 8 \
    --vocab-size 64 --vocab-bases 50000 --passes 1 --steps 2 --batch 2 --evaluation-tokens 200 --device cpu --precision fp32
}

@test "a model folder converted to itself holds the same weights and vocabulary" {
  bigdna convert "$BATS_FILE_TMPDIR/run/model" -o out --quiet
  same_files out/model.safetensors "$BATS_FILE_TMPDIR/run/model/model.safetensors"
  same_files out/spiece.model "$BATS_FILE_TMPDIR/run/model/spiece.model"
  same_files out/config.json "$BATS_FILE_TMPDIR/run/model/config.json"
  grep -q training_intervals out/bigdna.json
}

@test "--head keeps chosen heads, and cannot make what is not there" {
  bigdna convert "$BATS_FILE_TMPDIR/run/model" -o mlm --head mlm --quiet
  grep -q BigBirdForMaskedLM mlm/config.json
  not grep -q seq_relationship mlm/model.safetensors
  fails 1 "cannot become pretraining" bigdna convert mlm -o again --head pretraining
  nothing_but mlm
}

@test "--vocab: another vocabulary than the weights were trained with is refused" {
  bigdna vocab "$TEST_DATA/genome.fa.gz" -o other --vocab-size 40 --quiet
  fails 1 "is not the one it was trained with" bigdna convert "$BATS_FILE_TMPDIR/run" -o out --vocab other --quiet
  [ ! -e out ]
}

@test "--random-blocks is written to config.json" {
  bigdna convert "$BATS_FILE_TMPDIR/run/model" -o out --random-blocks original --quiet
  grep -q '"random_blocks": "original"' out/config.json
}

@test "--pattern keeps the weights and changes the attention" {
  bigdna convert "$BATS_FILE_TMPDIR/run" -o out --pattern full --quiet
  grep -q '"name": "full"' out/config.json
  grep -q '"attention_type": "original_full"' out/config.json
  cmp out/model.safetensors "$BATS_FILE_TMPDIR/run/model/model.safetensors"
  fails 1 "pattern bigbird cannot become bigbird-etc" bigdna convert "$BATS_FILE_TMPDIR/run/model" -o etc --pattern bigbird-etc
  fails 2 "--pattern" bigdna convert "$BATS_FILE_TMPDIR/run/model" -o other --pattern dense
}

@test "--max-length: where positions are no weights" {
  fails 2 "--max-length: must be from 3 to 16777216, not 100000000000" bigdna convert run -o out --max-length 100000000000
  fails 1 "its 64 positions are weights, so its length cannot be changed to 200 tokens" bigdna convert "$BATS_FILE_TMPDIR/run/model" -o out --max-length 200
  bigdna pretrain "$BATS_FILE_TMPDIR/run/corpus" -o run --architecture modern --quiet --layers 1 --heads 2 --hidden 8 --ffn 16 --max-length 64 --block 8 \
    --steps 2 --batch 2 --evaluation-tokens 200 --device cpu --precision fp32
  bigdna convert run -o longer --max-length 200 --quiet
  grep -q '"max_position_embeddings": 200' longer/config.json
  cmp longer/model.safetensors run/model/model.safetensors
  { echo ">x"; head -c 900 /dev/zero | tr '\0' A; echo; } >x.fa
  bigdna embed longer x.fa -o longer.safetensors --precision fp32 --quiet
  bigdna embed run x.fa -o short.safetensors --precision fp32 --quiet
  not cmp -s longer.safetensors short.safetensors
}

@test "a folder that transformers wrote runs in huggingface mode" {
  cp -r "$BATS_FILE_TMPDIR/run/model" theirs
  rm theirs/bigdna.json
  python3 - <<'PY'
import json
config = json.load(open("theirs/config.json"))
del config["bigdna"]
json.dump(config, open("theirs/config.json", "w"))
PY
  bigdna convert theirs -o out --quiet
  grep -q '"random_blocks": "huggingface"' out/config.json
}

@test "a decoder of its own is not tied in silence" {
  cp -r "$BATS_FILE_TMPDIR/run/model" theirs
  rm theirs/bigdna.json
  sed -i 's/"tie_word_embeddings": true/"tie_word_embeddings": false/' theirs/config.json
  fails 1 "config.json says tie_word_embeddings false, but there is no cls.predictions.decoder.weight" bigdna convert theirs -o out
  python3 - <<'PY'
import json, struct
raw = open("theirs/model.safetensors", "rb").read()
size = struct.unpack("<Q", raw[:8])[0]
header, data = json.loads(raw[8:8 + size]), raw[8 + size:]
first = header["bert.embeddings.word_embeddings.weight"]
begin, end = first["data_offsets"]
header["cls.predictions.decoder.weight"] = dict(first, data_offsets=[len(data), len(data) + end - begin])
text = json.dumps(header).encode()
for name, tail in (("same", data[begin:end]), ("other", data[begin:end - 1] + b"A")):
    open(name, "wb").write(struct.pack("<Q", len(text)) + text + data + tail)
PY
  cp same theirs/model.safetensors
  bigdna convert theirs -o out --quiet
  same_files out/model.safetensors "$BATS_FILE_TMPDIR/run/model/model.safetensors"
  cp other theirs/model.safetensors
  local message="cls.predictions.decoder.weight differs from bert.embeddings.word_embeddings.weight; a decoder of its own is not supported"
  fails 1 "$message" bigdna convert theirs -o out2
  fails 1 "$message" bigdna evaluate mlm theirs "$TEST_DATA/genome.fa.gz"
  fails 1 "$message" bigdna pretrain "$BATS_FILE_TMPDIR/run/corpus" -o run2 --init-from theirs --steps 1 --quiet
  sed -i 's/"tie_word_embeddings": false/"tie_word_embeddings": true/' theirs/config.json
  fails 1 "$message" bigdna convert theirs -o out2
  bigdna convert theirs -o encoder --head none --quiet
  grep -q '"head": "none"' encoder/config.json
  not grep -q decoder encoder/model.safetensors
}

@test "errors name file and cause, and leave nothing behind" {
  fails 1 "nowhere: no such file or folder" bigdna convert nowhere -o out
  cp -r "$BATS_FILE_TMPDIR/run/model" bad
  head -c 2000 bad/model.safetensors >cut
  mv cut bad/model.safetensors
  fails 1 "bad/model.safetensors" bigdna convert bad -o out
  rm bad/model.safetensors
  fails 1 "bad: has no model.safetensors" bigdna convert bad -o out
  echo weights >bad/pytorch_model.bin
  for input in bad bad/pytorch_model.bin; do
    fails 1 "bad/pytorch_model.bin: is not a safetensors file; bigdna reads no pickles of PyTorch. To save the weights as one: python -c" bigdna convert $input -o out
  done
  fails 1 "torch.load('bad/pytorch_model.bin', map_location='cpu', weights_only=True).items()}, 'bad/model.safetensors')" bigdna evaluate mlm bad "$TEST_DATA/genome.fa.gz"
  cp "$BATS_FILE_TMPDIR/run/model/model.safetensors" bad
  rm bad/config.json
  fails 1 "bad/config.json: no such file" bigdna convert bad -o out
  bigdna convert "$BATS_FILE_TMPDIR/run/model" -o resumed --head mlm --resume --quiet
  run bigdna convert "$BATS_FILE_TMPDIR/run/model" -o resumed --head mlm --resume
  [[ $output == *" bigdna convert: resumed: is complete" ]]
  fails 1 "resumed: was made with --head mlm, not none" bigdna convert "$BATS_FILE_TMPDIR/run/model" -o resumed --head none --resume --quiet
  rm -r resumed
  nothing_but bad
}

@test "weights that do not fit config.json are all listed" {
  cp -r "$BATS_FILE_TMPDIR/run/model" bad
  sed -i 's/"num_hidden_layers": 1/"num_hidden_layers": 2/; s/"vocab_size": 64/"vocab_size": 65/' bad/config.json
  fails 1 "missing: bert.encoder.layer.1.attention.output.LayerNorm.bias" bigdna convert bad -o out
  fails 1 "instead of [65, 8]" bigdna convert bad -o out
}

@test "--force never deletes the model that is read" {
  cp -r "$BATS_FILE_TMPDIR/run" run
  (cd run && find . -type f -exec md5sum {} + | sort) >before
  fails 1 "holds the input" bigdna convert run/model -o run/model --force
  fails 1 "holds the input" bigdna convert run -o run/model --force
  (cd run && find . -type f -exec md5sum {} + | sort) >after
  diff before after
}
