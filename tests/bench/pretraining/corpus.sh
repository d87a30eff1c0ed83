#!/usr/bin/env bash
# The corpus of docs/benchmarks/pretraining_emerald-zen4_2026-11-24.md: human chromosome 20, both strands, ten passes, 4096 pieces, the last
# 13 Mb held out. recipes.sh trains on it; the hour's model is that of
#   bigdna pretrain OUT/corpus --preset mini --steps 20000 --objective mlm -@ 2 --seed 1
#   tests/bench/pretraining/corpus.sh OUT
# Needs $BIGDNA_DATA (default ../shared/data). Writes OUT/data, OUT/vocabulary, OUT/held_out.bed and OUT/corpus; what is
# complete stays.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")")
PATH=${BIGDNA_BIN:-$root/build/bin}:$PATH
data=$(readlink -f "${BIGDNA_DATA:-$root/../shared/data}")
out=${1:?a folder for the corpus}
mkdir -p "$out"
cd "$out"
[[ -e data/.complete ]] || "$root/pipelines/human_chr20.sh" data "$data"
[[ -e vocabulary/vocabulary.json ]] ||
  samtools faidx data/chr20.fa.gz 20:1-50000000 | bigdna vocab - --vocab-size 4096 -o vocabulary --seed 1
printf 'chr20\t50000000\t63025520\n' >held_out.bed
bigdna corpus data/chr20.fa.gz --vocab vocabulary --hold-out held_out.bed --passes 10 --strands both -o corpus --resume
