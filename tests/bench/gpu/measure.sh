#!/usr/bin/env bash
# docs/benchmarks/gpu_h200_2026-11-26.md: tests/bench/gpu/measure.sh [attention|rows|step|longest|predict|networks ...]   (default: all)
#   attention  alone, 1024 .. 65536 tokens: bigdna, FlexAttention with the same mask, dense SDPA, transformers' BigBird   about 4 minutes
#   rows       LayerNorm with its residual and dropout, GELU with its bias: bigdna, LibTorch's operations               seconds
#   step       a training step of the base model at 4096 tokens: bigdna, transformers' BigBird, dense BERT               about 4 minutes
#   longest    the longest sequence that trains                                                                      about 2 minutes
#   predict    predict-promoter and chromatin, bp/s with a base-size model                                           about 3 minutes
#   networks   networks on bases: training, and tracks of a genome; $BINS is the dataset, $GENOME its genome, and
#              $BIGDNA_MODELS the folder with human-chr20-chrX                                                            about 2 minutes
# Runs from a build (cmake --build build --target bench_gpu first) or from the folder pack.sh makes; other software needs a Python
# ($PYTHON, default python3) with torch and transformers. Wants the GPU to itself. $TOKENS, $BATCH: other sizes. DEVICE=cpu PRESET=tiny measure.sh predict tries that part where there is no GPU.
set -uo pipefail
source "$(dirname "$(readlink -f "$0")")/common.sh"
what=("$@")
[[ ${#what[@]} -gt 0 ]] || what=(attention rows step longest predict networks)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,memory.total --format=csv,noheader

attention() {
  local tokens=(${TOKENS:-1024 2048 4096 8192 16384 32768 65536})
  printf '#tokens\tsoftware\tforward_ms\tforward_backward_ms\tforward_tflops\tforward_backward_tflops\tforward_of_floor\tforward_backward_of_floor\n'
  ours "$bin/bench_gpu" attention "${tokens[@]}" --layouts "$work/layouts"
  "$python" "$here/attention.py" "$work/layouts" "${tokens[@]}" 2>"$work/log" || tail -3 "$work/log"
}
rows() {
  printf '#what\tsoftware\tforward_ms\tforward_backward_ms\tforward_of_floor\tforward_backward_of_floor\n'
  ours "$bin/bench_gpu" rows
}
step() {
  printf '#tokens\tbatch\tsoftware\tms\ttokens_per_s\tmfu\tpeak_GB\tqueued_ms\n'
  for batch in ${BATCH:-4 16}; do
    ours "$bin/bench_gpu" step "${TOKENS:-4096}" "$batch"
    for kind in bigbird bert bigbird-compiled; do  # what it compiles may take for ever
      timeout 150 "$python" "$here/step.py" "${TOKENS:-4096}" "$batch" $kind 2>"$work/log" || {
        printf '%s\t%s\t%s\tno result: status %s (124: took over 150 s)\n' "${TOKENS:-4096}" "$batch" $kind $?
        tail -3 "$work/log"
      }
    done
  done
  ours "$bin/bench_gpu" step "${TOKENS:-4096}" 16 auto recompute
}
longest() {
  printf '#tokens\tbatch\tsoftware\tms\ttokens_per_s\tmfu\tpeak_GB\tqueued_ms\n'
  ours "$bin/bench_gpu" longest
}
predict() {
  local genome=$data/genome.fa.gz
  ours "$bin/bigdna" pretrain "$genome" -o "$work/run" --preset "${PRESET:-base}" --max-length 4096 --steps 1 --batch 1 --hold-out none --device "${DEVICE:-cuda}" --quiet
  ours "$bin/bigdna" dataset promoter --promoters "$data/tss.bed" -g "$genome" --negatives substitute -o "$work/promoters" --quiet
  ours "$bin/bigdna" finetune "$work/run/model" "$work/promoters" --steps 1 -o "$work/promoter" --device "${DEVICE:-cuda}" --quiet
  ours "$bin/bigdna" dataset chromatin --peaks "$data/peaks.tsv" -g "$genome" --keep all --max-bins 600 -o "$work/bins" --quiet
  ours "$bin/bigdna" finetune "$work/run/model" "$work/bins" --steps 1 -o "$work/chromatin" --device "${DEVICE:-cuda}" --quiet
  awk -v OFS='\t' '/^chr[123]\t/ {for (s = 0; s + 8000 <= $2; s += 500) print $1, s, s + 8000, $1 "_" s}' "$genome.fai" >"$work/promoters.bed"
  awk -v OFS='\t' '{print $1, $2 + 3900, $2 + 4100, $4}' "$work/promoters.bed" >"$work/bins.bed"
  printf '#command\tregions\tseconds\tregions_bp_per_s\tcontext_bp_per_s\n'
  local start rows
  rows=$(wc -l <"$work/promoters.bed")
  start=$(date +%s.%N)
  ours "$bin/bigdna" predict-promoter "$work/promoter/model" -R "$work/promoters.bed" -g "$genome" --device "${DEVICE:-cuda}" --quiet -o "$work/promoters.tsv"
  awk -v a="$start" -v b="$(date +%s.%N)" -v n="$rows" 'BEGIN {printf "predict-promoter\t%d\t%.2f\t%.0f\t%.0f\n", n, b - a, n * 8000 / (b - a), n * 8000 / (b - a)}'
  start=$(date +%s.%N)
  ours "$bin/bigdna" chromatin "$work/chromatin/model" "$work/bins.bed" -g "$genome" --device "${DEVICE:-cuda}" --quiet -o "$work/chromatin.tsv"
  awk -v a="$start" -v b="$(date +%s.%N)" -v n="$rows" 'BEGIN {printf "chromatin\t%d\t%.2f\t%.0f\t%.0f\n", n, b - a, n * 200 / (b - a), n * 8000 / (b - a)}'
}
networks() {
  [[ -n ${BINS:-} && -n ${GENOME:-} ]] || { echo "skipped: \$BINS and \$GENOME are not set" >&2; return; }
  printf '#what\twindows\tbp\tms\tbp_per_s\n'
  local batch
  for batch in 8 64; do
    ours "$bin/bigdna" train "$BINS" -g "$GENOME" --preset base --networks 1 --window 16000 --steps $((4000 / batch)) --batch $batch --validation-rows 100 --no-baseline \
      --device "${DEVICE:-cuda}" --quiet -o "$work/network.$batch" >/dev/null
    grep tokens_per_second "$work/network.$batch/network-1/metrics.jsonl" | tail -3 | sed "s/.*tokens_per_second\":\([0-9.]*\).*/bigdna, training\t$batch\t16000\t-\t\1/"
  done
  "$python" "$here/network.py" "$work/network.8/model" "${DEVICE:-cuda}" 2>"$work/log" || tail -3 "$work/log"
  local start
  start=$(date +%s.%N)
  ours "$bin/bigdna" chromatin human-chr20-chrX -g "$GENOME" --strands average --device "${DEVICE:-cuda}" --quiet --bigwig "$work/tracks"
  awk -v a="$start" -v b="$(date +%s.%N)" 'NR == FNR {n += $2} END {printf "tracks of a genome, four networks, both strands, bigWig\t-\t%d\t%.0f\t%.0f\n", n, (b - a) * 1e3, n / (b - a)}' "$GENOME.fai"
}
for part in "${what[@]}"; do
  section "$part"
  "$part"
done
