#!/usr/bin/env bash
# Time and memory of a training step by length and attention pattern, and what the allocator setting gives.
#
#   tests/bench/training.sh [LENGTH...]      default 1024 2048 4096 8192 16384; $BIGDNA: the program
#
# One line per length and pattern: steps of one example of that length (preset small, block 64, one layer pair), measured by
# `bigdna pretrain --plan` on random tokens. bigbird should double with the length, full attention quadruple. The
# last lines time a step at the last length with glibc's own malloc settings in place of ours. Run it on a quiet machine.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
bigdna=${BIGDNA:-$here/build/bin/bigdna}
lengths=("${@:-}")
[[ -n ${lengths[0]} ]] || lengths=(1024 2048 4096 8192 16384)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The plan reads a genome only for its size.
python3 -c 'import random; random.seed(1); print(">g\n" + "".join(random.choices("ACGT", k=3000000)))' >"$work/g.fa"
# An allocator without our settings: mallopt that does nothing.
echo 'int mallopt(int what, int value) { (void)what; (void)value; return 1; }' >"$work/plain.c"
cc -shared -fPIC -o "$work/plain.so" "$work/plain.c"

# Prints tokens/s, seconds a step and peak memory in MB of one measurement.
measure() {
  local length=$1
  shift
  /usr/bin/env time -f '%M' -o "$work/kb" "$@" "$bigdna" pretrain "$work/g.fa" -o "$work/run" --plan --quiet --layers 4 --heads 4 --hidden 256 --ffn 1024 \
    --block 64 --vocab-size 4096 --batch 1 --steps 1000 --max-length "$length" "${options[@]}" >"$work/plan"
  python3 - "$length" "$work/plan" "$work/kb" <<'PY'
import re, sys
length, text, kb = int(sys.argv[1]), open(sys.argv[2]).read(), int(open(sys.argv[3]).read().split()[-1])
value, prefix = re.search(r"speed: ([0-9.]+) ([kMG]?)tokens/s", text).groups()
rate = float(value) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[prefix]
print(f"{rate:.0f}\t{length / rate:.3f}\t{kb / 1024:.0f}")
PY
}

printf 'pattern\ttokens\ttokens/s\tseconds/step\tpeak MB\n'
for pattern in bigbird full; do
  for length in "${lengths[@]}"; do
    options=(--pattern "$pattern")
    printf '%s\t%s\t%s\n' "$pattern" "$length" "$(measure "$length" env)"
  done
done
options=(--pattern bigbird)
printf '\nallocator\ttokens\ttokens/s\tseconds/step\tpeak MB\n'
printf 'ours\t%s\t%s\n' "${lengths[-1]}" "$(measure "${lengths[-1]}" env)"
printf 'glibc\t%s\t%s\n' "${lengths[-1]}" "$(measure "${lengths[-1]}" env LD_PRELOAD="$work/plain.so")"
