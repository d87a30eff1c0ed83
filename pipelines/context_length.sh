#!/usr/bin/env bash
# Does longer context help on DNA? The paper's table 5 (bits per base), table 1 (patterns) and figure 8 (accuracy by step) on
# human chromosome 20: first 50 Mb for training, the rest held out by interval; vocabulary 4096, blocks of 16 tokens (of 64, 512
# tokens would be full attention), masked tokens without N scored.
#   pipelines/context_length.sh [--data DIR] [--out DIR] [--scale seconds|cpu|small|base] [--steps N] [--seed N] [--no-build [--bin DIR]]
# --data   take chromosome 20 from this folder instead of a Debian package
# --out    where results go (default: context_length in the current folder); a restarted run continues where it stopped
# --scale  cpu (default): preset tiny, 1500 steps of 16 384 tokens, two hours of one core; small: preset small, 20 000 steps of
#          65 536 (a GPU); base: preset base in blocks of 16, 100 000 steps of 262 144 (a GPU, days); seconds: as the tests run it
# --steps  optimiser steps of each run instead of the scale's
# --no-build takes build/ as it is; --bin another folder of programs
#
# Runs, each OUT/NAME: full at 512 tokens; BigBird at 512, 1024, 2048, 4096; random, window, window-random at 512. These read the same
# number of tokens a step (tokens-...), so equal steps are equal tokens. steps-...: the same at equal steps and equal sequences a
# step, so that longer inputs also read more (tokens-bigbird-4096 is that one's, too). Masked tokens alone, no sentence pairs: with
# them half of the examples see two unrelated halves.
# Results: OUT/scores.tsv, every model at every context it has, and the 4096-token ones with their context cut; OUT/differences.tsv,
# paired, with 95 % intervals; OUT/accuracy_by_step.tsv; OUT/NAME/learning_curve.svg.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/options.sh"
data= out=context_length scale=cpu steps= seed=1
read_options "data: out: scale: steps: seed:" "$@"
[[ -z $data ]] || data=$(readlink -e "$data") || { echo "context_length: --data: no such folder" >&2; exit 1; }
lengths=(512 1024 2048 4096) vocab_size=4096 first=1 last=50000000
case $scale in
  seconds) preset=(--preset tiny --architecture bigbird --hidden 16 --ffn 32) sequences=1 default_steps=4 score=20000 vocab_size=256 first=5000001 last=6000000 ;;
  cpu) preset=(--preset tiny --architecture bigbird) sequences=4 default_steps=1500 score=500000 ;;
  small) preset=(--preset small --architecture bigbird) sequences=16 default_steps=20000 score=2000000 ;;
  base) preset=(--preset base --dropout 0.1) sequences=64 default_steps=100000 score=2000000 ;;
  *) usage_error "--scale is seconds, cpu, small or base" ;;
esac
steps=${steps:-$default_steps}
programs
mkdir -p "$out"
"$root/pipelines/human_chr20.sh" "$out/data" ${data:+"$data"}
cd "$out"
genome=data/chr20.fa.gz
[[ -e $genome.fai ]] || samtools faidx "$genome"
if [[ ! -e corpus/corpus.json ]]; then
  held_out_end=$([[ $scale == seconds ]] && echo 7000000 || echo 63025520)
  printf 'chr20\t%d\t%d\n' "$last" "$held_out_end" >held_out.bed
  printf 'chr20\t%d\t%d\n' $((first - 1)) "$held_out_end" >used.bed
  samtools faidx "$genome" "20:$first-$last" | bigdna vocab - --vocab-size $vocab_size -o vocabulary --force --seed "$seed"
  bigdna corpus "$genome" --vocab vocabulary -R used.bed --hold-out held_out.bed --passes 4 -o corpus --resume --seed "$seed"
fi

# train NAME PATTERN LENGTH SEQUENCES
train() {
  [[ ! -e $1/run.json ]] || return 0
  echo "== $1: $2, $4 x $3 tokens, $steps steps"
  bigdna pretrain corpus -o "$1" --resume "${preset[@]}" --objective mlm --pattern "$2" --block 16 --max-length "$3" --batch "$4" --steps "$steps" \
    --evaluate-every $(((steps + 19) / 20)) --evaluation-tokens $((score / 5)) --seed "$seed"
}
models=()
longest=${lengths[-1]}
for length in "${lengths[@]}"; do
  models+=("tokens-bigbird-$length")
  train "tokens-bigbird-$length" bigbird "$length" $((sequences * longest / length))
done
for pattern in full random window window-random; do
  models+=("tokens-$pattern-512")
  train "tokens-$pattern-512" $pattern 512 $((sequences * longest / 512))
done
for length in "${lengths[@]}"; do
  ((length < longest)) || continue
  models+=("steps-bigbird-$length")
  train "steps-bigbird-$length" bigbird "$length" "$sequences"
done
models+=(steps-full-512)
train steps-full-512 full 512 "$sequences"

bigdna evaluate mlm "${models[@]/%//model}" corpus --context "$(IFS=,; echo "${lengths[*]}")" --tokens "$score" -o scores.tsv --differences differences.tsv \
  --json scores.json --seed "$seed"
{
  printf '#run\tstep\ttokens\theld_out_accuracy\theld_out_bpc\n'
  for model in "${models[@]}"; do
    sed -nE "s/^\{\"step\":([0-9]+),\"tokens\":([0-9]+),.*\"held_out_accuracy\":([0-9.e-]+),\"held_out_bpc\":([0-9.e-]+),.*/$model\t\1\t\2\t\3\t\4/p" "$model/metrics.jsonl"
  done
} >accuracy_by_step.tsv
grep -v '^##' scores.tsv | column -t -s $'\t' | cut -c1-130
