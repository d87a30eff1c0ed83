#!/usr/bin/env bash
# Pretraining recipes at the same processor time, on the same corpus: bits per base at hidden positions of held-out sequence, with
# intervals, beside the models of counts, and when each of those was passed.
#   tests/bench/pretraining/recipes.sh CORPUS RECIPES.tsv OUT
# CORPUS       a corpus folder (bigdna corpus)
# RECIPES.tsv  name, tab, options of bigdna pretrain; a recipe is trained once for each of SEEDS
# Writes OUT/NAME.SEED (runs; those that are complete are kept), OUT/scores.tsv and OUT/differences.tsv (bigdna evaluate mlm) and
# OUT/crossings.tsv: processor seconds and tokens until a held-out evaluation was below each model of counts.
#   MINUTES=10 CORES=2 of processor time, SEEDS="1 2 3", TOKENS=1400000 scored (15 % of them are hidden), JOBS=1 runs at a time
# A recipe's steps follow from its speed on one thread (bigdna pretrain --plan): MINUTES x CORES of it. So a busy machine gives
# the same result later, unless it was busy while the speed was measured; STEPS_FILE names a table (name, tab, steps) in its place.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")")
PATH=${BIGDNA_BIN:-$root/build/bin}:$PATH
corpus=$1 recipes=$2 out=$3
minutes=${MINUTES:-10} cores=${CORES:-2} seeds=${SEEDS:-1 2 3}
mkdir -p "$out"
steps_file=${STEPS_FILE:-$out/steps.tsv}
common=(--preset tiny --objective mlm --max-length 512 -@1)

if [[ ! -e $steps_file ]]; then
  while IFS=$'\t' read -r name options; do
    read -ra given <<<"$options"
    plan=$(bigdna pretrain "$corpus" "${common[@]}" "${given[@]}" --steps 1000 --plan --quiet)
    speed=$(sed -nE 's/^speed: ([0-9.]+) ?([kM]?)tokens.*/\1 \2/p' <<<"$plan" | awk '{print $1 * ($2 == "k" ? 1e3 : $2 == "M" ? 1e6 : 1)}')
    tokens=$(sed -nE 's/^training: 1000 steps of ([0-9]+) x ([0-9]+) .*/\1 \2/p' <<<"$plan" | awk '{print $1 * $2}')
    printf '%s\t%d\n' "$name" "$(awk -v s="$speed" -v t="$tokens" -v m="$minutes" -v c="$cores" 'BEGIN {print 60 * m * c * s / t}')"
  done <"$recipes" >"$steps_file.partial"
  mv "$steps_file.partial" "$steps_file"
fi

train() { # NAME SEED OPTIONS...
  local name=$1 seed=$2 steps
  shift 2
  [[ ! -e $out/$name.$seed/run.json ]] || return 0
  steps=$(awk -F'\t' -v n="$name" '$1 == n {print $2}' "$steps_file")
  rm -rf "$out/$name.$seed"
  /usr/bin/time -f '%U %S' -o "$out/$name.$seed.time" bigdna pretrain "$corpus" "${common[@]}" "$@" --seed "$seed" --steps "$steps" \
    --evaluate-every $((steps / 16 + 1)) --evaluation-tokens 100000 --checkpoint-every "$steps" --keep 1 --quiet -o "$out/$name.$seed"
}
export -f train
export out steps_file corpus
while IFS=$'\t' read -r name options; do
  for seed in $seeds; do echo "$name $seed $options"; done
done <"$recipes" | xargs -P "${JOBS:-1}" -L 1 bash -c "$(declare -p common); train \"\$@\"" train

models=()
while IFS=$'\t' read -r name options; do for seed in $seeds; do models+=("$out/$name.$seed/model"); done; done <"$recipes"
bigdna evaluate mlm "${models[@]}" "$corpus" --tokens "${TOKENS:-1400000}" --differences "$out/differences.tsv" --quiet -o "$out/scores.tsv"

# The processor time of a run grows with its tokens; making ready (counting neighbours) is part of it.
printf '#run\tcounts\tbpc_of_counts\ttokens\tprocessor_seconds\n' >"$out/crossings.tsv"
for model in "${models[@]}"; do
  run=${model%/model}
  seconds=$(awk '{print $1 + $2}' "$run.time")
  last=$(tail -1 "$run/metrics.jsonl" | grep -oE '"tokens":[0-9]+' | cut -d: -f2)
  for counts in unigram two_sided_bigram two_sided_trigram; do
    grep held_out_bpc "$run/metrics.jsonl" | sed -nE "s/.*\"tokens\":([0-9]+).*\"held_out_bpc\":([0-9.]+).*\"${counts}_bpc\":([0-9.]+).*/\1 \2 \3/p" |
      awk -v OFS='\t' -v run="${run##*/}" -v counts="$counts" -v seconds="$seconds" -v last="$last" '
        {bpc = $3} $2 < $3 && !tokens {tokens = $1} END {print run, counts, bpc, tokens ? tokens : "never", tokens ? int(seconds * tokens / last) : "never"}'
  done
done >>"$out/crossings.tsv"
cut -f1-2,5-8 "$out/scores.tsv"
cat "$out/crossings.tsv"
