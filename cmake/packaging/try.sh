#!/usr/bin/env bash
# Tries the packages in a root file system with only what they declare: cmake/packaging/try.sh FOLDER SUITE [DATA]
# FOLDER holds the tarball (and the wheel); SUITE is a Debian release (bullseye, bookworm, trixie, forky). Makes a fresh root file
# system with bash, coreutils, zstd and what pipelines/quickstart.sh needs (samtools), no compiler; bookworm and trixie have Python. In
# it, as a user without root, without network and with a home that cannot be written: unpacks the tarball; doctor; predicts with a
# model made here; runs the whole quickstart; where there is Python also installs the wheel, which must say that it needs torch, and then
# predicts with the LibTorch of cmake/setup.sh. Predictions must equal
# those of the build from source, row by row and byte for byte (with as many processors: training's sums depend on the number of threads). Prints one line per step, with seconds. Needs root, for chroot.
#   DATA: as quickstart.sh --data; without it, what the reference was made from. $REFERENCE (default FOLDER/reference): quickstart.sh's output by the build from source.
set -euo pipefail
[[ $# -ge 2 && $# -le 3 && $1 != -* ]] || { echo "usage: cmake/packaging/try.sh FOLDER SUITE [DATA]" >&2; exit 2; }
folder=$(readlink -f "$1") suite=$2 data=${3:-}
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
reference=${REFERENCE:-$folder/reference}
tarball=$(ls "$folder"/bigdna-*.tar.zst) wheel=$(ls "$folder"/bigdna-*.whl 2>/dev/null || true)
tree=${ROOTS:-/var/tmp/bigdna-roots}/$suite
torch=$("$root/cmake/setup.sh" --print)/torch-$(sed -n 's/.*torch_version=\([0-9.]*\) .*/\1/p' "$root/cmake/setup.sh")
python=
[[ $suite != bookworm && $suite != trixie ]] || python=,python3,python3-venv
if [[ ! -e $tree/.made ]]; then
  [[ ! -e $tree ]] || { echo "try: $tree is not a tree that this script completed: remove it" >&2; exit 1; }
  mkdir -p "$(dirname "$tree")"
  # a mirror that stands still serves a test as well: its lists are signed, only their week is over
  mmdebstrap -q --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' --include="samtools,zstd$python" "$suite" "$tree" \
    http://deb.debian.org/debian || { rm -rf --one-file-system "$tree"; exit 1; }
  touch "$tree/.made"
fi
[[ -e $reference/promoters.tsv ]] || "$root/pipelines/quickstart.sh" --no-build --scale seconds ${data:+--data "$data"} --out "$reference" >&2

data=$(readlink -e "${data:-$reference/data}") || { echo "try: DATA: no such folder" >&2; exit 1; }
! mountpoint -q "$tree/trial/data" || umount "$tree/trial/data"  # by an earlier version, which mounted it outside of a namespace
rm -rf --one-file-system "$tree/trial" && mkdir -p "$tree/trial/clone/cmake" "$tree/trial/model" "$tree/trial/user" "$tree/trial/data" "$tree/trial/torch"
cp "$tarball" ${wheel:+"$wheel"} "$tree/trial/"
cp -r "$root/pipelines" "$tree/trial/clone/"
cp "$root/cmake/setup.sh" "$tree/trial/clone/cmake/"
cp -r "$reference/promoter/model" "$reference/sequences.fa" "$reference/promoters.tsv" "$reference/chromatin.tsv" "$tree/trial/model/"
chown 1234:1234 "$tree/trial/user"
mkdir -p "$tree/home/user" && chown root "$tree/home/user" && chmod 555 "$tree/home/user"

cat >"$tree/trial/run.sh" <<'EOF'
set -euo pipefail
cd /trial/user
tick() { local now=$(date +%s.%N); awk -v a="$started" -v b="$now" 'BEGIN {printf "%.1f", b - a}'; }
rows() { grep -v '^##' "$1"; }  # the lines before them name the command and the version
same() { cmp -s <(rows "$1") <(rows "$2") && echo same || { echo DIFFERENT; failed=1; }; }
failed=0 suite=$1 glibc=$(ldd --version | awk 'NR == 1 {print $NF}')
[[ ! -w $HOME ]] && ! command -v cc >/dev/null
say() { printf '%s\tglibc %s\t%s\n' "$suite" "$glibc" "$*"; }
started=$(date +%s.%N)
tar --zstd -xf /trial/bigdna-*.tar.zst
unpacked=$(tick)
bin=$(echo "$PWD"/bigdna-*/bin)
"$bin/bigdna" predict-promoter /trial/model/model /trial/model/sequences.fa --quiet -o first.tsv
say "tarball: unpacked after $unpacked s, first prediction after $(tick) s: $(same first.tsv /trial/model/promoters.tsv)"
"$bin/bigdna" doctor >doctor.txt || { cat doctor.txt; failed=1; }
started=$(date +%s.%N)
"$bin/bigdna" --help >/dev/null
say "--help: $(tick) s"
started=$(date +%s.%N)
/trial/clone/pipelines/quickstart.sh --no-build --bin "$bin" --scale seconds --data /trial/data --out quick >quick.log 2>&1 || { tail quick.log; failed=1; }
say "quickstart: $(tick) s; promoters: $(same quick/promoters.tsv /trial/model/promoters.tsv), chromatin: $(same quick/chromatin.tsv /trial/model/chromatin.tsv)"
if python3 -c 'import ensurepip' 2>/dev/null && ls /trial/*.whl >/dev/null 2>&1; then
  started=$(date +%s.%N)
  python3 -m venv environment
  environment/bin/pip install -q --no-index --no-deps --no-cache-dir /trial/*.whl
  installed=$(tick)
  ! environment/bin/bigdna predict-promoter /trial/model/model /trial/model/sequences.fa --quiet -o none.tsv 2>refused.txt
  grep -q "pip install 'torch==" refused.txt || { cat refused.txt; failed=1; }
  BIGDNA_TORCH=/trial/torch/torch environment/bin/bigdna predict-promoter /trial/model/model /trial/model/sequences.fa --quiet -o wheel.tsv
  say "wheel: installed after $installed s, first prediction after $(tick) s: $(same wheel.tsv /trial/model/promoters.tsv)"
fi
exit $failed
EOF
# DATA and torch are mounted read-only and in this namespace alone, which ends with its processes, however they end
unshare --net --mount --pid --fork --mount-proc="$tree/proc" bash -c 'mount -o bind,ro "$1" "$2/trial/data" && mount -o bind,ro "$4" "$2/trial/torch" &&
  exec chroot --userspec=1234:1234 "$2" env -i HOME=/home/user PATH=/usr/bin:/bin LC_ALL=C bash /trial/run.sh "$3"' try "$data" "$tree" "$suite" "$torch"
