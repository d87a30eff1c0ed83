#!/usr/bin/env bash
# Compares attentions, patterns and stacks in one small model (preset tiny: modern, 2 layers of 128): what a step costs by length, whether
# copies far away are found, what is learnt of human chromosome 20, and whether that tells promoters, each beside its null.
#   pipelines/compare.sh [--systems "NAME ..."] [--minutes N] [--copy-minutes N] [--length TOKENS] [--lengths "TOKENS ..."] [--quick]
#                        [--tokens N] [--copy-tokens N] [--jobs N] [--device DEVICE] [--threads N] [--seed N] [--data DIR] [--out DIR]
#                        [--no-build [--bin DIR]]
# --systems  rows of `bigdna info --attentions` (default: all of them): patterns of all heads, or with settings (blockbert:heads=12,local-heads=10;
#            a setting is an option of pretrain without its dashes); attentions in half of the heads from the second
#            layer on, or with settings (lsh:chunk=32,local=0), beside a window in the others or another pattern (lsh+bigbird); and stacks, whose
#            heads attend to a window or by another pattern. Models begin from counts, but those of stacks begin from random weights, as not
#            all stacks can use counts; compare those with `residual`.
# --minutes, --copy-minutes  training of each system on chromosome 20 (default 10), and on the copy task (default 8)
# --tokens, --copy-tokens  train each system on so many tokens, not for a time
# --jobs     trainings at a time (default 1); needs --tokens and --copy-tokens, because trainings side by side slow each other
# --device   of measuring, training and scoring (default: auto)
# --length   tokens of an input of chromosome 20 (default 4096)
# --lengths  at which a training step is measured (default "512 2048 8192 32768"), with `--backend gather` too: LibTorch's operations,
#            so that ideas are compared and not code. What takes more than two minutes or memory that is not there is NA.
#            none: nothing is measured
# --quick    seconds instead of hours, on small data: nothing is learnt, the programs are tried
# --threads  of training and measuring (default: all)
# --data     take chromosome 20 from this folder instead of a Debian package
# --out      where results go (default: compare in the current folder); a restarted run continues where it stopped
#
# The copy task (pipelines/copy_task.awk): random words, a token each, that stand once more 1, 4 or 20 kb away, directly or as reverse
# complement; one model learns all six, in blocks of 8 words, so that a window of 3 blocks holds the copies 1 kb away alone. Chance is 1 word
# in 64. A model finds a kind of copies all at once, after a million tokens or many: a short time shows chance. Chromosome 20: the first 50 Mb for training, the rest held out.
# Unless --tokens is given, all systems train for the same time, one after the other, so each has as many tokens as it can read.
# Results: OUT/compare.tsv (system, measure, at, value, low, high) and OUT/compare.html, its pictures. Measures: tokens_per_second and
# peak_megabytes of a training step, at a length, also _gather; copy_accuracy, the share of hidden words that are found, at
# DIRECTION_DISTANCE; bits per hidden base of chromosome 20 at a context, and at the distance of the nearest copy; bits_difference,
# less those of the first system, paired; training_tokens that were read; promoter_auroc of held-out promoters of 8000 bp, fine-tuned
# without k-mers, and promoter_less_kmers, paired. Nulls: kmers (promoters), shuffled:SYSTEM (context in random order), models of counts
# (unigram, trigram, copies, copies_elsewhere). OUT/differences.tsv has paired differences on chromosome 20.
# Default: about 27 systems and ten hours of two cores.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/options.sh"
systems= minutes=10 copy_minutes=8 tokens= copy_tokens= jobs=1 device=auto length=4096 lengths= quick= threads=$(nproc) seed=1 data= out=compare
read_options "systems: minutes: copy-minutes: tokens: copy-tokens: jobs: device: length: lengths: quick threads: seed: data: out:" "$@"
[[ -z $data ]] || data=$(readlink -e "$data") || { echo "compare: --data: no such folder" >&2; exit 1; }
for number in minutes copy_minutes tokens copy_tokens jobs length threads seed; do
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

word=250  # bp, a token; distances are in words, of which a block has 8 and a window 24
on=(--seed "$seed" -@ "$threads" --device "$device")
common=(--preset tiny --architecture modern --objective mlm "${on[@]}")
if [[ $quick ]]; then
  common+=(--hidden 16 --ffn 32)
  document=32 documents=30 tested=10 distances=4,8,16 copy_batch=8 copy_time=(--steps 4)
  first=5000000 last=5600000 end=5800000 vocab_size=256 batch_tokens=1024 score=4000 time=(--steps 4)
  promoters=(--steps 1 --batch 4)
  length=256 contexts=128,256 lengths=${lengths:-256 512} limit=20
else
  # how_long TOKENS MINUTES TOKENS_OF_A_STEP: the options
  how_long() { if [[ $1 ]]; then echo --steps $((($1 + $3 - 1) / $3)); else awk -v minutes="$2" 'BEGIN { print "--hours", minutes / 60 }'; fi; }
  document=160 documents=1500 tested=100 distances=4,16,80 copy_batch=48
  read -ra copy_time < <(how_long "$copy_tokens" "$copy_minutes" $((copy_batch * (document + 2))))
  first=0 last=50000000 end=63025520 vocab_size=4096 batch_tokens=16384 score=500000
  read -ra time < <(how_long "$tokens" "$minutes" $batch_tokens)
  promoters=()
  contexts=512,$length lengths=${lengths:-512 2048 8192 32768} limit=120
fi
((length != 512)) || contexts=512
mkdir -p "$out"
"$root/pipelines/human_chr20.sh" "$out/data" ${data:+"$data"}
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

# Cost. measure TOKENS BACKEND OPTION...: tokens/s and peak MB of a training step, or NA where time or memory did not suffice.
memory=$(awk '/^MemAvailable/ { print int(0.8 * $2) }' /proc/meminfo)
measure() {
  local plan status=0
  plan=$(ulimit -v "$memory"
         timeout "$limit" bigdna pretrain copies/all --plan "${common[@]}" --init random --max-length "$1" --batch 1 --backend "$2" "${@:3}" --quiet) || status=$?
  ((status != 2)) || exit 2  # has said what is wrong
  awk 'function number(value, unit) { return value * (unit ~ /^k/ ? 1e3 : unit ~ /^M/ ? 1e6 : unit ~ /^G/ ? 1e9 : 1) }
       BEGIN { speed = peak = "NA" } /^speed:/ { speed = number($2, $3) } /^memory:/ { peak = number($2, $3) / 1e6 }
       END { print speed "\t" peak }' <<<"$plan"
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
train() {  # FOLDER CORPUS OPTION...
  [[ ! -e $1/run.json ]] || return 0
  echo "== $1"
  start bigdna pretrain "$2" -o "$1" --resume "${common[@]}" --evaluation-tokens 20000 --log-every 100 --quiet "${@:3}"
}
for system in "${systems[@]}"; do
  options_of "$system"
  train "systems/$system/copies" copies/all "${options[@]}" "${weights[@]}" --block 8 --max-length $((document + 8)) --batch $copy_batch --mask-fraction 0.15 "${copy_time[@]}"
  train "systems/$system/chr20" corpus "${options[@]}" "${weights[@]}" --max-length "$length" --batch-tokens $batch_tokens "${time[@]}"
done
wait_for_fewer_than 1
[[ -e promoters/dataset.json ]] ||
  bigdna dataset promoter --promoters data/tss.bed -g data/chr20.fa.gz --split-like corpus -o promoters --resume --seed "$seed" -@ "$threads" --quiet
for system in "${systems[@]}"; do
  [[ ! -e systems/$system/promoters/run.json ]] || continue
  echo "== systems/$system/promoters"
  start bigdna finetune "systems/$system/chr20/model" promoters -o "systems/$system/promoters" --resume --no-kmers "${promoters[@]}" "${on[@]}" --quiet >/dev/null
done
wait_for_fewer_than 1

# Scores: all systems at the same hidden tokens.
copy_models=("${systems[@]/%//copies/model}") models=("${systems[@]/%//chr20/model}")
score() { start bigdna evaluate mlm "$@" --pairs 0 "${on[@]}" --quiet; }
cd systems
for kind in $(sed 's/_[0-9]*_held_out.*//' ../copies/held_out.bed | uniq); do score "${copy_models[@]}" "../copies/$kind" --tokens 20000 -o "../copies/$kind.tsv"; done
score "${models[@]}" ../corpus --context "$contexts" --tokens $score -o ../scores.tsv --copies ../copies.tsv --differences ../differences.tsv
wait_for_fewer_than 1
cd ..
systems_of() { sed -E 's,/(copies|chr20)/model\b,,g' "$1"; }  # FILE: models by the names of their systems
{
  grep '^##' scores.tsv | grep -v '^##model='
  printf '#system\tmeasure\tat\tvalue\tlow\thigh\n'
  [[ $lengths == none ]] || awk -F'\t' -v OFS='\t' '{ suffix = $2 == "gather" ? "_gather" : ""; print $1, "tokens_per_second" suffix, $3, $4, "NA", "NA"; print $1, "peak_megabytes" suffix, $3, $5, "NA", "NA" }' \
    $(printf 'cost/%s.tsv ' "${systems[@]}")
  for system in "${systems[@]}"; do
    for task in copies chr20; do
      printf '%s\ttraining_tokens\t%s\t%s\tNA\tNA\n' "$system" $task "$(sed -nE 's/.*"tokens":([0-9]+).*/\1/p' "systems/$system/$task/metrics.jsonl" | tail -1)"
    done
  done
  for system in "${systems[@]}"; do
    awk -F'\t' -v OFS='\t' -v name="$system" -v first="${systems[0]}" '$3 != "auroc" { next }
      $1 == "bigdna" || ($1 == "kmers" && name == first) { print $1 == "bigdna" ? name : $1, "promoter_auroc", "8000bp", $4, $5, $6 }
      $1 == "bigdna-kmers" { print name, "promoter_less_kmers", "8000bp", $4, $5, $6 }' "systems/$system/promoters/metrics.tsv"
  done
  for kind in $(sed 's/_[0-9]*_held_out.*//' copies/held_out.bed | uniq); do
    awk -F'\t' -v OFS='\t' -v kind="$kind" -v word=$word '/^#/ || $10 == "NA" { next } { split(kind, part, "_"); print $1, "copy_accuracy", part[1] "_" part[2] * word / 1000 "kb", $10, "NA", "NA" }' <(systems_of "copies/$kind.tsv")
  done
  awk -F'\t' -v OFS='\t' -v contexts="$contexts" '/^#/ { next } { n = $2 == "NA" ? split(contexts, at, ",") : split($2, at, ",")
    for (i = 1; i <= n; ++i) print $1, "bits", at[i] "_tokens", $6, $7, $8 }' <(systems_of scores.tsv)
  awk -F'\t' -v OFS='\t' -v first="${systems[0]}" '/^#/ || $2 != $4 || $5 != "all" { next }
    $3 == first { print $1, "bits_difference", $2 "_tokens", $6, $7, $8 } $1 == first { print $3, "bits_difference", $2 "_tokens", -$6, -$8, -$7 }' <(systems_of differences.tsv)
  awk -F'\t' -v OFS='\t' -v length_="$length" '/^#/ { next } $4 == "NA" || $4 == length_ { print $3, "bits", $1 ($1 == "none" ? "" : "_" $2), $6, $7, $8 }' <(systems_of copies.tsv)
} >compare.tsv
bigdna report compare.tsv -o compare.html --quiet
echo "compare: $(readlink -f compare.tsv), $(readlink -f compare.html)"
