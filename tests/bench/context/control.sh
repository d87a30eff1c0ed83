#!/usr/bin/env bash
# Positive control of long context: on a simulated genome where only a copy 4 to 20 kb away tells a base (simulate.cpp), a BigBird
# model of 512 tokens (32 kb) must beat one of 64 (4 kb) and itself cut to 64, at equal steps and tokens, with intervals that
# exclude zero. Fails where it does not, and so far it fails: docs/benchmarks.md, "Positive control of long context".
#   control.sh [STEPS=6000] [THREADS=1]     results in $BIGDNA_BENCH/scores.tsv and differences.tsv; 40 minutes of one core
# PATTERN=bigbird MASK=0.15: attention pattern and share of masked tokens in training, to see what it takes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
PATH=${BIGDNA_BUILD:-$root/build}/bin:$PATH
work=${BIGDNA_BENCH:-${TMPDIR:-/tmp}/bigdna-bench-context}
steps=${1:-6000} threads=${2:-1}
mkdir -p "$work" && cd "$work"
g++ -O2 -std=c++20 -o simulate "$here/simulate.cpp"
./simulate genome.fa words.txt 2000 1
bigdna vocab words.txt --vocab-size 8000 --max-piece-length 64 -o vocabulary --force --quiet
# long sentences: few words are cut by their ends
bigdna corpus genome.fa --vocab vocabulary --contigs all --hold-out held_out --passes 1 --sentences 50-50 --sentence-length 16384-16384 -o corpus --force --quiet
for length in 512 64; do
  bigdna pretrain corpus -o $length --force --preset tiny --ffn 256 --max-length $length --batch $((4096 / length)) --steps "$steps" --objective mlm --pattern "${PATTERN:-bigbird}" --mask-fraction "${MASK:-0.15}" \
    --evaluate-every $((steps / 10)) --evaluation-tokens 16000 --precision fp32 -@ "$threads"
done
bigdna evaluate mlm 512 64 corpus --context 64,512 --tokens 200000 -o scores.tsv --differences differences.tsv -@ "$threads"
cat scores.tsv
grep -P '^#|^(512|64)\t\d+\t(512|64)\t' differences.tsv
# Worse by more than nothing: the model cut to 64 tokens, and the 64-token model, each against the 512-token one.
awk -F'\t' '$2 == 64 && $3 == "512" && $4 == 512 { ++compared; won += $7 > 0 } END { exit !(compared == 2 && won == 2) }' differences.tsv &&
  echo "long context wins: both intervals exclude zero" || { echo "control: long context does not win" >&2; exit 1; }
