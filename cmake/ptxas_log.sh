#!/usr/bin/env bash
# ptxas_log.sh COMMAND ...: runs a compiler that was given -Xptxas -v. What ptxas says of each kernel goes to OBJECT.ptxas (read by
# tests/gpu/ptxas.py), everything else to stderr.
set -uo pipefail
object=
for ((i = 1; i <= $#; i++)); do
  if [[ ${!i} == -o ]]; then j=$((i + 1)); object=${!j}; fi
done
exec 3>&1  # its stdout stays
said=$("$@" 2>&1 1>&3)
status=$?
[[ -z $object ]] || grep -E '^ptxas info|bytes stack frame' <<<"$said" >"$object.ptxas"
grep -vE '^ptxas info|bytes stack frame|^$' <<<"$said" >&2
exit $status
