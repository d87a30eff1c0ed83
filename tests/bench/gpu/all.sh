#!/usr/bin/env bash
# Everything that needs a GPU, in parts, within a time limit: tests/bench/gpu/all.sh STATE [SECONDS]
# STATE    a folder with PART.txt, what each part printed; a part that is complete there is not run again, so that a second call goes on
#          where the first ended
# SECONDS  no part begins that would not end before them, by the seconds in the list below (default: 540)
# The parts are those of test.sh and measure.sh, the most wanted first. Exit code: 0 all parts are complete and right, 1 one failed,
# 3 some are left for another call. $BINS, $GENOME, $BIGDNA_MODELS: as for measure.sh.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
(($#)) || { echo "all.sh: name the folder for what is printed" >&2; exit 2; }
state=$1 limit=${2:-540} failed=0 left=0
mkdir -p "$state"

part() {  # NAME SECONDS COMMAND...
  local name=$1 seconds=$2 status=0
  shift 2
  [[ ! -e $state/$name.txt ]] || { echo "== $name: complete"; return; }
  ((SECONDS + seconds <= limit)) || { echo "== $name: left for another call ($seconds s)"; left=1; return; }
  echo "== $name"
  timeout "$seconds" "$@" 2>&1 | tee "$state/$name.partial" || status=$?
  if ((status)); then
    echo "FAILED: $name, status $status (124: took over $seconds s)"
    mv "$state/$name.partial" "$state/$name.failed"
    failed=1
  else
    mv "$state/$name.partial" "$state/$name.txt"
  fi
}

nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv,noheader 2>/dev/null
part test 150 "$here/test.sh"
part networks 180 "$here/measure.sh" networks
part attention-short 120 env TOKENS="4096 16384" "$here/measure.sh" attention
part rows 20 "$here/measure.sh" rows
part step 270 "$here/measure.sh" step
part predict 150 "$here/measure.sh" predict
part longest 150 "$here/measure.sh" longest
part attention 270 "$here/measure.sh" attention
part sanitize 400 "$here/test.sh" --sanitize
((failed)) && exit 1
exit $((left ? 3 : 0))
