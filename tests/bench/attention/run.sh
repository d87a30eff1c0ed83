#!/usr/bin/env bash
# Attention alone, ours and other software's side by side: a TSV table on stdout.
#   tests/bench/attention/run.sh [THREADS [SHAPES [BACKENDS]]]
# A shape is batch x heads x head_size x block x tokens. Other software runs where tests/peers/setup.sh has been run,
# once as users run it and once with the allocator tuned as ours is. Wants a quiet machine; takes about two minutes.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
root=$here/../../..
build=${BUILD:-$root/build}
threads=${1:-$(nproc)}
shapes=${2:-1x12x64x64x1024 1x12x64x64x4096 1x12x64x64x16384 8x2x64x16x1024 1x2x64x16x512}
backends=${3:-fused gather}
cmake --build "$build" --target bench_attention >&2
bench=$(find "$build" -name bench_attention -type f -perm -u+x | head -1)
"$bench" "$threads" "$shapes" "$backends"
python=$("$root/cmake/setup.sh" --print)/peers/bin/python
if [[ -x $python ]]; then
  "$python" "$here/peers.py" "$threads" "$shapes"
  MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_TOP_PAD_=67108864 \
    "$python" "$here/peers.py" "$threads" "$shapes" "allocator tuned"
else
  echo "other software is not timed: tests/peers/setup.sh makes its environment" >&2
fi
