#!/usr/bin/env bash
# Positive control of long context: on a simulated genome where only a copy 4 to 20 kb away tells a base (simulate.cpp), a model
# of 1024 tokens (16 kb) must beat one of 128 (2 kb) and itself cut to 128, at equal steps and tokens, with intervals that
# exclude zero. Fails where it does not.
#   control.sh [STEPS=1500] [THREADS=1]     results in $BIGDNA_BENCH/scores.tsv and differences.tsv
# PATTERN=bigbird MASK=0.15: attention pattern and share of masked tokens in training, to see what it takes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
PATH=${BIGDNA_BUILD:-$root/build}/bin:$PATH
work=${BIGDNA_BENCH:-${TMPDIR:-/tmp}/bigdna-bench-context}
steps=${1:-1500} threads=${2:-1}
mkdir -p "$work" && cd "$work"
g++ -O2 -std=c++20 -o simulate "$here/simulate.cpp"
./simulate genome.fa words.txt 2000 1
bigdna vocab words.txt --vocab-size 5000 -o vocabulary --force --quiet
bigdna corpus genome.fa --vocab vocabulary --contigs all --hold-out held_out --passes 1 -o corpus --force --quiet
for length in 128 1024; do
  bigdna pretrain corpus -o $length --force --preset tiny --ffn 256 --max-length $length --batch $((4096 / length)) --steps "$steps" --objective mlm --pattern "${PATTERN:-bigbird}" --mask-fraction "${MASK:-0.15}" \
    --evaluate-every $((steps / 5)) --evaluation-tokens 16000 --precision fp32 -@ "$threads"
done
bigdna evaluate mlm 1024/model 128/model corpus --context 128,1024 --tokens 200000 -o scores.tsv --differences differences.tsv -@ "$threads"
cat scores.tsv
grep -P '^#|^(1024|128)/model\t\d+\t(1024|128)/model' differences.tsv
# Worse by more than nothing: the model cut to 128 tokens, and the 128-token model, each against the 1024-token one.
awk -F'\t' '$2 == 128 && $3 == "1024/model" && $4 == 1024 { ++compared; won += $7 > 0 } END { exit !(compared == 2 && won == 2) }' differences.tsv &&
  echo "long context wins: both intervals exclude zero" || { echo "control: long context does not win" >&2; exit 1; }
