#!/usr/bin/env bash
# From an empty Python environment to a bigWig and a NumPy array: tests/bench/install.sh WHEEL GENOME.fa REGIONS.bed [PACKAGE...]
# Installs the wheel (with NumPy), predicts tracks and an array of the regions, and installs each PACKAGE (e.g. tangermeme) into an
# environment of its own. Nothing is taken from pip's cache. Prints TSV rows: what, seconds, MB on disk, peak MB of memory.
set -euo pipefail
[[ $# -ge 3 && $1 != -* ]] || { sed -n '2,5s/^# \?//p' "$0" >&2; exit 2; }
wheel=$(readlink -f "$1") genome=$(readlink -f "$2") regions=$(readlink -f "$3")
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
row() {  # WHAT ENVIRONMENT COMMAND...
  local what=$1 environment=$2 before
  before=$(du -sm "$environment" | cut -f1)
  shift 2
  /usr/bin/time -f '%e %M' -o took "$@" >log 2>&1 || { tail -5 log >&2; exit 1; }
  awk -v what="$what" -v mb="$(($(du -sm "$environment" | cut -f1) - before))" '{printf "%s\t%.1f\t%d\t%d\n", what, $1, mb, $2 / 1024}' took
}
printf '#what\tseconds\tdisk_MB\tmemory_MB\n'
python3 -m venv bigdna
row "bigdna: pip install" bigdna bigdna/bin/pip install --no-cache-dir --disable-pip-version-check "$wheel[python]"
row "bigdna: bigWigs of $(wc -l <"$regions") regions" bigdna bigdna/bin/bigdna chromatin human-chr20-chrX "$regions" -g "$genome" --bigwig tracks
row "bigdna: import bigdna, the same as an array" bigdna bigdna/bin/python -c "import bigdna, sys
assert bigdna.load('human-chr20-chrX').predict(regions=sys.argv[1], genome=sys.argv[2]).values.shape[1] == 43" "$regions" "$genome"
for package; do
  python3 -m venv other
  row "$package: pip install" other other/bin/pip install --no-cache-dir --disable-pip-version-check "$package"
  rm -rf other
done
