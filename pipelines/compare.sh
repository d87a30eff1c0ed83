#!/usr/bin/env bash
# Compares attentions, patterns and stacks in one small model (preset tiny: modern, 2 layers of 128): what a step and a forward pass cost by
# length, how far layers reach, whether copies far away are found, what is learnt of human chromosome 20, and whether that tells promoters
# and bins of chromatin, each beside its null.
#   pipelines/compare.sh [--systems "NAME ..."] [--minutes N] [--copy-minutes N] [--length TOKENS] [--lengths "TOKENS ..."] [--causal]
#                        [--peaks TSV] [--quick] [--tokens N] [--copy-tokens N] [--task-steps N] [--jobs N] [--device DEVICE] [--threads N]
#                        [--seed N] [--data DIR] [--out DIR] [--no-build [--bin DIR]]
# --systems  rows of `bigdna info --attentions` (default: all of them): patterns of all heads, or with settings (blockbert:heads=12,local-heads=10;
#            a setting is an option of pretrain without its dashes); attentions in half of the heads from the second
#            layer on, or with settings (lsh:chunk=32,local=0), beside a window in the others or another pattern (lsh+bigbird); and stacks, whose
#            heads attend to a window or by another pattern. Models begin from counts, but those of stacks begin from random weights, as not
#            all stacks can use counts; compare those with `residual`.
# --causal   also train each system that can be causal on chromosome 20 with --objective next, as long as the others
# --minutes, --copy-minutes  training of each system on chromosome 20 (default 10), and on the copy task (default 8)
# --tokens, --copy-tokens  train each system on so many tokens, not for a time
# --task-steps  steps of 16 examples in fine-tuning on promoters and on bins (default: four epochs of each)
# --jobs     trainings at a time (default 1); needs --tokens and --copy-tokens, because trainings side by side slow each other
# --device   of measuring, training and scoring (default: auto)
# --length   tokens of an input of chromosome 20 (default 4096)
# --lengths  at which a training step and a forward pass are measured (default "512 2048 8192 32768"), with `--backend gather` too:
#            LibTorch's operations, so that ideas are compared and not code. What takes more than two minutes or memory that is not there
#            is NA. none: nothing is measured
# --peaks    features of bins of chromosome 20 (docs/commands/dataset-chromatin.md) in place of the five of pipelines/chr20_panel.sh
# --quick    seconds instead of hours, on small data: nothing is learnt, the programs are tried
# --threads  of training and measuring (default: all)
# --data     take chromosome 20 from this folder instead of a Debian package
# --out      where results go (default: compare in the current folder); a restarted run continues where it stopped
#
# The copy task (pipelines/copy_task.awk): random words, a token each, that stand once more 1, 4 or 20 kb away, directly or as reverse
# complement; one model learns all six, in blocks of 8 words, so that a window of 3 blocks holds the copies 1 kb away alone. Chance is 1 word
# in 64. A model finds a kind of copies all at once, after a million tokens or many: a short time shows chance. Chromosome 20: the first 50 Mb for training, the rest held out.
# Unless --tokens is given, all systems train for the same time, one after the other, so each has as many tokens as it can read.
# Results: OUT/compare.tsv (system, measure, at, value, low, high) and OUT/compare.html, its pictures. Measures:
# - tokens_per_second and peak_megabytes of a training step and inference_tokens_per_second of a forward pass, at a length, also _gather;
# - reach_every and reach_farthest, in bp, of one layer and of all (`bigdna info --pattern MODEL`), in the copy task and on chromosome 20;
# - copy_accuracy, the share of hidden words that are found, at DIRECTION_DISTANCE; training_tokens that were read;
# - bits per hidden base of chromosome 20 at a context, and at the distance of the nearest copy; bits_difference, less those of the first
#   system, paired; --causal: autoregressive_bits of each held-out token from those before it;
# - promoter_auroc of held-out promoters of 8000 bp and bins_auroc, the mean over features of held-out bins in 2000 bp, by group of features;
#   _less_kmers and _difference (less the first system): paired.
# Nulls: kmers and scratch:SYSTEM, an encoder from random weights (promoters, bins), shuffled:SYSTEM (context or past in random order), models
# of counts (unigram, trigram, copies, copies_elsewhere; one_sided_* of the tokens before). OUT/differences.tsv has paired differences
# on chromosome 20.
# Default: about 27 systems and twelve hours of two cores.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/options.sh"
systems= minutes=10 copy_minutes=8 tokens= copy_tokens= task_steps= jobs=1 device=auto length=4096 lengths= causal= peaks= quick= threads=$(nproc) seed=1 data= out=compare
read_options "systems: minutes: copy-minutes: tokens: copy-tokens: task-steps: jobs: device: length: lengths: causal peaks: quick threads: seed: data: out:" "$@"
[[ -z $data ]] || data=$(readlink -e "$data") || { echo "compare: --data: no such folder" >&2; exit 1; }
[[ -z $peaks ]] || peaks=$(readlink -e "$peaks") || { echo "compare: --peaks: no such file" >&2; exit 1; }
for number in minutes copy_minutes tokens copy_tokens task_steps jobs length threads seed; do
  [[ ${!number} =~ ^([0-9]+(\.[0-9]+)?|)$ ]] || usage_error "--${number//_/-} is a number"
done
((jobs == 1)) || [[ $quick || ($tokens && $copy_tokens) ]] || usage_error "--jobs needs --tokens and --copy-tokens"
programs
tables=$(bigdna info --attentions)
mapfile -t patterns < <(sed -n '/^## Patterns/,/^## Stacks/s/^| `\([^`]*\)`.*/\1/p' <<<"$tables")
mapfile -t attentions < <(sed -n 's/^### \([a-z]*\):.*/\1/p' <<<"$tables" | grep -vx blocks)  # which is the patterns
mapfile -t stacks < <(sed -n '/^## Stacks/,/^## Not built/s/^| `\([^`]*\)`.*/\1/p' <<<"$tables")
among() { local name=$1; shift; [[ " $* " == *" $name "* ]]; }
# longformer is about global blocks, which a window has not.
read -ra systems <<<"${systems:-${patterns[*]} $(sed 's/\blongformer\b/&+global-window/; s/\betc\b/&+bigbird-etc/' <<<"${attentions[*]}") ${stacks[*]}}"
# options_of SYSTEM: the options of pretrain, and those (`weights`) by which training begins
options_of() {
  local name=${1%%+*} pattern=window layout settings setting
  weights=()
  [[ $1 != *+* ]] || pattern=${1#*+}
  among "${name%%:*}" "${patterns[@]}" && pattern=$name
  among "${pattern%%:*}" "${patterns[@]}" || usage_error "--systems: $1: no pattern is called ${pattern%%:*} (bigdna info --attentions)"
  layout=(--pattern "${pattern%%:*}")
  if [[ $pattern == *:* ]]; then
    IFS=, read -ra settings <<<"${pattern#*:}"
    for setting in "${settings[@]}"; do
      [[ $setting == ?*=?* ]] || usage_error "--systems: $1: $setting is no SETTING=VALUE"
      layout+=("--${setting%%=*}" "${setting#*=}")
    done
  fi
  if [[ $pattern == "$name" ]]; then
    options=("${layout[@]}")
  elif among "${name%%:*}" "${attentions[@]}"; then
    options=(--attention "$name" "${layout[@]}")
  elif among "${name%%:*}" "${stacks[@]}"; then
    options=(--stack "$name" "${layout[@]}") weights=(--init random)
  else
    usage_error "--systems: no attention, pattern or stack is called ${name%%:*} (bigdna info --attentions)"
  fi
}
for system in "${systems[@]}"; do options_of "$system"; done
# causal_options_of SYSTEM: the same for a causal model; false if the system cannot be causal
mapfile -t causal_rows < <(awk '/^## /{ section = $2 } /^### /{ name = substr($2, 1, length($2) - 1) } /^- Claims:/ && !/cannot be causal/ { print name }
  section == "Patterns" && /^\| `/ { split($0, column, " [|] "); if (column[5] ~ /^yes/) print substr(column[1], 4, length(column[1]) - 4) }
  section == "Stacks" && /^\| `/ { print substr($2, 2, length($2) - 2) }' <<<"$tables")
mapfile -t needs_stride < <(sed -n 's/^| `\([^`]*\)` .*yes, with `--stride`.*/\1/p' <<<"$tables")
causal_options_of() {
  options_of "$1"
  local name=${1%%+*} pattern=${options[*]}
  pattern=${pattern#*--pattern } pattern=${pattern%% *}
  among "${name%%:*}" "${causal_rows[@]}" && among "$pattern" "${causal_rows[@]}" || return 1
  # as in an input of the greatest length
  ! among "$pattern" "${needs_stride[@]}" || among --stride "${options[@]}" || options+=(--stride "$(awk -v blocks=$((length / 16)) 'BEGIN { printf "%.0f", sqrt(blocks) }')")
}

word=250  # bp, a token; distances are in words, of which a block has 8 and a window 24
on=(--seed "$seed" -@ "$threads" --device "$device")
common=(--preset tiny --architecture modern "${on[@]}")
if [[ $quick ]]; then
  common+=(--hidden 16 --ffn 32)
  document=32 documents=30 tested=10 distances=4,8,16 copy_batch=8 copy_time=(--steps 4)
  first=5000000 last=5600000 end=5800000 vocab_size=256 batch_tokens=1024 score=4000 time=(--steps 4)
  fine_tuning=(--steps 1 --batch 4) bins=300
  length=256 contexts=128,256 lengths=${lengths:-256 512} limit=20
else
  # how_long TOKENS MINUTES TOKENS_OF_A_STEP: the options
  how_long() { if [[ $1 ]]; then echo --steps $((($1 + $3 - 1) / $3)); else awk -v minutes="$2" 'BEGIN { print "--hours", minutes / 60 }'; fi; }
  document=160 documents=1500 tested=100 distances=4,16,80 copy_batch=48
  read -ra copy_time < <(how_long "$copy_tokens" "$copy_minutes" $((copy_batch * (document + 2))))
  first=0 last=50000000 end=63025520 vocab_size=4096 batch_tokens=16384 score=500000
  read -ra time < <(how_long "$tokens" "$minutes" $batch_tokens)
  fine_tuning=(${task_steps:+--steps "$task_steps"}) bins=4000
  contexts=512,$length lengths=${lengths:-512 2048 8192 32768} limit=120
fi
((length != 512)) || contexts=512
mkdir -p "$out"
"$root/pipelines/human_chr20.sh" "$out/data" ${data:+"$data"}
[[ $peaks || -e $out/data/panel.tsv ]] || "$root/pipelines/chr20_panel.sh" "$out/data"
cd "$out"

# Data: the copy task, with a corpus of the held-out documents of each kind; chromosome 20.
copy_corpus() {
  bigdna corpus copies/genome.fa --vocab copies/vocabulary --contigs all --passes 1 --start 0 --sentences 1-1 \
    --sentence-length $((word * document))-$((word * document)) --seed "$seed" -@ "$threads" --resume --quiet "$@"
}
if [[ ! -e copies/all/corpus.json ]]; then
  mkdir -p copies
  awk -v words=copies/words.txt -v held_out=copies/held_out.bed -v seed="$seed" -v word=$word -v document=$document -v documents=$documents -v tested=$tested \
    -v distances=$distances -f "$root/pipelines/copy_task.awk" >copies/genome.fa
  bigdna vocab copies/words.txt --vocab-size 24000 --max-piece-length $word -o copies/vocabulary --force --quiet
  for kind in $(sed 's/_[0-9]*_held_out.*//' copies/held_out.bed | uniq); do
    grep "^${kind}_" copies/held_out.bed >"copies/$kind.bed"
    sed 's/_held_out//' "copies/$kind.bed" | cat - "copies/$kind.bed" >copies/used.bed  # as many for the models of counts
    copy_corpus -R copies/used.bed --hold-out "copies/$kind.bed" -o "copies/$kind"
  done
  copy_corpus --hold-out copies/held_out.bed -o copies/all
fi
if [[ ! -e corpus/corpus.json ]]; then
  [[ -e data/chr20.fa.gz.fai ]] || samtools faidx data/chr20.fa.gz
  printf '20\t%d\t%d\n' $last $end >held_out.bed
  printf '20\t%d\t%d\n' $first $end >used.bed
  samtools faidx data/chr20.fa.gz "20:$((first + 1))-$last" | bigdna vocab - --vocab-size $vocab_size -o vocabulary --force --seed "$seed" --quiet
  bigdna corpus data/chr20.fa.gz --vocab vocabulary -R used.bed --hold-out held_out.bed --passes 4 -o corpus --resume --seed "$seed" -@ "$threads" --quiet
fi

# Cost. measure TOKENS BACKEND OPTION...: tokens/s and peak MB of a training step and tokens/s of a forward pass, or NA where time or memory
# did not suffice.
memory=$(awk '/^MemAvailable/ { print int(0.8 * $2) }' /proc/meminfo)
measure() {
  local plan status=0
  plan=$(ulimit -v "$memory"
         timeout "$limit" bigdna pretrain copies/all --plan "${common[@]}" --objective mlm --init random --max-length "$1" --batch 1 --backend "$2" "${@:3}" --quiet) || status=$?
  ((status != 2)) || exit 2  # has said what is wrong
  awk 'function number(value, unit) { return value * (unit ~ /^k/ ? 1e3 : unit ~ /^M/ ? 1e6 : unit ~ /^G/ ? 1e9 : 1) }
       BEGIN { speed = peak = forward = "NA" } /^speed:/ { speed = number($2, $3) } /^memory:/ { peak = number($2, $3) / 1e6 }
       /^forward speed:/ { forward = number($3, $4) } END { print speed "\t" peak "\t" forward }' <<<"$plan"
}
mkdir -p cost
for system in "${systems[@]}"; do
  options_of "$system"
  [[ $lengths != none && ! -e cost/$system.tsv ]] || continue
  echo "== $system: cost"
  for backend in auto gather; do
    cost=
    for n in $lengths; do
      [[ $cost == NA* ]] || cost=$(measure "$n" $backend "${options[@]}")
      printf '%s\t%s\t%s\t%s\n' "$system" $backend "$n" "$cost"
    done
  done >cost/unfinished
  mv cost/unfinished "cost/$system.tsv"
done

# Training, --jobs at a time.
running=()
trap '((! ${#running[@]})) || kill "${running[@]}" 2>/dev/null || true; wait' EXIT
wait_for_fewer_than() {
  while ((${#running[@]} >= $1)); do
    wait "${running[0]}"
    running=("${running[@]:1}")
  done
}
start() { wait_for_fewer_than "$jobs"; "$@" & running+=($!); }
train() {  # FOLDER CORPUS OBJECTIVE EVALUATION-TOKENS OPTION...
  [[ ! -e $1/run.json ]] || return 0
  echo "== $1"
  start bigdna pretrain "$2" -o "$1" --resume "${common[@]}" --objective "$3" --evaluation-tokens "$4" --log-every 100 --quiet "${@:5}"
}
for system in "${systems[@]}"; do
  options_of "$system"
  train "systems/$system/copies" copies/all mlm 20000 "${options[@]}" "${weights[@]}" --block 8 --max-length $((document + 8)) --batch $copy_batch --mask-fraction 0.15 "${copy_time[@]}"
  on_chr20=("${weights[@]}" --max-length "$length" --batch-tokens $batch_tokens "${time[@]}")
  train "systems/$system/chr20" corpus mlm 20000 "${options[@]}" "${on_chr20[@]}"
  [[ ! $causal ]] || ! causal_options_of "$system" || train "systems/$system/next" corpus next $score "${options[@]}" "${on_chr20[@]}" --evaluate-every 0
done
wait_for_fewer_than 1

# Tasks. fine_tune TASK: every system on a dataset, and the first one from random weights.
scratch=scratch:${systems[0]}
fine_tune() {
  local system from
  for system in "${systems[@]}" "$scratch"; do
    [[ ! -e tasks/$1/$system/run.json ]] || continue
    echo "== tasks/$1/$system"
    from=()
    [[ $system != "$scratch" ]] || from=(--from-scratch)
    start bigdna finetune "systems/${system#scratch:}/chr20/model" "$1" -o "tasks/$1/$system" --resume "${from[@]}" "${fine_tuning[@]}" "${on[@]}" --quiet >/dev/null
  done
}
# paired TASK: all against the first system, on the same examples
paired() {
  (cd "tasks/$1"
   bigdna evaluate "${systems[0]}" "../../$1" --no-baseline $(printf -- '--compare\n%s\n' "${systems[@]:1}" "$scratch") "${on[@]}" --quiet >../unfinished)
  mv tasks/unfinished "tasks/$1.tsv"
}
dataset() { bigdna dataset "$1" -g data/chr20.fa.gz --split-like corpus -o "$2" --resume --seed "$seed" -@ "$threads" --quiet "${@:3}"; }
[[ -e promoters/dataset.json ]] || dataset promoter promoters --promoters data/tss.bed
if [[ ! -e bins/dataset.json ]]; then
  awk -v OFS='\t' -v first=$first -v last=$last -v end=$end -v length_="$(cut -f2 data/chr20.fa.gz.fai)" 'BEGIN {
    print 20, int(last - (last - first) / 6), last >"validation.bed"
    printf "" >"excluded.bed"; if (first > 0) print 20, 0, first >"excluded.bed"; if (end < length_) print 20, end, length_ >"excluded.bed" }'
  dataset chromatin bins --peaks "${peaks:-data/panel.tsv}" --validation validation.bed $([[ ! -s excluded.bed ]] || echo --exclude excluded.bed) --max-bins $bins --upstream 900 --downstream 900
fi
for task in promoters bins; do fine_tune $task; done
wait_for_fewer_than 1
for task in promoters bins; do paired $task; done

# Scores: all systems at the same hidden tokens.
kinds=$(sed 's/_[0-9]*_held_out.*//' copies/held_out.bed | uniq)
copy_models=("${systems[@]/%//copies/model}") models=("${systems[@]/%//chr20/model}")
score() { start bigdna evaluate mlm "$@" --pairs 0 "${on[@]}" --quiet; }
cd systems
for kind in $kinds; do score "${copy_models[@]}" "../copies/$kind" --tokens 20000 -o "../copies/$kind.tsv"; done
score "${models[@]}" ../corpus --context "$contexts" --tokens $score -o ../scores.tsv --copies ../copies.tsv --differences ../differences.tsv
wait_for_fewer_than 1
cd ..
. "$root/pipelines/compare_table.sh"
bases_per_token=$(sed -nE 's/.*"bases_per_token": ?([0-9.]+).*/\1/p' corpus/corpus.json | head -1)
{
  grep '^##' scores.tsv | grep -v '^##model='
  printf '#system\tmeasure\tat\tvalue\tlow\thigh\n'
  [[ $lengths == none ]] || costs
  for system in "${systems[@]}"; do
    reach "$system" copies $document $word
    reach "$system" chr20 "$length" "$bases_per_token"
    for task in copies chr20 next; do
      metrics=systems/$system/$task/metrics.jsonl
      [[ ! -e $metrics ]] || printf '%s\ttraining_tokens\t%s\t%s\tNA\tNA\n' "$system" $task "$(last_of "$metrics" tokens)"
    done
  done
  of_task promoters promoter 8000bp
  of_task bins bins
  for kind in $kinds; do
    tsv -v kind="$kind" -v word=$word '/^#/ || $10 == "NA" { next } { split(kind, part, "_"); print $1, "copy_accuracy", part[1] "_" part[2] * word / 1000 "kb", $10, "NA", "NA" }' <(systems_of "copies/$kind.tsv")
  done
  tsv -v contexts="$contexts" '/^#/ { next } { n = $2 == "NA" ? split(contexts, at, ",") : split($2, at, ",")
    for (i = 1; i <= n; ++i) print $1, "bits", at[i] "_tokens", $6, $7, $8 }' <(systems_of scores.tsv)
  tsv '/^#/ || $2 != $4 || $5 != "all" { next }
    $3 == first { print $1, "bits_difference", $2 "_tokens", $6, $7, $8 } $1 == first { print $3, "bits_difference", $2 "_tokens", -$6, -$8, -$7 }' <(systems_of differences.tsv)
  tsv -v length_="$length" '/^#/ { next } $4 == "NA" || $4 == length_ { print $3, "bits", $1 ($1 == "none" ? "" : "_" $2), $6, $7, $8 }' <(systems_of copies.tsv)
  [[ ! $causal ]] || autoregressive
} >compare.tsv
bigdna report compare.tsv -o compare.html --quiet
echo "compare: $(readlink -f compare.tsv), $(readlink -f compare.html)"
