# Shared by the tokenizer benchmarks: where things are, and real text.
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
genomes=(GRCh37.chr20 dm3.chr2R.softmasked sacCer3 Ecoli_K12_MG1655)

# contigs_of GENOME: a contig a line, of ACGTN
contigs_of() {
  zcat "$data/genomes/$1.fa.gz" | awk '/^>/ { if (NR > 1) print ""; next } { s = toupper($0); gsub(/[^ACGT]/, "N", s); printf "%s", s } END { print "" }'
}
# sentences_of GENOME: its sentences of 750 bp, those of mostly N left out
sentences_of() {
  contigs_of "$1" | fold -w 750 | awk 'length($0) == 750 { u = $0; if (gsub(/N/, "", u) * 2 <= 750) print }'
}
# real.txt: sentences of all real genomes, chr20 first; about 97 Mbp.
real_text() { [[ -s $work/real.txt ]] || for g in "${genomes[@]}"; do sentences_of "$g"; done >"$work/real.txt"; }
first_mbp() { head -c "$(($1 * 1000000))" "$work/real.txt" | sed '$d' >"$2"; }
# compile_with_tokenizer SOURCE PROGRAM: with bigdna's and SentencePiece's library
compile_with_tokenizer() {
  g++ -O2 -std=c++20 -I"$root/lib" -isystem "$spm/include" "$1" -o "$2" "$build"/lib/libbigdna_{tokenizer,io,base}.a \
    "$spm"/lib/libsentencepiece{_train,}.a -lhwy -lhts -lz -lpthread
}
# timed NAME CMD...: NAME, wall seconds, CPU seconds, peak MB, as a row
timed() {
  local name=$1; shift
  if /usr/bin/env time -o "$work/time" -f '%e %U %S %M' "$@" >"$work/log" 2>&1; then
    awk -v n="$name" '{ printf "%s\t%.2f\t%.2f\t%.0f\n", n, $1, $2 + $3, $4 / 1024 }' <(tail -1 "$work/time")
  else
    printf '%s\tfailed: %s\n' "$name" "$(tail -1 "$work/log")"
  fi
}
