#!/usr/bin/env bash
# What a newcomer waits for, without ccache, in a fresh clone of the last commit: the quickstart's build (the two programs), the first
# result line of the quickstart from `git clone` on, and the build of everything. Dependencies (cmake/setup.sh) count only where
# they are missing.
#   tests/bench/build.sh [--data DIR]     DIR as for pipelines/quickstart.sh; two quiet cores, about 12 minutes on a Zen 4
# Prints a table: what, seconds, CPU seconds (user + system: a busy machine disturbs them less), objects compiled.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1
TIMEFORMAT='%R %U %S'

# timed COMMAND: its output goes to the log; prints "seconds CPU-seconds"
timed() {
  { time "$@" >>"$work/log" 2>&1; } 2>"$work/time" || { tail -30 "$work/log" >&2; return 1; }
  awk '{ printf "%.0f %.0f\n", $1, $2 + $3 }' "$work/time"
}
objects() { find "$work/bigdna/build" -name '*.o' -o -name '*.gch' | wc -l; }
row() { (IFS=$'\t'; echo "$*"); }
to_first_result() { # a reader that leaves ends the quickstart
  { "$work/bigdna/pipelines/quickstart.sh" --no-build --out "$work/out" "$@" || true; } 2>&1 | grep -m 1 'result:'
}

row '#what' seconds CPU_s objects
read -r clone clone_cpu < <(timed git clone -q "$root" "$work/bigdna")
read -r programs programs_cpu < <(timed "$work/bigdna/cmake/build.sh" programs)
row programs "$programs" "$programs_cpu" "$(objects)"
read -r first first_cpu < <(timed to_first_result "$@")
row clone_to_first_result $((clone + programs + first)) $((clone_cpu + programs_cpu + first_cpu)) -
read -r rest rest_cpu < <(timed "$work/bigdna/cmake/build.sh")
row everything $((programs + rest)) $((programs_cpu + rest_cpu)) "$(objects)"
