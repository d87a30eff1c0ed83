#!/usr/bin/env bash
# Corpus building (Mbp/s, by threads; peak memory for 1 and 10 passes) and the loader (examples/s, Mtokens/s, by workers) on human
# chromosome 20; a table each on stdout.
#   tests/bench/corpus.sh [BUILD] [FASTA]     about 3 minutes on 2 cores; BUILD (default build) is a configured build folder
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
build=${1:-$root/build} data=${BIGDNA_DATA:-$root/../shared/data}
fasta=${2:-$data/genomes/GRCh37.chr20.fa.gz}
cmake --build "$build" --target bigdna bench_corpus_loader >&2
bigdna=$build/bin/bigdna out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$bigdna" vocab "$fasta" --vocab-size 4096 -o "$out/vocabulary" --quiet

printf '#threads\tpasses\tfile_size\tseconds\tMbp_per_s\tpeak_MB\tcorpus_MB\n'
row() { # threads passes file_size
  "$bigdna" corpus "$fasta" --vocab "$out/vocabulary" -o "$out/corpus" --force -@ "$1" --passes "$2" --file-size "$3" --quiet &
  local pid=$! start end peak=0 now
  start=$(date +%s.%N)
  while kill -0 $pid 2>/dev/null; do
    now=$(awk '/VmHWM/ { print $2 }' /proc/$pid/status 2>/dev/null || true)
    peak=${now:-$peak}
    sleep 0.1
  done
  wait $pid
  end=$(date +%s.%N)
  python3 - "$out/corpus/corpus.json" "$1" "$2" "$3" "$start" "$end" "$peak" "$(du -sm "$out/corpus" | cut -f1)" <<'END'
import json, sys
counts = json.load(open(sys.argv[1]))
bases = counts["training"]["bases"] + counts["validation"]["bases"]
seconds = float(sys.argv[6]) - float(sys.argv[5])
print(*sys.argv[2:5], f"{seconds:.1f}", f"{bases / seconds / 1e6:.1f}", f"{int(sys.argv[7]) / 1e3:.0f}", sys.argv[8], sep="\t")
END
}
row 1 1 33554432
row 2 1 33554432
row 2 10 33554432
printf '#max_length\tworkers\texamples_per_s\tMtokens_per_s\tpeak_MB\n'
for length in 512 4096; do
  for workers in 1 2; do "$build/bin/bench_corpus_loader" "$out/corpus" $length $workers; done
done
