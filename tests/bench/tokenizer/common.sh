# Shared by the tokenizer benchmarks: where things are, and one real text.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=${BIGDNA_BUILD:-$root/build}
bigdna=$build/bin/bigdna
data=${BIGDNA_DATA:-$root/../shared/data}
cache=$("$root/cmake/setup.sh" --print)
spm=$cache/sentencepiece-0.2.1
peers=$cache/peers/bin/python
work=${BIGDNA_BENCH:-${TMPDIR:-/tmp}/bigdna-bench-tokenizer}
mkdir -p "$work"

# real.txt: sentences of 750 bp without much N from all real genomes, chr20 first; about 97 Mbp.
real_text() {
  [[ -s $work/real.txt ]] || for g in GRCh37.chr20 dm3.chr2R.softmasked sacCer3 Ecoli_K12_MG1655; do zcat "$data/genomes/$g.fa.gz"; done |
    awk '/^>/ { flush_line(); next } { s = s toupper($0); while (length(s) >= 750) { emit(substr(s, 1, 750)); s = substr(s, 751) } }
         function emit(t,  u) { gsub(/[^ACGT]/, "N", t); u = t; if (gsub(/N/, "", u) * 2 <= 750) print t } function flush_line() { s = "" }' >"$work/real.txt"
}
first_mbp() { head -c "$(($1 * 1000000))" "$work/real.txt" | sed '$d' >"$2"; }
# timed NAME CMD...: NAME, wall seconds, CPU seconds, peak MB, as a row
timed() {
  local name=$1; shift
  if /usr/bin/env time -o "$work/time" -f '%e %U %S %M' "$@" >"$work/log" 2>&1; then
    awk -v n="$name" '{ printf "%s\t%.2f\t%.2f\t%.0f\n", n, $1, $2 + $3, $4 / 1024 }' <(tail -1 "$work/time")
  else
    printf '%s\tfailed: %s\n' "$name" "$(tail -1 "$work/log")"
  fi
}
