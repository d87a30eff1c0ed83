#!/usr/bin/env bash
# Positive control of long context: on a simulated genome where only a copy 4 to 20 kb away tells a base (pipelines/copy_task.awk), a BigBird
# model of 128 tokens (32 kb) must beat one of 16 (4 kb) and itself cut to 16, at equal steps and tokens, with intervals that
# exclude zero. In blocks of 8 tokens, a query of the long model sees half of the blocks; a copy is never in its window.
#   control.sh [STEPS=1500] [THREADS=1]     results in $BIGDNA_BENCH/scores.tsv and differences.tsv; 20 minutes of one core
# PATTERN=bigbird: attention pattern. On few steps it fails: the copies are found all at once, here after 500 of 1500.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
root=$(cd "$here/../../.." && pwd)
PATH=${BIGDNA_BUILD:-$root/build}/bin:$PATH
work=${BIGDNA_BENCH:-${TMPDIR:-/tmp}/bigdna-bench-context}
steps=${1:-1500} threads=${2:-1}
mkdir -p "$work" && cd "$work"
# Loci of six copies of 16 words of 250 bp, a pool of 64: many, since a model of this size remembers a thousand of them.
awk -v words=words.txt -v held_out=held_out.bed -v joined=1 -v directions=direct -v distances=16 -v copies=6 -v document=96 \
  -v documents=14400 -v tested=1600 -f "$root/pipelines/copy_task.awk" >genome.fa
bigdna vocab words.txt --vocab-size 24000 --max-piece-length 250 -o vocabulary --force --quiet
# Two sentences a document, since their ends cut words.
bigdna corpus genome.fa --vocab vocabulary --contigs all --hold-out held_out.bed --passes 6 --sentences 2-2 --sentence-length 1000000-1000000 -o corpus --force --quiet
for length in 128 16; do
  bigdna pretrain corpus -o $length --force --preset tiny --architecture bigbird --ffn 256 --pattern "${PATTERN:-bigbird}" --block 8 --max-length $length --batch $((8192 / length)) \
    --steps "$steps" --objective mlm --evaluate-every $(((steps + 14) / 15)) --evaluation-tokens 16000 --precision fp32 -@ "$threads"
done
bigdna evaluate mlm 128/model 16/model corpus --context 16,128 --tokens 200000 -o scores.tsv --differences differences.tsv -@ "$threads"
cat scores.tsv
grep -P '^#|^[0-9/a-z]+\t\d+\t(128|16)/' differences.tsv
# Worse by more than nothing: the model cut to 16 tokens, and the 16-token model, each against the 128-token one.
awk -F'\t' '$2 == 16 && $3 == "128/model" && $4 == 128 { ++compared; won += $7 > 0 } END { exit !(compared == 2 && won == 2) }' differences.tsv &&
  echo "long context wins: both intervals exclude zero" || { echo "control: long context does not win" >&2; exit 1; }
