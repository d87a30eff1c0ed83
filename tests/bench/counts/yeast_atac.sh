#!/bin/bash
# Yeast ATAC-seq in 200-bp bins: networks and k-mers by seed, beside GC content, the mean, shuffled counts and halves of the reads.
# usage: yeast_atac.sh FOLDER [OPTIONS OF train]     (BIGDNA_DATA: where coverage/ and genomes/ lie)
# Tested on chrIV, chrXI and chrXV; validation on chrVII. docs/benchmarks/counts-yeast-atac_cpu_2026-11-28.md has the figures.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bigdna=${BIGDNA:-$here/../../../build/bin/bigdna} data=${BIGDNA_DATA:-$here/../../../../shared/data}
mkdir -p "$1"
cd "$1"
shift
reads=$data/coverage/yeast_500k_SRR1822137.bedpe.gz
printf 'file\tname\tcell\tassay\tgroup\tcount\n%s\tATAC\tyeast\tATAC\tATAC\tcuts\n' "$reads" >tracks.tsv
printf 'chrM\t0\t85779\nchrXII\t445000\t495000\n' >exclude.bed # mitochondrion, ribosomal DNA
build() { # NAME TABLE
  [ -e "$1/dataset.json" ] || "$bigdna" dataset chromatin --tracks "$2" -g "$data/genomes/sacCer3.fa.gz" --contigs all --exclude exclude.bed \
    --test chrIV,chrXI,chrXV --validation chrVII -o "$1" --quiet
}
build bins tracks.tsv
python=$("$here/../../../cmake/setup.sh" --print)/peers/bin/python
[ -e shuffled ] || "$python" "$here/../variants/shuffle_labels.py" bins shuffled
train() { # DATASET RUN OPTIONS...
  local dataset=$1 run=$2
  shift 2
  [ -e "$run/run.json" ] || (time "$bigdna" train "$dataset" -o "$run" -@ 2 "$@" --resume >"$run.tsv") 2>&1 | tee "$run.log"
}
for seed in 1 2 3; do train bins "run$seed" --seed "$seed" "$@"; done
train shuffled null --seed 1 "$@" --no-baseline
for run in run1 run2 run3 null; do
  awk -F'\t' -v run=$run '!/^#/ && $7 == "all" && $9 !~ /-/ {print run "\t" $9 "\t" $11 "\t" $12 "\t" $13 "\t" $14}' "$run/tracks.tsv"
done
