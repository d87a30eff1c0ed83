#!/usr/bin/env bash
# Attention alone, bigdna and other software: one TSV table on stdout, sorted by shape, progress on stderr.
#   tests/bench/attention/run.sh [THREADS [SHAPES [BACKENDS]]]
# A shape is batch x heads x head_size x block x tokens. Useful work is the block-sparse one's (backward: 2.5 times the
# forward), shares are of this run's rate of a 4096 x 768 x 3072 product in the same type. Other software runs where
# tests/peers/setup.sh has been run, once as users run it and once with the allocator tuned like bigdna's; the reference
# prototypes (forward, base size) where PROTOTYPES, a folder, has them. Wants a quiet machine; whole, about 15 minutes.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
root=$here/../../..
build=${BUILD:-$root/build}
threads=${1:-$(nproc)}
tokens="512 1024 2048 4096 8192 16384"
shapes=${2:-$(printf '1x12x64x64x%s ' $tokens; printf '1x4x64x32x%s ' $tokens)}
backends=${3:-fused gather}
prototypes=${PROTOTYPES:-$root/../shared/prototypes}
cmake --build "$build" --target bench_attention >&2
bench=$(find "$build" -name bench_attention -type f -perm -u+x | head -1)
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

prototype() {  # NAME TYPE CPU_FLAG GCC_FLAGS...
  local source=$prototypes/attention_$1.cpp type=$2 flag=$3 shape
  shift 3
  [[ -e $source ]] && grep -qw "$flag" /proc/cpuinfo || { echo "no prototype in $type: no $source or no $flag" >&2; return 0; }
  g++ -O3 -std=c++20 "$@" "$source" -o "$folder/prototype" -pthread
  for shape in $shapes; do
    [[ $shape == 1x12x64x64x* ]] || continue
    "$folder/prototype" "${shape##*x}" "$threads" | awk -v OFS='\t' -v shape="$shape" -v type="$type" \
      '/med/ { for (i = 1; i < NF; ++i) if ($i == "med") { print shape, "prototype", type, $(i + 1), "-", $(i + 3), "-" } }'
  done
}
everything() {
  "$bench" "$threads" "$shapes" "$backends"
  prototype fp32_avx512 fp32 avx512f -mavx512f -mavx2 -mfma
  prototype bf16_amx bf16 amx_bf16 -mavx512f -mavx512bf16 -mamx-tile -mamx-bf16 -mavx2 -mfma
  local python
  python=$("$root/cmake/setup.sh" --print)/peers/bin/python
  if [[ -x $python ]]; then
    "$python" "$here/peers.py" "$threads" "$shapes"
    MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_TOP_PAD_=67108864 \
      "$python" "$here/peers.py" "$threads" "$shapes" "allocator tuned"
  else
    echo "other software is not timed: tests/peers/setup.sh makes its environment" >&2
  fi
}
everything | tee /dev/stderr | awk -F'\t' -v OFS='\t' -v shapes="$shapes" '
  function share(rate, type) { return rate == "-" ? "-" : sprintf("%.2f", rate / peak[type]) }
  / peak / { match($0, /peak [0-9]+/); peak["fp32"] = substr($0, RSTART + 5, RLENGTH - 5)
             match($0, /[0-9]+ bf16$/); peak["bf16"] = substr($0, RSTART, RLENGTH - 5) }
  /^#shape/ { print $0, "forward_share", "forward_backward_share"; next }
  /^#/ { print; next }
  { rows[$1] = rows[$1] $0 OFS share($6, $3) OFS share($7, $3) "\n" }
  END { count = split(shapes, order, " "); for (i = 1; i <= count; ++i) printf "%s", rows[order[i]] }'
