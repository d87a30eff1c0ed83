#!/usr/bin/env bash
# Lays real human data (GRCh37 = hg19) in a folder: chromosome 20 and region sets, all from two Debian packages.
#   pipelines/human_chr20.sh FOLDER [DATA]
# DATA: a folder that already holds the files (at any depth), instead of the packages: 20.fa.gz (or GRCh37.chr20.fa.gz, chr20.fa.gz),
#       RefSeqTSS.hg19.txt.gz (or tss.bed), and CpGIsland, RefSeqTSS2kb, RefSeqExon, RefSeqTES and laminB1lads as NAME.hg19.bed.gz
#       (or NAME.bed.gz). What this script wrote elsewhere will do.
# Writes FOLDER/chr20.fa.gz (its contig is named 20), FOLDER/tss.bed (RefSeq start sites of chr20 with strand) and
# FOLDER/features/*.bed.gz (contigs named chr20).
set -euo pipefail
case ${1:-} in
  -h | --help) sed -n '2,9s/^# \?//p' "$0"; exit 0 ;;
  '' | -*) echo "usage: pipelines/human_chr20.sh FOLDER [DATA] (see --help)" >&2; exit 2 ;;
esac
folder=$1 data=${2:-}
root=$(dirname "$(dirname "$(readlink -f "$0")")")
mkdir -p "$folder/features"
[[ ! -e $folder/.complete ]] || exit 0

if [[ -z $data ]]; then
  data=$("$root/cmake/setup.sh" --print)/human_chr20_packages
  if [[ ! -e $data/.complete ]]; then
    echo "human_chr20: downloads 63 MB of Debian packages to $data" >&2
    mkdir -p "$data"
    # unpacked here, not installed: containers drop /usr/share/doc, and no right to install is needed
    (cd "$data"
     apt-get download -qq vt-examples chromhmm-example 2>/dev/null ||
       { apt-get update -qq; apt-get download -qq vt-examples chromhmm-example; }  # no package lists yet
     for deb in *.deb; do dpkg-deb -x "$deb" . && rm "$deb"; done) >&2
    touch "$data/.complete"
  fi
fi
find_file() {  # NAME...: the first of these names under $data
  local name path
  for name in "$@"; do
    path=$(find -L "$data" -name "$name" -print -quit)
    [[ -z $path ]] || { echo "$path"; return; }
  done
  local names=$*
  echo "human_chr20: $data holds no file named ${names// / or } (see --help)" >&2
  return 1
}

path=$(find_file 20.fa.gz GRCh37.chr20.fa.gz chr20.fa.gz)
cp "$path" "$folder/chr20.fa.gz"
chmod u+w "$folder/chr20.fa.gz"
path=$(find_file RefSeqTSS.hg19.txt.gz tss.bed)
if [[ $path == *.bed ]]; then
  cp "$path" "$folder/tss.bed"
else
  zcat "$path" | awk -v OFS='\t' '$1 == "chr20" {print $1, $2, $2 + 1, "tss" NR, 0, $3}' | sort -k2,2n -k6,6 -u >"$folder/tss.bed"
fi
for name in CpGIsland RefSeqTSS2kb RefSeqExon RefSeqTES laminB1lads; do
  path=$(find_file "$name.hg19.bed.gz" "$name.bed.gz")
  cp "$path" "$folder/features/$name.bed.gz"
done
chmod u+w "$folder"/features/*
touch "$folder/.complete"
