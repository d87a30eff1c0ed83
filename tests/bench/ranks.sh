#!/usr/bin/env bash
# How much two processes over Gloo give: tokens/s of two ranks with a batch of 2 B, against two independent processes with B
# each, every process on one core with one thread.
#
#   tests/bench/ranks.sh [PRESET...]      default tiny small; $BIGDNA: the program. Two quiet cores, about 5 minutes.
#
# Prints preset, tokens/s of the two alone (sum), of the two ranks, and the efficiency: the goal is 85 %.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
bigdna=${BIGDNA:-$here/build/bin/bigdna}
presets=("${@:-}")
[[ -n ${presets[0]} ]] || presets=(tiny small)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1

python3 -c 'import random; random.seed(1); print(">g\n" + "".join(random.choices("ACGT", k=4000000)))' >"$work/g.fa"
"$bigdna" vocab "$work/g.fa" --vocab-size 4096 -o "$work/vocabulary" --quiet
"$bigdna" corpus "$work/g.fa" --vocab "$work/vocabulary" --passes 1 --hold-out none -o "$work/corpus" --quiet

# train CORE RUN BATCH   one process
train() { taskset -c "$1" "$bigdna" pretrain "$work/corpus" -o "$work/$2" --preset "$preset" --architecture bigbird --max-length 1024 --batch "$3" --micro-batch 4 --steps 30 \
  --log-every 5 --evaluate-every 0 --checkpoint-every 1000 --device cpu --precision fp32 --quiet -@ 1; }
# rate RUN   tokens/s: the median of its lines but the first
rate() { python3 -c 'import json, statistics, sys; print(round(statistics.median([json.loads(l)["tokens_per_second"] for l in open(sys.argv[1])][1:])))' "$work/$1/metrics.jsonl"; }

printf 'preset\ttwo alone, tokens/s\ttwo ranks, tokens/s\tefficiency\n'
for preset in "${presets[@]}"; do
  train 0 a 8 & train 1 b 8 & wait
  for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank MASTER_ADDR=127.0.0.1 MASTER_PORT=29517 train $rank both 16 &
  done
  wait
  alone=$(($(rate a) + $(rate b))) both=$(rate both)
  printf '%s\t%s\t%s\t%s %%\n' "$preset" "$alone" "$both" $((100 * both / alone))
  rm -rf "$work"/{a,b,both}
done
