#!/bin/bash
# docs/pictures/report.sh BIGDNA TEST_DATA FOLDER: the report of the peaks tutorial, for the picture report.png. chromium-headless-shell takes it,
# where there is one; reduce its colours before it is committed.
set -euo pipefail
data=$2
PATH=$(dirname "$1"):$PATH
mkdir -p "$3"
cp "$data"/{genome.fa.gz,peaks.tsv,regions.bed,*Peak*} "$3"
cd "$3"
bigdna dataset chromatin --peaks peaks.tsv -g genome.fa.gz --keep all --upstream 0 --downstream 0 --validation chrX --test chr3 -o bins --quiet
bigdna train bins --preset tiny --epochs 2 --precision fp32 -o model --quiet >/dev/null
bigdna chromatin model regions.bed -g genome.fa.gz --precision fp32 -o predictions.tsv --quiet
bigdna report model predictions.tsv bins --title 'Peaks of three experiments' -o report.html --quiet
if command -v chromium-headless-shell >/dev/null; then
  chromium-headless-shell --no-sandbox --disable-gpu --hide-scrollbars --window-size=1000,1180 --screenshot=report.png "file://$PWD/report.html"
fi
