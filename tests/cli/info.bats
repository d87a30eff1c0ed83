load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bgzip -dc "$TEST_DATA/genome.fa.gz" | sed -n 1,2000p >genome.fa
  bigdna vocab genome.fa -o vocabulary --size 100 --quiet
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$TEST_DATA/genome.fa.gz" -o dataset --keep any --quiet
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  cp -r "$BATS_FILE_TMPDIR"/{vocabulary,dataset,genome.fa} .
}

@test "a vocabulary: folder, .model and tokenizer.json agree" {
  bigdna info vocabulary >page
  grep -q "^vocabulary: a vocabulary folder, made by bigdna" page
  grep -q "^  command  *bigdna vocab genome.fa -o vocabulary --size 100 --quiet$" page
  grep -q "^  vocabulary  *100 pieces, 5 of them special" page
  [ "$(grep -c '^  vocabulary hash ' page)" = 1 ]
  bigdna info vocabulary/dna.model | sed 1d >model
  bigdna info vocabulary/tokenizer.json | sed 1d >json
  same_files model json
  bigdna info vocabulary/ | sed -n 2,4p | diff - model
}

@test "a vocabulary without its manifest is still one" {
  rm vocabulary/vocabulary.json
  bigdna info vocabulary | grep -c "a vocabulary without a manifest"
}

@test "a manifest in words: numbers, lists, objects, intervals" {
  mkdir made
  cat >made/corpus.json <<'END'
{"kind": "corpus", "version": "0.0.7", "command_line": "bigdna corpus g.fa -o made", "seed": 18446744073709551615,
 "inputs": [{"path": "g.fa", "bytes": 12345678, "md5": "0123456789abcdef0123456789abcdef"}, {"path": "-"}],
 "documents": 7, "mean_length": 75.123456789, "note": "a word", "counts": {"kept": 3, "dropped": {"n": 1, "short": 2}},
 "few": [1, 2, 3], "many": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], "contigs": [{"name": "a"}, {"name": "b"}], "nothing": {},
 "training_intervals": [["a", 0, 1500000], ["a", 2000000, 2500000], ["b", 5, 6]], "held_out_intervals": [["a", 1500000, 2000000]],
 "files": [{"name": "empty.bin", "bytes": 0, "md5": "d41d8cd98f00b204e9800998ecf8427e"}]}
END
  touch made/empty.bin
  golden info_manifest bigdna info --verify made
}

@test "a dataset, and --verify" {
  bigdna info dataset | grep -c "^dataset: a dataset folder, made by bigdna"
  bigdna info --verify dataset | tail -1 | grep -c "3 files, checksums as recorded"
}

@test "a corpus" {
  bigdna corpus genome.fa --vocab vocabulary --passes 1 --sentences 5-10 --hold-out 0.1 -o corpus --quiet
  bigdna info --verify corpus >page
  grep -q "^corpus: a corpus folder, made by bigdna" page
  grep -q "^  verified  *[0-9]* files, checksums as recorded$" page
  printf 'x' | dd of=corpus/training/00000.safetensors bs=1 seek=3000 conv=notrunc status=none
  fails 1 "corpus/training/00000.safetensors: its checksum differs from the recorded one" bigdna info --verify corpus
}

@test "damage is found: another size at once, another byte with --verify" {
  printf '\1' | dd of=dataset/labels.safetensors bs=1 seek=700 conv=notrunc status=none
  bigdna info dataset >/dev/null
  fails 1 "dataset/labels.safetensors: its checksum differs from the recorded one" bigdna info --verify dataset
  truncate -s -1 dataset/labels.safetensors
  fails 1 "dataset/labels.safetensors: has" bigdna info dataset
  rm dataset/labels.safetensors
  fails 1 "dataset/labels.safetensors: is missing" bigdna info dataset
}

@test "an input that changed since is a warning" {
  sed -i 's/info/info/' genome.fa
  bigdna info --verify vocabulary >/dev/null 2>err
  nothing_in_err=$(cat err)
  [ -z "$nothing_in_err" ]
  echo ">new" >>genome.fa
  bigdna info --verify vocabulary 2>err >/dev/null
  grep -q "warning: genome.fa: has changed since it was read" err
}

@test "a safetensors file" {
  bigdna info dataset/labels.safetensors | grep -c "a safetensors file, .*, 1 array$"
  truncate -s -1 dataset/labels.safetensors
  fails 1 "dataset/labels.safetensors: truncated" bigdna info dataset/labels.safetensors
}

@test "what is nothing of bigdna's" {
  mkdir empty
  fails 1 "empty: is not a folder made by bigdna" bigdna info empty
  fails 1 "none: No such file or directory" bigdna info none
  fails 1 "genome.fa: not a SentencePiece model or tokenizer.json (info describes vocabularies, .safetensors files, and folders that bigdna wrote)" bigdna info genome.fa
  fails 2 "give PATH, --models or --attentions (see bigdna info --help)" bigdna info
  touch empty/.unfinished
  fails 1 "empty: is unfinished" bigdna info empty
  cp dataset/dataset.json whole.json
  for inputs in '[5]' '[{"path": 5}]' '[{"path": "x", "md5": 1e300}]' '[{"path": "x", "md5": "y", "bytes": {}}]' '{"a": 1}'; do
    python3 -c 'import json, sys; of = json.load(open("whole.json")); of["inputs"] = json.loads(sys.argv[1]); json.dump(of, open("dataset/dataset.json", "w"))' "$inputs"
    fails 1 "dataset/dataset.json: " bigdna info dataset
  done
  echo '{"kind": "dataset"' >dataset/dataset.json
  fails 1 "dataset/dataset.json: is not JSON" bigdna info dataset
}

@test "--pattern draws a layout as text and as a picture" {
  golden info/pattern bigdna info --pattern bigbird --length 64 --block 4 --random 2
  bigdna info --pattern bigbird --length 64 --block 4 --random 2 --svg picture.svg >/dev/null
  head -1 picture.svg | grep -q '^<svg '
  [ "$(grep -c '<rect' picture.svg)" -gt 256 ]
  not cmp -s <(bigdna info --pattern bigbird --length 1024 --block 16 --head 0) <(bigdna info --pattern bigbird --length 1024 --block 16 --head 1)
  # heads that are drawn one after the other: those of one model, whichever is drawn
  original="bigdna info --pattern bigbird --length 512 --block 16 --random 2 --random-blocks original"
  cmp -s <($original --head 0) <($original --head 0 --heads 12)
  not cmp -s <($original --head 0) <($original --head 0 --heads 1)
  for pattern in bigbird-etc full window random window-random global-window strided fixed blockbert; do
    bigdna info --pattern $pattern | grep -c "^$pattern: 1024 tokens"
  done
}

@test "--pattern: what cannot be drawn" {
  fails 2 "--head 12: each layer has 12 heads (--heads)" bigdna info --pattern bigbird --head 12
  fails 2 "--svg, --length, --global-blocks: only with --pattern" bigdna info x --length 64 --svg p.svg --global-blocks edges
  fails 2 "--verify cannot be used with --pattern" bigdna info --pattern full --verify
  fails 2 "unknown attention pattern bigfoot (bigbird" bigdna info --pattern bigfoot
  fails 2 "the window must be an odd number of blocks, not 2" bigdna info --pattern window --window 2
  fails 2 "attention pattern: full does not read --random (bigbird, bigbird-etc, random, window-random)" bigdna info --pattern full --random 5
  fails 2 "attention pattern: window does not read --global (bigbird, bigbird-etc, global-window, fixed, star)" bigdna info --pattern window --global 2
  fails 2 "blocks (at most 2048 are drawn)" bigdna info --pattern full --length 1000000 --block 16
  fails 1 "No such file or directory" bigdna info --pattern full --svg none/picture.svg
}
