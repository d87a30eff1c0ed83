#!/bin/bash
# docs/pictures/tracks.sh BIGDNA DATA OUT: predictions of human-chr20-chrX and ENCODE's peaks of GM12878 in the 100 kb of chr20:54-58 Mb
# (held out of its training) that have the most DNase peaks, for make.py. DATA holds genomes/ and chromatin/encode_hg19/.
set -euo pipefail
bigdna=$1 data=$2 out=$3
mkdir -p "$out"
printf '20\t55900000\t56000000\n' >"$out/region.bed"
"$bigdna" chromatin human-chr20-chrX "$out/region.bed" -g "$data/genomes/GRCh37.chr20.fa.gz" --tile 200 \
  --features 'CTCF|GM12878,DNase|GM12878,H3K4me3|GM12878' --precision fp32 --quiet -o "$out/predictions.tsv"
for name in CTCF DNase H3K4me3; do
  zcat "$data"/chromatin/encode_hg19/GM12878.$name.*.narrowPeak.gz | awk '$1 == "chr20" && $3 > 55900000 && $2 < 56000000' >"$out/$name.bed"
done
# calibration.svg: all bins of the 4 Mb
printf '20\t54000000\t58000000\n' >"$out/all.bed"
"$bigdna" chromatin human-chr20-chrX "$out/all.bed" -g "$data/genomes/GRCh37.chr20.fa.gz" --tile 200 \
  --features 'CTCF|GM12878,DNase|GM12878,H3K4me3|GM12878' --precision fp32 --quiet -o "$out/calibration.tsv"
for name in CTCF DNase H3K4me3; do
  zcat "$data"/chromatin/encode_hg19/GM12878.$name.*.narrowPeak.gz | awk '$1 == "chr20" && $3 > 54000000 && $2 < 58000000' >"$out/$name.all.bed"
done
# ctcf.svg: what each base of a CTCF site in that stretch contributes
"$bigdna" explain human-chr20-chrX -r 20:55921616-55921665 -g "$data/genomes/GRCh37.chr20.fa.gz" --features 'CTCF|GM12878' --quiet \
  -o "$out/bases.tsv" --pictures "$out/logos"
cp "$out"/logos/*.svg "$(dirname "$0")/ctcf.svg"
