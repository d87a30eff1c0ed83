#!/bin/bash
# A ChromBPNet of yeast ATAC-seq: bias model on background, whole model, the same network without a bias model, and bpnet-lite's BPNet.
# usage: profile_bias.sh FOLDER     (BIGDNA_DATA: where coverage/ and genomes/ lie; bpnet-lite in the peers' Python, or in PYTHONPATH)
# Tested on chrIV, chrXI and chrXV; validation on chrVII. docs/benchmarks/profiles-bias_xeon-amx_2026-11-29.md has the figures.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bigdna=${BIGDNA:-$here/../../../build/bin/bigdna} data=${BIGDNA_DATA:-$here/../../../../shared/data}
python=${PYTHON:-$("$here/../../../cmake/setup.sh" --print)/peers/bin/python}
mkdir -p "$1"
cd "$1"
reads=$data/coverage/yeast_500k_SRR1822137.bedpe.gz genome=$data/genomes/sacCer3.fa.gz
cut -f1,2 "$genome.fai" | grep -v '^chrM' >sizes
printf 'chrXII\t440000\t500000\n' >rdna.bed
printf 'file\tname\tcount\tshift\n%s\tATAC\tcuts\t4,-4\n' "$reads" >tracks.tsv
"$bigdna" coverage "$reads" --chrom-sizes sizes --count cuts --shift 4,-4 --bin 100 -o cuts.bedgraph --quiet
"$python" "$here/peaks_of_bins.py" cuts.bedgraph 60 sizes >peaks.narrowPeak
"$bigdna" dataset profile --tracks tracks.tsv --peaks peaks.narrowPeak -g "$genome" --exclude rdna.bed --contigs 'chr[IVX]+' \
  --test chrIV,chrXI,chrXV --validation chrVII -o peaks --resume
"$bigdna" train peaks --regions background --filters 64 --dilated-layers 4 --epochs 20 --no-baseline -o bias -@ 2 --resume
"$bigdna" train peaks --filters 32 --dilated-layers 8 --epochs 40 -o alone -@ 2 --resume
"$bigdna" train peaks --bias bias --filters 32 --dilated-layers 8 --epochs 40 -o whole -@ 2 --resume
"$python" "$here/cut_sites.py" "$bigdna" whole peaks "$genome" cuts
# bpnet-lite beside the network without a bias model, after as many epochs
"$python" "$here/bpnet_lite_training.py" peaks "$genome" lite --filters 32 --layers 8 --epochs 10 --count-weight 20
for rate in 0.001 0.003 0.01 0.02; do
  for seed in 1 2 3; do
    "$bigdna" train peaks --filters 32 --dilated-layers 8 --epochs 10 --learning-rate $rate --seed $seed --no-baseline -o "rate_$rate.$seed" -@ 2 --resume
  done
  "$bigdna" train peaks --filters 32 --dilated-layers 8 --epochs 40 --learning-rate $rate --no-baseline -o "long_$rate" -@ 2 --resume
done
