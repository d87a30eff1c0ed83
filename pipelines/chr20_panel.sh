#!/usr/bin/env bash
# Writes FOLDER/panel.tsv, a table of five region sets of human chromosome 20 for `bigdna dataset chromatin --peaks`.
#   pipelines/chr20_panel.sh FOLDER
# FOLDER: what pipelines/human_chr20.sh wrote. The sets are CpG islands, start sites +-2 kb, exons, transcript ends and
# lamina-associated domains.
set -euo pipefail
case ${1:-} in
  -h | --help) sed -n '2,5s/^# \?//p' "$0"; exit 0 ;;
  '' | -*) echo "usage: pipelines/chr20_panel.sh FOLDER (see --help)" >&2; exit 2 ;;
esac
cd "$1"
# transcript ends are single bases in that file: widened to 1 kb, since a label needs more than half of a 200-bp bin
zcat features/RefSeqTES.bed.gz | awk -v OFS='\t' '$2 > 500 {print $1, $2 - 500, $2 + 500}' | gzip >features/RefSeqTES1kb.bed.gz
{
  printf 'file\tname\tcell\tassay\tgroup\n'
  for feature in CpGIsland RefSeqTSS2kb RefSeqExon RefSeqTES1kb laminB1lads; do
    printf 'features/%s.bed.gz\t%s\thg19\tannotation\tother\n' $feature $feature
  done
} >panel.tsv
