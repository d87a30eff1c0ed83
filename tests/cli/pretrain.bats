# bigdna pretrain: the run folder, resuming bit for bit, refusals.
load helpers

# A model of a few seconds, on two short contigs.
small=(--architecture bigbird --layers 1 --heads 2 --hidden 16 --ffn 32 --max-length 64 --block 8 --batch 2 --learning-rate 1e-3
  --evaluation-tokens 1000 --precision fp32 -@ 1)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  python3 - <<'PY'
import random
random.seed(5)
with open("genome.fa", "w") as out:
    for name, length in (("chr1", 90000), ("chr2", 60000), ("chr1_x_alt", 9000)):
        out.write(f">{name}\n" + "".join(random.choice("ACGT") for _ in range(length)) + "\n")
PY
  bigdna pretrain genome.fa -o whole "${small[@]}" --vocab-size 64 --steps 10 --checkpoint-every 5 --evaluate-every 5 -v 2>whole.err
}

@test "one command leaves vocabulary, corpus, metrics, checkpoints and a model" {
  cd "$BATS_FILE_TMPDIR"
  for file in vocabulary/{dna.model,dna.vocab,tokenizer.json,vocabulary.json} corpus/corpus.json metrics.jsonl events.out.tfevents.bigdna learning_curve.svg options.json run.json \
    checkpoints/step-000000010/state.json model/{config.json,model.safetensors,spiece.model,tokenizer.json,tokenizer_config.json,bigdna.json}; do
    [[ -s whole/$file ]] || { echo "missing: $file"; return 1; }
  done
  python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("whole/metrics.jsonl")]
training, evaluations = [l for l in lines if "loss" in l], [l for l in lines if "held_out_bpc" in l]
assert [l["step"] for l in training] == [10] and [l["step"] for l in evaluations] == [5, 10], lines
assert 1.8 < evaluations[-1]["unigram_bpc"] < 2.2, evaluations[-1]
model = json.load(open("whole/model/bigdna.json"))
details = model["details"] if "details" in model else model
assert details["training_intervals"] and details["held_out_intervals"] and "chr1_x_alt" not in str(details)
for counted in details["ngrams"], json.load(open("whole/run.json"))["ngrams"]:
    assert counted["documents"] == counted["of_documents"] > 0 and counted["tokens"] == counted["of_tokens"] > 0, counted
PY
  grep -qE 'n-grams are counted on ([0-9]+) of \1 tokens \(([0-9]+) of \2 documents?\)' whole.err
}

@test "the genome is decoded once, for vocabulary and corpus too" {
  [[ $(grep -c "reading .*genome.fa" "$BATS_FILE_TMPDIR/whole.err") == 1 ]]
  python3 - "$BATS_FILE_TMPDIR" <<'PY'
import hashlib, json, sys
folder = sys.argv[1]
md5 = hashlib.md5(open(folder + "/genome.fa", "rb").read()).hexdigest()
for manifest in ("vocabulary/vocabulary.json", "corpus/corpus.json", "model/bigdna.json"):
    assert md5 in [i["md5"] for i in json.load(open(f"{folder}/whole/{manifest}"))["inputs"]], manifest
PY
}

@test "the plan is logged before a run, and --plan leaves nothing behind" {
  cd "$BATS_FILE_TMPDIR"
  grep -q "tokens/s measured on cpu" whole.err
  cd "$BATS_TEST_TMPDIR"
  bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --plan >plan.txt
  grep -q "^training: " plan.txt
  grep -q "^disk: " plan.txt
  bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --steps 10 --evaluate-every 4 --plan | grep -q "^speed: .* with 3 evaluations$"
  for steps in "10 1" "20 2" "100 3"; do  # checkpoints: no more than are written, and one beyond those that are kept
    bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --steps "${steps% *}" --checkpoint-every 15 --plan | grep -q "^disk: .*, ${steps#* } checkpoint.* and the model$"
  done
  bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --hold-out none --plan | grep -q "^speed: .* with 0 evaluations$"
  nothing_but plan.txt
}

@test "5 steps, kill -9, and resume give the bytes of 10 steps" {
  killed_when '[ -e run/checkpoints/step-000000005 ]' \
    bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --vocab-size 64 --steps 10 --checkpoint-every 5 --evaluate-every 5 --quiet
  bigdna pretrain -o run --resume -@ 1 --precision fp32 --checkpoint-every 5 --quiet
  same_files run/checkpoints/step-000000010 "$BATS_FILE_TMPDIR/whole/checkpoints/step-000000010"
  same_files run/model/model.safetensors "$BATS_FILE_TMPDIR/whole/model/model.safetensors"
}

@test "a stopped run says so, exits 143, and resumes" {
  bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --steps 4000 2>err &
  local pid=$! rc=0
  until [[ -s run/metrics.jsonl ]] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
  fails 1 "run: another process is writing to it" bigdna pretrain -o run --resume
  kill -TERM $pid
  kill -TERM $pid  # a launcher that forwards what its ranks got too
  wait $pid || rc=$?
  [[ $rc == 143 ]] || { echo "exit $rc"; cat err; return 1; }
  tail -1 err | grep -q "stopped by SIGTERM after step"
  [[ ! -e run/run.json ]]
}

@test "a resumed run takes --checkpoint-every, --keep and --log-every from the first one, unless they are given" {
  options=("${small[@]}" --vocab-size 64 --steps 12 --checkpoint-every 2 --keep 4 --log-every 3 --evaluate-every 0 --quiet)
  bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o whole "${options[@]}"
  [[ $(ls whole/checkpoints | xargs) == "last step-000000006 step-000000008 step-000000010 step-000000012" ]]
  cp -r whole run
  rm -r run/run.json run/model run/checkpoints/step-0000000{08,10,12}
  ln -sfn step-000000006 run/checkpoints/last
  touch run/.unfinished  # as a killed run leaves it
  cp -r run other
  cp -r run earlier
  bigdna pretrain -o run --resume -@ 1 --precision fp32 --quiet
  python3 - <<'PY'
import json
timed = ("tokens_per_second",)
read = lambda run: [{k: v for k, v in json.loads(line).items() if k not in timed} for line in open(f"{run}/metrics.jsonl")]
assert read("run") == read("whole"), (read("run"), read("whole"))
PY
  [[ $(ls run/checkpoints | xargs) == "$(ls whole/checkpoints | xargs)" ]]
  same_files run/options.json whole/options.json
  bigdna pretrain -o other --resume --keep 2 --log-every 1 -@ 1 --precision fp32 --quiet
  [[ $(ls other/checkpoints | xargs) == "last step-000000010 step-000000012" ]]
  (( $(wc -l <other/metrics.jsonl) > $(wc -l <whole/metrics.jsonl) ))
  same_files other/model/model.safetensors whole/model/model.safetensors
  grep -q '"--keep": 2' other/options.json
  sed -i '/"--checkpoint-every"/d; /"--keep"/d; /"--log-every"/d' earlier/options.json  # a version that did not record them
  bigdna pretrain -o earlier --resume -@ 1 --precision fp32 --quiet
  same_files earlier/model/model.safetensors whole/model/model.safetensors
}

@test "options without effect: numbers that the pattern does not read are refused, a warm-up that never ends is said" {
  g=$BATS_FILE_TMPDIR/genome.fa
  fails 2 "attention pattern: full does not read --random (" bigdna pretrain "$g" -o run --pattern full --random 5
  fails 2 "attention pattern: window does not read --global (" bigdna pretrain "$g" -o run --pattern window --global 2
  fails 2 "attention pattern: full does not read --stride (" bigdna pretrain "$g" -o run --pattern full --stride 2
  [[ ! -e run ]]
  bigdna pretrain "$g" -o run "${small[@]}" --vocab-size 64 --steps 2 --warmup 3 2>err
  grep -q "warning: --warmup 3: the run has only 2 steps, so the learning rate never reaches its peak" err
}

@test "a finished run resumes to nothing; other options than its own are refused" {
  cp -r "$BATS_FILE_TMPDIR/whole" run
  bigdna pretrain -o run --resume --quiet
  same_files run/model/model.safetensors "$BATS_FILE_TMPDIR/whole/model/model.safetensors"
  fails 1 "run: was made with --batch 2, not 3 (--resume" bigdna pretrain -o run --resume --batch 3
}

@test "a finished run that has lost its model gets it again from its last checkpoint" {
  cp -r "$BATS_FILE_TMPDIR/whole" run
  truncate -s 500 run/model/model.safetensors
  bigdna pretrain -o run --resume -@ 1 2>err
  grep -q "warning: run/model/model.safetensors: has 500 bytes, but .*; the model is made again from the last checkpoint" err
  same_files run/model/model.safetensors "$BATS_FILE_TMPDIR/whole/model/model.safetensors"
  rm -r run/model
  bigdna pretrain -o run --resume -@ 1 --quiet
  same_files run/model/model.safetensors "$BATS_FILE_TMPDIR/whole/model/model.safetensors"
  same_files run/metrics.jsonl "$BATS_FILE_TMPDIR/whole/metrics.jsonl"

  mv run/corpus/dna.model .
  fails 1 "run/corpus/dna.model: is missing (--force starts over)" bigdna pretrain -o run --resume
  mv dna.model run/corpus/
  rm -r run/checkpoints run/model/model.safetensors
  fails 1 "run/model/model.safetensors: is missing (--force starts over)" bigdna pretrain -o run --resume
  fails 1 "run/model/model.safetensors: is missing" bigdna info run
}

@test "--batch-tokens counts tokens; --batch auto measures a micro-batch once and keeps it" {
  bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run --preset tiny --layers 1 --heads 2 --hidden 16 --ffn 32 --max-length 64 --block 8 --batch auto --batch-tokens 400 --steps 2 \
    --evaluation-tokens 1000 --precision fp32 -@ 1 2>err
  grep -q "micro-batches of 6 examples: about .*B each" err
  grep -q "2 steps of 6 x 64 tokens" err
  grep -q '"--micro-batch": 6' run/options.json
  bigdna pretrain -o run --resume -@ 1 --precision fp32 2>err
  not grep "micro-batches of" err
  fails 2 "--batch cannot be used with --batch-tokens" bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o other --batch 2 --batch-tokens 400
  fails 2 "--batch auto cannot be used with --micro-batch" bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o other --batch auto --micro-batch 2
  fails 2 "is read several times" bigdna pretrain <(cat "$BATS_FILE_TMPDIR/genome.fa") -o other
  fails 2 "is read several times" bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" --exclude <(printf 'chr1\t0\t100\n') -o other
  fails 2 "x: must be a positive number or auto" bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o other --batch x
  [[ ! -e other ]]
}

@test "--hours chooses steps by this machine's speed, once, and keeps them" {
  cp "$BATS_FILE_TMPDIR/genome.fa" .
  bigdna pretrain genome.fa -o run "${small[@]}" --preset tiny --vocab-size 64 --hours 0.0003 --evaluate-every 0 2>err
  grep 'pretrain: --hours 0.0003: preset tiny, ' err
  steps=$(grep -oE '"--steps": ?[0-9]+' run/options.json | grep -oE '[0-9]+$')
  (( steps > 1 ))
  grep "training: $steps steps of 2 x 64 tokens" err
  [[ $(tail -1 run/metrics.jsonl) == "{\"step\":$steps,"* ]]
  bigdna pretrain -o run --resume 2>err
  fails 1 "was made with --hours 0.0003, not 0.0004" bigdna pretrain -o run --resume --hours 0.0004
  fails 2 "--steps cannot be used with --hours" bigdna pretrain genome.fa -o other --steps 4 --hours 1
}

@test "checkpoints: --keep, and a link to the last" {
  bigdna pretrain "$BATS_FILE_TMPDIR/whole/corpus" -o run "${small[@]}" --steps 5 --checkpoint-every 1 --keep 3 --log-every 1 --quiet
  [[ $(ls -d run/checkpoints/step-* | xargs -n1 basename | xargs) == "step-000000003 step-000000004 step-000000005" ]]
  [[ $(readlink run/checkpoints/last) == step-000000005 ]]
  python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("run/metrics.jsonl")]
lines = [line for line in lines if "loss" in line]
assert len(lines) == 5 and all(line["gradient_norm"] > 0 and line["update_norm"] > 0 for line in lines), lines
PY
}

@test "--init-from: its architecture, the heads that it has, and what it has seen" {
  cd "$BATS_FILE_TMPDIR"
  on=(--steps 2 --batch 2 --micro-batch 2 --evaluation-tokens 1000 --precision fp32 -@ 1)
  bigdna pretrain genome.fa -o second --init-from whole --hold-out chr1 "${on[@]}" 2>second.err
  grep -q "held-out bp are in the training data of" second.err
  python3 - <<'PY'
import json
def intervals(name, key):
    bases = set()
    for contig, start, end, _ in json.load(open(name + "/model/bigdna.json"))[key]:
        bases.update((contig, i) for i in range(start, end))
    return bases
first, second = intervals("whole", "training_intervals"), intervals("second", "training_intervals")
assert first < second and not second & intervals("second", "held_out_intervals")
assert intervals("second", "held_out_intervals") == {(c, i) for c, i in intervals("whole", "held_out_intervals") if c == "chr1"}
PY
  bigdna pretrain genome.fa -o mlm --init-from whole --objective mlm "${on[@]}" --quiet
  bigdna pretrain genome.fa -o both --init-from mlm "${on[@]}" --quiet  # NSP starts from new weights
  fails 2 "cannot be combined with --init-from" bigdna pretrain genome.fa -o x --init-from whole --pattern full
  fails 2 "cannot be combined with --init-from" bigdna pretrain genome.fa -o x --init-from whole --pattern bigbird  # though it is the default
  fails 2 "cannot be combined with --init-from" bigdna pretrain genome.fa -o x --init-from whole --layers 2
}

@test "a run folder can be given for its model's vocabulary" {
  cd "$BATS_FILE_TMPDIR"
  bigdna tokenize genome.fa --vocab whole --format ids >run.ids
  bigdna tokenize genome.fa --vocab whole/model --format ids >model.ids
  [[ -s run.ids ]]
  same_rows run.ids model.ids
}

@test "a corpus folder takes the genome's place" {
  bigdna pretrain "$BATS_FILE_TMPDIR/whole/corpus" -o run "${small[@]}" --steps 2 --quiet
  [[ -s run/model/model.safetensors && ! -e run/vocabulary && ! -e run/corpus ]]
  fails 2 "contigs, --hold-out, --strands have no effect on the prepared corpus $BATS_FILE_TMPDIR/whole/corpus (" bigdna pretrain "$BATS_FILE_TMPDIR/whole/corpus" -o other --hold-out 0.1 --contigs all --strands both
  fails 1 "holds the input" bigdna pretrain "$BATS_FILE_TMPDIR/whole/corpus" -o "$BATS_FILE_TMPDIR/whole" "${small[@]}" --steps 2 --force
  rm run/run.json
  sed -i 's/"md5": "[0-9a-f]*"/"md5": "0"/' run/options.json
  fails 1 "run: was made from an earlier version of genome" bigdna pretrain -o run --resume
}

@test "a small genome gets a smaller vocabulary" {
  bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --vocab-size 4096 --steps 1 2>err
  grep -q "the genome is small: a vocabulary of 192 pieces instead of 4096" err
}

@test "bad input is one line, and leaves nothing behind" {
  : >empty.fa
  printf '>p\nMKVLAAGE\n' >protein.fa
  cp "$BATS_FILE_TMPDIR/genome.fa" .
  fails 1 "absent.fa: No such file" bigdna pretrain absent.fa -o run
  fails 1 "empty.fa" bigdna pretrain empty.fa -o run
  fails 1 "protein.fa" bigdna pretrain protein.fa -o run
  printf '>s\nACGTACGTACGTACGTACGT\n' >short.fa
  fails 1 "short.fa: has only 20 bp to train on; an example needs two sentences, 1000 bp" bigdna pretrain short.fa -o run --hold-out 0 --quiet
  rm short.fa
  fails 1 "/proc/run" bigdna pretrain genome.fa -o /proc/run
  fails 2 "heads" bigdna pretrain genome.fa -o run --hidden 100 --heads 3
  small=(--heads 2 --ffn 8 --block 8 --max-length 64)
  fails 2 "hidden 4: --init counts needs 8 or more with 2 heads (--init random does not)" bigdna pretrain genome.fa -o run "${small[@]}" --hidden 4
  fails 2 "hidden 2: --init counts needs 6 or more with 1 head (" bigdna pretrain genome.fa -o run --architecture modern --heads 1 --hidden 2
  fails 2 "hidden 12: --init counts needs 16 or more with 8 heads (" bigdna pretrain genome.fa -o run --architecture bigbird --heads 8 --hidden 12
  fails 2 "max-length 4: must be 5 or more ([CLS], " bigdna pretrain genome.fa -o run --max-length 4
  fails 2 "max-length 2: must be 3 or more ([CLS], " bigdna pretrain genome.fa -o run --max-length 2 --objective mlm
  fails 2 "--resume cannot be used with --force" bigdna pretrain genome.fa -o run --resume --force
  fails 2 "name a genome" bigdna pretrain -o run
  nothing_but empty.fa protein.fa genome.fa
  mkdir full
  : >full/file
  fails 1 "is not empty" bigdna pretrain genome.fa -o full
}

@test "--recompute gives the bytes of a run without it" {
  bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --recompute --vocab-size 64 --steps 10 --checkpoint-every 5 --evaluate-every 5 --quiet
  same_files run/checkpoints/step-000000010 "$BATS_FILE_TMPDIR/whole/checkpoints/step-000000010"
}

@test "one, two and three threads train the same model, and have the same metrics" {
  cd "$BATS_TEST_TMPDIR"
  for threads in 1 2 3; do
    bigdna pretrain "$BATS_FILE_TMPDIR/whole/corpus" -o "run$threads" --preset tiny --layers 1 --heads 2 --hidden 16 --ffn 32 \
      --max-length 300 --block 8 --batch 8 --steps 3 --precision fp32 -@ $threads --quiet
    sed 's/,"tokens_per_second":[^,}]*//' "run$threads/metrics.jsonl" >"metrics$threads"
  done
  for threads in 2 3; do
    cmp run1/model/model.safetensors run$threads/model/model.safetensors
    diff metrics1 metrics$threads
  done
}

@test "--precision bf16 trains about as fp32 does" {
  bigdna pretrain "$BATS_FILE_TMPDIR/whole/corpus" -o run "${small[@]/fp32/bf16}" --steps 10 --quiet
  python3 - "$BATS_FILE_TMPDIR/whole/metrics.jsonl" run/metrics.jsonl <<'PY'
import json, sys
single, half = ([json.loads(line)["loss"] for line in open(path) if "\"loss\"" in line][-1] for path in sys.argv[1:])
assert single != half and abs(single - half) < 0.02, (single, half)
PY
}

@test "--architecture modern: training, resuming bit for bit, --init-from, info; the default of the small presets" {
  cd "$BATS_FILE_TMPDIR"
  on=("${small[@]:2}" --steps 4 --checkpoint-every 2)  # without --architecture
  for objective in mlm+nsp mlm; do
    bigdna pretrain whole/corpus -o "modern-$objective" "${on[@]}" --architecture modern --objective "$objective" --quiet
    bigdna info "modern-$objective" | grep -q "encoder .*modern (ModernBERT), 1 layer,"
    grep -q '"model_type": "modernbert"' "modern-$objective/model/config.json"
  done
  bigdna info whole | grep -q "encoder .*BigBird, 1 layer,"
  bigdna pretrain whole/corpus -o default "${on[@]}" --quiet
  same_files modern-mlm+nsp/model/model.safetensors default/model/model.safetensors
  bigdna pretrain whole/corpus "${on[@]}" --preset base --plan | grep "^model: bigbird, "

  # modern hides every token that it is to predict, bigbird masks as BERT does
  bigdna pretrain whole/corpus -o all "${on[@]}" --masking all --quiet
  same_files all/model/model.safetensors default/model/model.safetensors
  bigdna pretrain whole/corpus -o bert "${on[@]}" --masking bert --quiet
  not cmp -s bert/model/model.safetensors default/model/model.safetensors
  bigdna pretrain whole/corpus -o bert-bigbird "${small[@]}" --steps 4 --masking bert --quiet
  bigdna pretrain whole/corpus -o bigbird "${small[@]}" --steps 4 --quiet
  same_files bert-bigbird/model/model.safetensors bigbird/model/model.safetensors
  fails 2 "none not in {bert,all}" bigdna pretrain whole/corpus -o x --masking none

  killed_when '[ -e cut/checkpoints/step-000000002 ]' bigdna pretrain whole/corpus -o cut "${on[@]}" --architecture modern --objective mlm --quiet
  bigdna pretrain -o cut --resume -@ 1 --precision fp32 --quiet
  same_files cut/model/model.safetensors modern-mlm/model/model.safetensors
  bigdna pretrain whole/corpus -o again "${on[@]}" --architecture modern --objective mlm --recompute --quiet
  same_files again/model/model.safetensors modern-mlm/model/model.safetensors

  bigdna pretrain genome.fa -o further --init-from modern-mlm --objective mlm+nsp --steps 1 --batch 2 --evaluation-tokens 1000 --precision fp32 -@ 1 --quiet
  bigdna info further | grep -q "modern (ModernBERT)"
  bigdna pretrain whole/corpus -o half "${on[@]/fp32/bf16}" --architecture modern --quiet
  bigdna evaluate mlm half whole/corpus --tokens 500 --quiet -@ 1 >scores.tsv
  fails 2 "cannot be combined with --init-from" bigdna pretrain genome.fa -o x --init-from modern-mlm --architecture modern
  fails 2 "needs an even head size (rotary positions), not 7" bigdna pretrain whole/corpus -o x "${on[@]/16/14}" --architecture modern
}

@test "options that would do nothing beside --vocab or --init-from are usage errors" {
  cd "$BATS_FILE_TMPDIR"
  fails 2 "vocab-size, --vocab-bases have no effect with --vocab" bigdna pretrain genome.fa -o out --vocab whole/vocabulary --vocab-size 64 --vocab-bases 500
  fails 2 "init cannot be combined with --init-from" bigdna pretrain genome.fa -o out --init-from whole --init random
  fails 2 "--warmup" bigdna pretrain genome.fa -o out --warmup -5
  [ ! -e out ]
}

@test "a run that is killed while --force empties its folder can be forced again" {
  cp -r "$BATS_FILE_TMPDIR/whole" run
  rm run/run.json run/options.json  # as if the rest were still to be removed
  touch run/.unfinished
  bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --vocab-size 64 --steps 1 --force --quiet
  [ -e run/run.json ]
  [ ! -e run/.unfinished ]
}

@test "info of a checkpoint: step, shape, run; of the folder of checkpoints: what to name instead" {
  cp -r "$BATS_FILE_TMPDIR/whole" run
  rm -f run/checkpoints/last
  step=$(ls run/checkpoints | tail -1)
  ln -s "$step" run/checkpoints/last
  for path in run/checkpoints/last "run/checkpoints/$step/"; do
    bigdna info --verify "$path" >page
    head -1 page | grep -q "^${path%/}: a checkpoint of training, from which a run is resumed$"
    grep -qE "^  step +$((10#${step#step-})), the last of its run$" page
    grep -qE "^  verified +3 files, checksums as recorded$" page
    grep -qE "^  model +.*, [0-9]+ layers?, hidden [0-9]+, vocabulary of [0-9]+ pieces; .*parameters$" page
    grep -qE "^  model folder +$PWD/run/model$" page
  done
  fails 1 "run/checkpoints: holds the checkpoints of a run; info reads one of them (run/checkpoints/last), or the run's model ($PWD/run/model)" \
    bigdna info run/checkpoints
  mv run/model away
  bigdna info run/checkpoints/last | grep -qE "^  model folder +none yet"
  mkdir run/checkpoints/best-000000001
  cp run/checkpoints/last/parameters.safetensors run/checkpoints/best-000000001
  bigdna info run/checkpoints/best-000000001 | grep -q "the parameters of the best step so far"
  printf x >>run/checkpoints/last/exp_avg.safetensors
  fails 1 "last/exp_avg.safetensors: has" bigdna info run/checkpoints/last
  echo '{' >run/checkpoints/last/state.json
  fails 1 "last/state.json: is not JSON" bigdna info run/checkpoints/last
}

@test "info --verify of a run reads its vocabulary, corpus and model" {
  cp -r "$BATS_FILE_TMPDIR/whole" run
  bigdna info --verify run | grep -qE "^ *verified +[0-9]+ files, checksums as recorded"
  printf '\1' | dd of=run/corpus/training/00000.safetensors bs=1 seek=700 conv=notrunc status=none
  bigdna info run >/dev/null
  fails 1 "run/corpus/training/00000.safetensors: its checksum differs" bigdna info --verify run
}
