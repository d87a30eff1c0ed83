# Jobs, whatever the command: what --resume takes for the same job, where outputs go, and what the system refuses.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  tiny=(--preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 2 --batch 2 --hold-out chr3 --evaluation-tokens 1000 --quiet -@1)
  bigdna pretrain "$genome" "${tiny[@]}" -o pre
  bigdna pretrain "$genome" "${tiny[@]}" --seed 2 -o other
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like pre/model --validation chrX -o promoters --quiet
  bigdna finetune pre promoters --steps 4 --no-baseline -o model --quiet -@1 >/dev/null
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz model=$BATS_FILE_TMPDIR/model fasta=$TEST_DATA/records.fa
}

# table ROWS >FILE: a table of sequences with a label that they hold
table() { awk -v rows="$1" 'BEGIN {srand(3); print "sequence,label"; for (i = 0; i < rows; ++i) {s = ""; for (j = 0; j < 60; ++j) s = s substr("ACGT", int(rand() * 4) + 1, 1); print s "," i % 2}}'; }

exchange() {  # A B: each file gets the other's name
  mv "$1" exchanged
  mv "$2" "$1"
  mv exchanged "$2"
}

@test "--resume: a model folder of another program is known by its content" {
  mkdir foreign
  cp "$shared"/pre/model/{config.json,model.safetensors,spiece.model,tokenizer.json} foreign
  options=(foreign "$shared/promoters" --steps 4 --no-baseline --quiet -@1)
  bigdna finetune "${options[@]}" -o run >/dev/null
  bigdna finetune "${options[@]}" -o run --resume >/dev/null
  mv foreign elsewhere  # another path, the same content
  bigdna finetune elsewhere "${options[@]:1}" -o run --resume >/dev/null
  mv elsewhere foreign
  cp "$shared/other/model/model.safetensors" foreign  # as many bytes
  fails 1 "model $PWD/foreign, whose file model.safetensors has changed since" bigdna finetune "${options[@]}" -o run --resume
  cp "$shared/pre/model/model.safetensors" foreign
  sed -i 's/"initializer_range": 0.02/"initializer_range": 0.03/' foreign/config.json
  fails 1 "whose file config.json has changed since" bigdna finetune "${options[@]}" -o run --resume
}

@test "--resume: weights that changed under bigdna's manifest are another model" {
  cp -r "$model/model" mine
  bigdna predict-promoter mine "$fasta" -o out.tsv --resume --quiet
  python3 - mine/model.safetensors <<'PY'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(-4, 2)
    file.write(b"\0\0\0\0")
PY
  fails 1 "out.tsv: was made from an earlier version of model $PWD/mine, whose file model.safetensors has changed since" \
    bigdna predict-promoter mine "$fasta" -o out.tsv --resume --quiet
}

@test "--resume: folders of tables, peak files and DeepSEA's bundle are compared by their files" {
  mkdir tables
  table 50 >tables/train.csv
  table 30 >tables/test.csv
  bigdna dataset table tables -o rows --validation 0 --quiet
  bigdna dataset table tables -o rows --validation 0 --quiet --resume
  touch tables/README.md tables/train.csv
  bigdna dataset table tables -o rows --validation 0 --quiet --resume
  exchange tables/train.csv tables/test.csv
  fails 1 "tables, whose file test.csv has changed since" bigdna dataset table tables -o rows --validation 0 --quiet --resume
  exchange tables/train.csv tables/test.csv
  table 10 >tables/dev.csv
  fails 1 "tables, whose file dev.csv is new" bigdna dataset table tables -o rows --validation 0 --quiet --resume

  cp "$TEST_DATA"/{peaks.tsv,dhs.narrowPeak.gz,hm.broadPeak,tf.narrowPeak} .
  bins=(dataset chromatin --peaks peaks.tsv -g "$genome" --max-bins 100 -o bins --quiet)
  bigdna "${bins[@]}"
  bigdna "${bins[@]}" --resume
  sed -i 1d tf.narrowPeak
  fails 1 "whose file tf.narrowPeak has changed since" bigdna "${bins[@]}" --resume

  table 20 >stdin.csv
  bigdna dataset table - -o piped --quiet <stdin.csv
  fails 1 "- cannot be compared: it is read only once" bigdna dataset table - -o piped --quiet --resume <stdin.csv
}

@test "--resume: what is gone cannot be compared" {
  table 40 >t.csv
  bigdna dataset table t.csv -o rows --quiet
  rm t.csv
  fails 1 "t.csv, which is gone and cannot be compared" bigdna dataset table t.csv -o rows --quiet --resume
}

@test "--resume: auto is recorded as the precision that it stood for" {
  bigdna predict-promoter "$model" "$fasta" -o out.tsv --resume --quiet
  not grep -q '"--precision": "auto"' out.tsv.options.json
  was=$(sed -n 's/.*"--precision": "\(.*\)",/\1/p' out.tsv.options.json)
  bigdna predict-promoter "$model" "$fasta" -o out.tsv --resume --quiet --precision "$was"
  if [ "$was" = fp32 ]; then other=bf16; else other=fp32; fi
  fails 1 "out.tsv: was made with --precision $was, not $other" bigdna predict-promoter "$model" "$fasta" -o out.tsv --resume --quiet --precision "$other"
  # as a machine where auto is the other has left it: complete, a journal, a training run
  cp out.tsv.options.json here.json
  sed -i "s/\"--precision\": \"$was\"/\"--precision\": \"$other\"/" out.tsv.options.json
  message="was made with --precision $other, and auto is $was on this machine: give --precision $other"
  fails 1 "$message" bigdna predict-promoter "$model" "$fasta" -o out.tsv --resume --quiet
  rm out.tsv out.tsv.options.json
  killed_when 'has_bytes 6000 out.tsv.journal' bigdna predict-promoter "$model" -g "$genome" --stride 20 --precision "$other" -o out.tsv --resume --quiet
  fails 1 "out.tsv.journal: $message" bigdna predict-promoter "$model" -g "$genome" --stride 20 -o out.tsv --resume --quiet
  cp -r "$model" run
  sed -i "s/\"--precision\": \"$was\"/\"--precision\": \"$other\"/" run/options.json
  fails 1 "run: $message" bigdna finetune "$shared/pre" "$shared/promoters" --steps 4 --no-baseline -o run --quiet --resume
  bigdna predict-promoter "$model" "$fasta" --shard 1/2 -o part.tsv 2>err
  grep -q "with --precision auto, which is $was here" err
}

@test "--resume: the record lists the outputs; a foreign one does not pass as made" {
  bigdna predict-promoter "$model" "$fasta" -o a.tsv --resume --quiet
  echo foreign >b.bed
  fails 1 "b.bed: exists, but is not what the job of a.tsv.options.json wrote" bigdna predict-promoter "$model" "$fasta" -o a.tsv --bed b.bed --resume --quiet
  [ "$(cat b.bed)" = foreign ]
  rm b.bed
  bigdna predict-promoter "$model" "$fasta" -o a.tsv --bed b.bed --resume --quiet
  nothing_but a.tsv a.tsv.options.json b.bed
  bigdna predict-promoter "$model" "$fasta" -o a.tsv --bed b.bed --resume --quiet
  echo edited >>a.tsv
  fails 1 "a.tsv: exists, but is not what" bigdna predict-promoter "$model" "$fasta" -o a.tsv --bed b.bed --resume --quiet
  fails 2 "--resume needs" bigdna predict-promoter "$model" "$fasta" -o /dev/stdout --resume --quiet
}

@test "--resume=replace keeps a run of the same job and makes that of another anew" {
  train=(finetune "$shared/pre" "$shared/promoters" --steps 4 --no-baseline -@1)
  bigdna "${train[@]}" -o run --quiet >table
  same() { stat -c '%i %y' run/model/model.safetensors; }
  before=$(same)
  bigdna "${train[@]}" -o run --resume=replace >again 2>err  # nothing to do
  diff table again
  [ "$(same)" = "$before" ]
  grep -q "run: is complete" err
  fails 1 "run: was made with --seed 1, not 2 (--resume continues the same job only, --force starts over)" bigdna "${train[@]}" --seed 2 -o run --quiet --resume
  [ "$(same)" = "$before" ]
  touch run/notes run/kmers.msgpack
  fails 1 "run: holds notes, which bigdna did not write and which would be lost" bigdna "${train[@]}" --seed 2 -o run --quiet --resume=replace
  rm run/notes
  bigdna "${train[@]}" --seed 2 -o run --resume=replace >/dev/null 2>err
  [ "$(grep -c "run: was made with --seed 1, not 2 (--resume=replace starts over)" err)" = 1 ]
  [ ! -e run/kmers.msgpack ]
  bigdna "${train[@]}" --seed 2 -o fresh --quiet >/dev/null
  cmp run/model/model.safetensors fresh/model/model.safetensors
  # an input of another content, and a run that was killed before its end
  cp -r "$shared/promoters" rows
  train[2]=rows
  bigdna "${train[@]}" --seed 2 -o run --resume=replace >/dev/null 2>err
  not grep -q "starts over" err
  touch run/.unfinished
  rm run/run.json
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like "$shared/pre/model" --validation chrX --seed 7 -o rows --force --quiet
  bigdna "${train[@]}" --seed 2 -o run --resume=replace >/dev/null 2>err
  grep -q "run: was made with dataset $shared/promoters, not $PWD/rows (--resume=replace starts over)" err
  # only bigdna's own folder of this kind is ever replaced
  fails 1 "rows: holds a dataset, not a run" bigdna "${train[@]}" -o rows --quiet --resume=replace
  fails 2 "--resume cannot be used with --force" bigdna "${train[@]}" -o run --force --resume=replace
  fails 2 "--resume: can be given alone or as --resume=replace" bigdna "${train[@]}" -o run --resume=foo
}

@test "--resume=replace: a dataset, a vocabulary and a pretraining run" {
  bigdna vocab "$genome" -o v --size 200 --quiet
  bigdna vocab "$genome" -o v --size 210 --resume=replace 2>err >/dev/null
  grep -q "v: was made with --vocab-size 200, not 210 (--resume=replace starts over)" err
  bigdna vocab "$genome" -o w --size 210 --quiet
  cmp v/dna.model w/dna.model
  rm v/dna.model  # what is damaged is not the result of this job either
  bigdna vocab "$genome" -o v --size 210 --resume=replace 2>err >/dev/null
  grep -q "v/dna.model: is missing (--resume=replace starts over)" err
  cmp v/dna.model w/dna.model

  run=(pretrain "$genome" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --batch 2 --hold-out chr3 --evaluation-tokens 1000 -@1)
  cp -r "$shared/pre" pre
  bigdna "${run[@]}" --steps 2 -o pre --resume=replace 2>err
  grep -q "pre: is complete" err
  bigdna "${run[@]}" --steps 3 -o pre --resume=replace 2>err
  [ "$(grep -c "pre: was made with --steps 2, not 3 (--resume=replace starts over)" err)" = 1 ]
  bigdna "${run[@]}" --steps 3 -o fresh --quiet
  cmp pre/model/model.safetensors fresh/model/model.safetensors
  # what --hours has chosen for this run is no difference
  bigdna "${run[@]}" --hours 0.0002 -o timed --quiet
  bigdna "${run[@]}" --hours 0.0002 -o timed --resume=replace 2>err
  grep -q "timed: is complete" err
  not grep -q "starts over" err
  bigdna "${run[@]}" --hours 0.0003 -o timed --resume=replace 2>err
  grep -q "timed: was made with --[a-z]* .* (--resume=replace starts over)" err
  grep -q -- "--hours 0.0003: preset tiny" err
  # a workflow engine deletes the file that it takes for the output before it makes it again
  bigdna vocab "$genome" -o v --size 210 --resume=replace --quiet >/dev/null
  rm v/vocabulary.json
  bigdna vocab "$genome" -o v --size 220 --resume=replace 2>err >/dev/null
  grep -q "v: was made with --vocab-size 210, not 220 (--resume=replace starts over)" err
  [ -e v/vocabulary.json ]
  rm v/vocabulary.json
  bigdna vocab "$genome" -o v --size 220 --resume --quiet >/dev/null
  [ -e v/vocabulary.json ]
  rm v/vocabulary.json
  fails 1 "v: is not empty, and was not made by bigdna" bigdna corpus "$genome" --vocab w -o v --resume=replace --quiet
  echo '{"--vocab-size": 210}' >v/options.json
  fails 1 "v: is not empty, and was not made by bigdna" bigdna vocab "$genome" -o v --size 220 --resume=replace --quiet
}

@test "--resume=replace: predictions, with one thread and two" {
  scan=(predict-promoter "$model" -g "$genome" --contigs chr3 --stride)
  bigdna "${scan[@]}" 100 -o out.tsv --resume --quiet
  cp out.tsv first.tsv
  bigdna "${scan[@]}" 100 -o out.tsv --resume=replace 2>err
  grep -q "out.tsv: is complete" err
  bigdna "${scan[@]}" 90 -o out.tsv --resume=replace -@1 2>err
  grep -q "out.tsv: was made with --stride 100, not 90 (--resume=replace starts over)" err
  bigdna "${scan[@]}" 90 -o fresh.tsv --quiet -@2
  same_rows out.tsv fresh.tsv
  not cmp -s out.tsv first.tsv
  bigdna "${scan[@]}" 90 -o out.tsv --resume=replace -@2 2>err
  grep -q "out.tsv: is complete" err
  # an output without a record, one that was edited, and the journal of a job that was killed
  rm out.tsv.options.json
  bigdna "${scan[@]}" 90 -o out.tsv --resume=replace 2>err
  grep -q "out.tsv: exists, and no out.tsv.options.json records its options: it was made without --resume (--resume=replace starts over)" err
  echo edited >>out.tsv
  bigdna "${scan[@]}" 90 -o out.tsv --resume=replace 2>err
  grep -q "out.tsv: exists, but is not what the job of out.tsv.options.json wrote (--resume=replace starts over)" err
  same_rows out.tsv fresh.tsv
  rm out.tsv out.tsv.options.json
  killed_when 'has_bytes 6000 out.tsv.journal' bigdna predict-promoter "$model" -g "$genome" --stride 20 -o out.tsv --resume --quiet
  fails 1 "out.tsv.journal: was made" bigdna "${scan[@]}" 90 -o out.tsv --resume --quiet
  bigdna "${scan[@]}" 90 -o out.tsv --resume=replace 2>err
  grep -q "out.tsv.journal: was made .* (--resume=replace starts over)" err
  same_rows out.tsv fresh.tsv
  [ ! -e out.tsv.journal ]
  echo mine >out.tsv.journal  # no journal at all: never emptied
  fails 1 "is not a journal" bigdna "${scan[@]}" 80 -o out.tsv --quiet --resume=replace
  [ "$(cat out.tsv.journal)" = mine ]
}

# same_rows A B...: the files have the same content, comments apart, which hold the command line
same_rows() {
  local first=$1 other
  shift
  for other; do diff <(grep -v '^##' "$first") <(grep -v '^##' "$other") || return 1; done
}

same_counts() { diff <(grep -v bigdna_ "$1") <(grep -v bigdna_ "$2"); }

@test "outputs into descriptors and pipes" {
  bigdna predict-promoter "$model" "$fasta" -o out.tsv --bed out.bed --counts counts.json --quiet
  bigdna predict-promoter "$model" "$fasta" -o /dev/stdout --quiet | cat >piped.tsv
  bigdna predict-promoter "$model" "$fasta" -o >(gzip >zipped.tsv.gz) --bed >(cat >piped.bed) --counts /dev/fd/5 --quiet 5>counts2.json
  wait
  until gzip -t zipped.tsv.gz 2>/dev/null && [ -s piped.bed ] || [ $((++i)) -gt 50 ]; do sleep 0.1; done
  gzip -d zipped.tsv.gz
  same_rows out.tsv piped.tsv zipped.tsv
  same_rows out.bed piped.bed
  same_counts counts.json counts2.json
  bigdna predict-promoter "$model" "$fasta" -o /dev/null --counts /dev/stderr --quiet 2>counts3.json
  same_counts counts.json counts3.json
  mkfifo pipe
  cat pipe >from_pipe.tsv &
  bigdna predict-promoter "$model" "$fasta" -o pipe --quiet
  wait $!
  same_rows out.tsv from_pipe.tsv
  bigdna tokenize "$fasta" --vocab "$shared/pre/model" -o tokens.tsv --quiet
  bigdna tokenize "$fasta" --vocab "$shared/pre/model" -o /dev/stdout --quiet | cat >tokens2.tsv
  same_rows tokens.tsv tokens2.tsv
  bigdna embed "$shared/pre" "$fasta" -o rows.tsv --quiet
  bigdna embed "$shared/pre" "$fasta" -o /dev/stdout --quiet | cat >rows2.tsv
  same_rows rows.tsv rows2.tsv
  bigdna evaluate "$model" "$shared/promoters" --json evaluation.json --quiet >/dev/null
  bigdna evaluate "$model" "$shared/promoters" --json /dev/fd/5 --quiet 5>&1 >/dev/null | cat >evaluation2.json
  same_counts evaluation.json evaluation2.json
  fails 2 "two outputs would be written to it" bigdna predict-promoter "$model" "$fasta" -o - --counts /dev/stdout --quiet
}

@test "a link under a temporary name is not followed" {
  echo mine >victim
  bash -c 'ln -s victim "out.tsv.$$.partial"; exec bigdna tokenize "$0" --vocab "$1" -o out.tsv --quiet' "$fasta" "$shared/pre/model"
  [ "$(cat victim)" = mine ]
  [ ! -L out.tsv ]
  cp "$fasta" g.fa
  bash -c 'ln -s victim "g.fa.fai.$$.partial"; exec bigdna tokenize g.fa -R "$0" --vocab "$1" -o regions.tsv --quiet' \
    <(printf 'no\t0\t1\n') "$shared/pre/model" 2>/dev/null || true
  [ "$(cat victim)" = mine ]
  [ -s g.fa.fai ]
}

# Lets other users pass through to this test's folder.
open_folder() {
  local folder=$PWD
  while [[ -n $folder ]]; do
    chmod o+x "$folder"
    folder=${folder%/*}
  done
}

@test "an index cache in a shared folder must be this user's alone" {
  [ "$(id -u)" = 0 ] || skip "only root can make another user's folder"
  mkdir -m 555 data
  printf '>chr2\nAAAAAAAAAA\n>chr3\nCCCCCCCCCC\n' >data/g.fa
  cache=tmp/bigdna-65534/fai
  as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent TMPDIR="$PWD/tmp" "$@"; }
  mkdir -m 1777 tmp
  open_folder
  printf 'chr2\t0\t10\n' >two.bed
  as_nobody bigdna tokenize data/g.fa -R two.bed --vocab "$shared/pre/model" --format ids --quiet >before
  name=$(basename $cache/*.fai)
  printf 'chr3\t10\t6\t10\t11\nchr2\t10\t23\t10\t11\n' >"$cache/$name"
  chown root $cache  # the folder of another user
  not as_nobody bigdna tokenize data/g.fa -R two.bed --vocab "$shared/pre/model" --quiet 2>err
  grep -q 'none can be written' err
  chown 65534 $cache  # this user's own, with a wrong index
  not as_nobody bigdna tokenize data/g.fa -R two.bed --vocab "$shared/pre/model" --quiet 2>err
  grep -q 'where it has sequence chr2, the file has chr3' err
}

@test "limits of the system: one line with the cause, and nothing left behind" {
  table 20000 >t.csv
  limited() { bash -c 'ulimit "$0" "$1"; shift; exec "$@"' "$@"; }
  fails 1 "File too large" limited -f 1 bigdna dataset table t.csv -o rows --quiet
  fails 1 "File too large" limited -f 1 bigdna tokenize t.csv --text --vocab "$shared/pre/model" -o out.tsv --quiet
  fails 1 "File too large" limited -f 1 bigdna predict-promoter "$model" -g "$genome" --stride 100 -o out.tsv --quiet
  nothing_but t.csv
  if ! under_asan; then  # which reserves more than any limit leaves
    fails 1 "out of memory" limited -v 450000 bigdna predict-promoter "$model" "$fasta" -o out.tsv --quiet
  fi
  mkdir gone
  cd gone
  rmdir ../gone
  fails 1 "the working folder: No such file or directory" bigdna predict-promoter "$model" "$fasta" --quiet
  fails 1 "the working folder: No such file or directory" bigdna doctor
  cd ..
  nothing_but t.csv
}

@test "without /proc, and with a home that cannot be entered" {
  if ! under_asan && unshare -m true 2>/dev/null; then  # LeakSanitizer reads /proc
    unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh bigdna predict-promoter "$model" "$fasta" --quiet >without.tsv
    [ "$(grep -vc '^#' without.tsv)" = $((14 * 11)) ]
  fi
  [ "$(id -u)" = 0 ] || skip "only root can make a folder that another user cannot enter"
  mkdir -m 700 closed
  open_folder
  for variable in XDG_CACHE_HOME HOME BIGDNA_CACHE; do
    setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent "$variable=$PWD/closed" bigdna doctor >out 2>err || true
    grep -q 'it cannot be written' out
    not grep -q 'internal error' err
  done
}
