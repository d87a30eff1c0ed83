#!/usr/bin/env bash
# From nothing to a bigWig and a NumPy array: tests/bench/install.sh FOLDER GENOME.fa REGIONS.bed [PACKAGE...]
# FOLDER has the wheel and the tarball of cmake/packaging. Installs the wheel in an empty Python environment (with torch, which it
# requires), and again where torch is already; unpacks the tarball; predicts tracks and an array of the regions with each; installs
# each PACKAGE (e.g. tangermeme) in an environment of its own. Nothing is taken from pip's cache.
# Prints TSV rows: what, seconds, MB downloaded (10^6 bytes, as pip says; the package's own file included), MB on disk, peak MB of memory.
set -euo pipefail
[[ $# -ge 3 && $1 != -* ]] || { sed -n '2,6s/^# \?//p' "$0" >&2; exit 2; }
wheel=$(readlink -f "$1"/bigdna-*.whl) tarball=$(readlink -f "$1"/bigdna-*.tar.zst) genome=$(readlink -f "$2") regions=$(readlink -f "$3")
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
size() { stat -c %s "$1"; }
row() {  # WHAT BYTES FOLDER COMMAND...: BYTES of a file that is not downloaded by the command
  local what=$1 bytes=$2 place=$3 before
  before=$(du -s --block-size=1000000 "$place" | cut -f1)
  shift 3
  /usr/bin/time -f '%e %M' -o took "$@" >log 2>&1 || { tail -5 log >&2; exit 1; }
  # pip: "Downloading NAME (530.7 MB)" of each file
  bytes=$(awk -v b="$bytes" '/^ *Downloading .*\([0-9.]+ [kMG]?B\)$/ {n = $(NF - 1); sub(/\(/, "", n); u = $NF; b += n * (u ~ /^k/ ? 1e3 : u ~ /^M/ ? 1e6 : u ~ /^G/ ? 1e9 : 1)}
                             END {printf "%.0f", b / 1e6}' log)
  awk -v what="$what" -v down="$bytes" -v mb="$(($(du -s --block-size=1000000 "$place" | cut -f1) - before))" \
    '{printf "%s\t%.1f\t%s\t%d\t%d\n", what, $1, down, mb, $2 / 1024}' took
}
predict() {  # WHO PROGRAM
  row "$1: bigWigs of $(wc -l <"$regions") regions" 0 "$PWD" "$2" chromatin human-chr20-chrX "$regions" -g "$genome" --bigwig "tracks-$1"
}
pip=(-m pip install --no-cache-dir --disable-pip-version-check --progress-bar off)
printf '#what\tseconds\tdownload_MB\tdisk_MB\tmemory_MB\n'
python3 -m venv bigdna
row "wheel: pip install, in an empty environment" "$(size "$wheel")" bigdna bigdna/bin/python "${pip[@]}" "$wheel"
predict wheel bigdna/bin/bigdna
row "wheel: import bigdna, the same as an array" 0 bigdna bigdna/bin/python -c "import bigdna, sys
assert bigdna.load('human-chr20-chrX').predict(regions=sys.argv[1], genome=sys.argv[2]).values.shape[1] == 43" "$regions" "$genome"
bigdna/bin/pip uninstall -q -y bigdna
row "wheel: pip install, where torch is" "$(size "$wheel")" bigdna bigdna/bin/python "${pip[@]}" "$wheel"
rm -rf bigdna
mkdir unpacked
row "tarball: unpacked" "$(size "$tarball")" unpacked tar --zstd -xf "$tarball" -C unpacked
predict tarball unpacked/*/bin/bigdna
rm -rf unpacked
for package; do
  python3 -m venv other
  row "$package: pip install" 0 other other/bin/python "${pip[@]}" "$package"
  rm -rf other
done
