#!/usr/bin/env bash
# Encoder forward pass and training step, bigdna compared with transformers' BigBird: a TSV table on stdout.
#   tests/bench/encoder/run.sh [PART...]      PART: compare, linear, allocator, modern, attentions, stacks (default: all)
#   THREADS (default: all), SIZES ("base small"), LENGTHS ("512 1024 2048 4096 8192 16384"), LIMIT (300 s a measurement)
#
# compare: every size and length, fp32 and (where the processor multiplies in it) bf16, batch 1, blocks of 64; transformers' block_sparse and original_full (full attention)
# where tests/peers/setup.sh has been run, as users run it and with the allocator tuned like bigdna's, training up to
# 4096 tokens. A peer that took longer than LIMIT or found no memory is not asked for greater lengths.
# linear: base forward and small training from 1024 to 65536 tokens, fp32, bigdna alone, with the exponents of time and memory
# from each length to the next.
# allocator: bigdna's training step at the greatest length with glibc's own settings instead of bigdna's, and with huge pages.
# modern: forward pass and training step of modern beside bigbird's, tiny and small, 512 and 2048 tokens, fp32.
# attentions: forward pass and training step of modern-tiny with each attention in all heads of all layers, 4096 to 65536 tokens,
# fp32 (docs/attentions.md); `blocks` by its kernels and by backend gather. GFLOP and MFU are those of
# blocks.
# stacks: training step of modern, small (4 layers) and base (12), at 16384 and 65536 tokens, fp32: residual, --recompute, reversible.
# Columns: useful GFLOP (matrix products and attended blocks, three times the forward pass for training; what is recomputed does
# not count), GFLOP/s, "peak" (each process's own rate of a 4096 x 768 x 3072 product in that type), their ratio MFU,
# peak memory of the process. Wants a quiet machine; about an hour.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
root=$here/../../..
build=${BUILD:-$root/build}
threads=${THREADS:-$(nproc)}
read -ra sizes <<<"${SIZES:-base small}"
read -ra lengths <<<"${LENGTHS:-512 1024 2048 4096 8192 16384}"
limit=${LIMIT:-300}
precisions=(fp32)
! grep -qwE 'avx512_bf16|amx_bf16' /proc/cpuinfo || precisions+=(bf16)
parts=("${@:-}")
[[ -n ${parts[0]} ]] || parts=(compare linear allocator modern attentions stacks)
cmake --build "$build" --target bench_encoder >&2
bench=$(find "$build" -name bench_encoder -type f -perm -u+x | head -1)
python=$("$root/cmake/setup.sh" --print)/peers/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tuned=(env MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_TOP_PAD_=67108864)

header() { printf '%s\ttokens\tsize\ttype\tsoftware\tseconds\tGFLOP\tGFLOP/s\tpeak\tMFU\tMB\n' "$1"; }
ours() { timeout "$limit" "$bench" "$threads" "$@" || echo "# bigdna $*: no result within $limit s"; }

ours_as() {  # ours_as LABEL env VARIABLE=VALUE SIZE TOKENS: a training step in that environment
  timeout "$limit" "$2" "$3" "$bench" "$threads" "$4" "$5" fp32 training | awk -F'\t' -v OFS='\t' -v label="$1" '{ $5 = $5 " (" label ")" } 1'
}

declare -A gave_up
peer() {  # peer KEY COMMAND...: gives up on KEY after the first failure
  local key=$1
  shift
  [[ -z ${gave_up[$key]:-} ]] || return 0
  "$@" || { local code=$?; gave_up[$key]=1; ((code != 124)) || echo "# ${*: -7}: no result within $limit s"; }
}

compare() {
  header '#what'
  local size what n precision attention
  for size in "${sizes[@]}"; do
    for what in forward training; do
      for n in "${lengths[@]}"; do
        for precision in "${precisions[@]}"; do
          ours "$size" "$n" "$precision" "$what"
          [[ $what == forward ]] || ours "$size" "$n" "$precision" "$what" recompute
          [[ -x $python && ! ($what == training && $n -gt 4096) ]] || continue
          for attention in block_sparse original_full; do
            peer "$size $what $precision $attention" timeout "$limit" "$python" "$here/peers.py" "$threads" "$size" "$n" "$precision" "$what" "$attention"
            peer "$size $what $precision $attention tuned" "${tuned[@]}" timeout "$limit" "$python" "$here/peers.py" "$threads" "$size" "$n" "$precision" "$what" "$attention" 'allocator tuned'
          done
        done
      done
    done
  done
}

linear() {
  header '#linear'
  local case n
  for case in 'base forward' 'small training'; do
    read -r size what <<<"$case"
    for n in 1024 2048 4096 8192 16384 32768 65536; do ours "$size" "$n" fp32 "$what"; done | tee "$work/rows"
    awk -F'\t' -v what="$case" '!/^#/ { if (n) printf "# %s, %d to %d tokens: time grows as n^%.2f, memory as n^%.2f\n", what, n, $2, log($6 / t) / log($2 / n), log($11 / m) / log($2 / n)
                                n = $2; t = $6; m = $11 }' "$work/rows"
  done
}

modern() {
  header '#modern'
  local size n what
  for size in tiny small; do
    for n in 512 2048; do
      for what in forward training; do
        ours "$size" "$n" fp32 "$what"
        ours "modern-$size" "$n" fp32 "$what"
      done
    done
  done
}

attentions() {
  header '#attentions'
  local name n what
  for name in blocks $("$build/bin/bigdna" info --attentions | sed -n 's/^### \([a-z]*\):.*/\1/p' | tail -n +2); do
    for what in forward training; do
      for n in 4096 16384 65536; do
        if [[ $name == blocks ]]; then
          ours modern-tiny "$n" fp32 "$what"
          ours modern-tiny "$n" fp32 "$what" backend=gather
        else
          ours modern-tiny "$n" fp32 "$what" "attention=$name:from=0,local=0"
        fi
      done
    done
  done
}

stacks() {
  header '#stacks'
  local size n
  for size in small base; do
    for n in 16384 65536; do
      ours "modern-$size" "$n" fp32 training
      ours "modern-$size" "$n" fp32 training recompute
      ours "modern-$size" "$n" fp32 training stack=reversible
    done
  done
}

allocator() {
  header '#allocator'
  # mallopt that does nothing: glibc's own settings
  echo 'int mallopt(int what, int value) { (void)what; (void)value; return 1; }' >"$work/plain.c"
  cc -shared -fPIC -o "$work/plain.so" "$work/plain.c"
  local n=${lengths[-1]} size
  for size in "${sizes[@]}"; do
    ours "$size" "$n" fp32 training
    ours_as 'huge pages' env GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$size" "$n"
    ours_as "glibc's malloc" env LD_PRELOAD="$work/plain.so" "$size" "$n"
  done
}

echo "# $threads threads, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | xargs), $(date -u +%F)"
for part in "${parts[@]}"; do "$part"; done
