#!/usr/bin/env bash
# Speed of `bigdna coverage` beside samtools depth, bedtools genomecov and pyBigWig, on simulated reads: one thread each, the best of
# three runs in turn: processor time, which other work on the machine alters less than elapsed time, and the largest memory. Writes a table to stdout.
#   tests/bench/coverage.sh [READS] [PYTHON]    PYTHON: one that has pyBigWig (default: the peers' environment)
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
reads=${1:-4000000} python=${2:-$("$here/../../cmake/setup.sh" --print)/peers/bin/python}
bigdna=${BIGDNA:-$here/../../build/bin/bigdna}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf 'chr20\t63025520\n' >sizes
# Single reads of 75 bp, half of them in 2000 peaks; one in 20 has a gap of 300 bp.
awk -v n="$reads" 'BEGIN {srand(1); for (i = 0; i < n; ++i) {p = rand() < 0.5 ? int(rand() * 62900000) : int(rand() * 2000) * 31000 + int(rand() * 400);
  print p "\t" (rand() < 0.5 ? 0 : 16) "\t" (i % 20 ? "75M" : "30M300N45M")}}' | sort -k1,1n |
  awk 'BEGIN {OFS = "\t"; print "@HD", "VN:1.6", "SO:coordinate"; print "@SQ", "SN:chr20", "LN:63025520"; s = sprintf("%75s", ""); gsub(" ", "A", s); q = s; gsub("A", "I", q)}
    {print "r" NR, $2, "chr20", $1 + 1, 60, $3, "*", 0, 0, s, q}' | samtools view -b -o reads.bam -
bedtools bamtobed -i reads.bam | awk -v OFS='\t' '{print $1, $2, $3, "BC" NR % 5000 "-1", 1}' | gzip >fragments.tsv.gz
"$bigdna" coverage reads.bam --chrom-sizes sizes -o signal.bw --quiet

rounds=3
declare -A best memory
run() {  # NAME COMMAND
  local out
  env time -o time.txt -f '%U %S %M' bash -c "$2" >/dev/null || { echo "failed: $2" >&2; exit 1; }
  out=$(cat time.txt)
  best[$1]=$(awk -v a="${best[$1]:-1e9}" '{s = $1 + $2; print a < s ? a : s}' <<<"$out")
  memory[$1]=${out##* }
}
cat >read.py <<'PY'
import pyBigWig
print(sum((e - s) * v for s, e, v in pyBigWig.open("signal.bw").intervals("chr20")))
PY
cat >bins.py <<'PY'
import numpy, pyBigWig
values = numpy.nan_to_num(pyBigWig.open("signal.bw").values("chr20", 0, 63025520 // 200 * 200, numpy=True))
print(values.reshape(-1, 200).sum(1).sum())
PY
for ((round = 0; round < rounds; ++round)); do
  run "BAM: bigdna coverage, bedGraph" "$bigdna coverage reads.bam --chrom-sizes sizes -o - -@1 --quiet"
  run "BAM: samtools depth" "samtools depth reads.bam"
  run "BAM: bedtools genomecov -bg -split" "bedtools genomecov -ibam reads.bam -bg -split"
  run "BAM: bigdna coverage, bigWig" "$bigdna coverage reads.bam --chrom-sizes sizes -o out.bw -@1 --quiet"
  run "fragments: bigdna coverage, bedGraph" "$bigdna coverage fragments.tsv.gz --chrom-sizes sizes -o - -@1 --quiet"
  run "fragments: bedtools genomecov -bg" "bedtools genomecov -i fragments.tsv.gz -g sizes -bg"
  run "bigWig: bigdna coverage --bin 200" "$bigdna coverage signal.bw --chrom-sizes sizes --bin 200 -o bins.bw -@1 --quiet"
  run "bigWig: pyBigWig, values of each base summed in bins" "$python bins.py"
  run "bigWig: pyBigWig, intervals" "$python read.py"
done
intervals=$("$python" -c 'import pyBigWig; print(len(pyBigWig.open("signal.bw").intervals("chr20")))')
printf 'input\tprocessor seconds\tmillion records a second\tMB\n'
for name in "${!best[@]}"; do
  records=$reads
  [[ $name != bigWig* ]] || records=$intervals
  awk -v OFS='\t' -v n="$name" -v s="${best[$name]}" -v r="$records" -v m="${memory[$name]}" 'BEGIN {print n, s, sprintf("%.2f", r / s / 1e6), int(m / 1024)}'
done | sort
echo "reads: $reads; intervals of the bigWig: $intervals"
