#!/usr/bin/env bash
# Builds, tests and checksums everything that a release publishes. It publishes nothing.
#   cmake/packaging/release.sh FOLDER [--try [DATA]]
# Writes to FOLDER: the source, the tarball of the programs, the wheel, the bill of materials, SHA256SUMS; prints time and size of each. On a commit with a
# tag, the tag must be v and the version of CMakeLists.txt, and docs/changelog.md must have its section. --try: also runs all of it
# in fresh root file systems of bullseye, bookworm, trixie and forky (try.sh; needs root). Needs Debian 12 with
#   apt-get install mmdebstrap autoconf automake libtool zstd  and  pip install auditwheel
# $SYSROOT (default ~/.cache/bigdna/sysroot) keeps what sysroot.sh made, $BUILD (default FOLDER/build) the build.
set -euo pipefail
usage="usage: cmake/packaging/release.sh FOLDER [--try [DATA]]"
case ${1:-} in
  -h | --help) sed -n '2,8s/^# \?//p' "$0"; exit 0 ;;
  '' | -*) echo "$usage" >&2; exit 2 ;;
esac
[[ $# == 1 || ( $# -le 3 && $2 == --try ) ]] || { echo "$usage" >&2; exit 2; }
missing=()
for tool in git mmdebstrap autoconf automake libtoolize zstd auditwheel; do [[ -n $(command -v $tool) ]] || missing+=("$tool"); done
[[ ${#missing[@]} == 0 ]] || { echo "release: not found: ${missing[*]} (--help says how to install them)" >&2; exit 1; }
[[ ${2:-} != --try || $EUID == 0 ]] || { echo "release: --try needs root" >&2; exit 1; }
here=$(dirname "$(readlink -f "$0")") root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
readonly glibc=2.28
folder=$(mkdir -p "$1" && readlink -f "$1")
try=${2:-} data=${3:-}
"$root/cmake/setup.sh"
cache=$("$root/cmake/setup.sh" --print)
sysroot=${SYSROOT:-$cache/sysroot} build=${BUILD:-$folder/build}
timed() { local started=$SECONDS; "$@"; echo "release: $((SECONDS - started)) s: $(basename "$1") ${*:2}" >&2; }

cd "$root"
version=$(sed -n 's/^project(bigdna VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tag=$(git tag --points-at HEAD --list 'v*')
if [[ -n $tag ]]; then
  [[ $tag == "v$version" ]] || { echo "release: the tag is $tag, CMakeLists.txt says $version" >&2; exit 1; }
  grep -q "^## $version" docs/changelog.md || { echo "release: docs/changelog.md has no section $version" >&2; exit 1; }
  [[ -z $(git status --porcelain) ]] || { echo "release: there are changes that are not committed" >&2; exit 1; }
fi

rm -f "$folder"/bigdna-*.tar.gz "$folder"/bigdna-*.tar.zst "$folder"/bigdna-*.whl "$folder"/bigdna-*.json "$folder/SHA256SUMS"
[[ ! -e $folder/tree/bin/bigdna-model ]] || rm -rf "$folder/tree"
git archive --prefix="bigdna-$version/" -o "$folder/bigdna-$version-source.tar.gz" HEAD
timed "$here/sysroot.sh" "$sysroot"
maps="-fmacro-prefix-map=$cache/= -fmacro-prefix-map=$root/="
cuda=OFF
[[ -z $(command -v nvcc) ]] || cuda=ON
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$sysroot/toolchain.cmake" -DCMAKE_CXX_FLAGS="$maps" \
  -DBIGDNA_CUDA=$cuda >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log" >&2; exit 1; }
timed cmake --build "$build" --target programs plugins
timed "$here/tree.sh" "$build" "$folder/tree" $glibc
"$folder/tree/bin/bigdna" doctor --device cpu >/dev/null
timed "$here/tarball.sh" "$folder/tree" "$folder"
timed "$here/wheel.py" "$folder/tree" "$folder" $glibc
auditwheel show "$folder"/bigdna-*.whl | tee "$folder/auditwheel.txt"
cp "$folder/tree/share/doc/bigdna/sbom.cdx.json" "$folder/bigdna-$version-sbom.cdx.json"
(cd "$folder" && sha256sum bigdna-*.tar.* bigdna-*.whl bigdna-*.json >SHA256SUMS && ls -l bigdna-*.tar.* bigdna-*.whl)
if [[ $try == --try ]]; then
  for suite in bullseye bookworm trixie forky; do timed "$here/try.sh" "$folder" "$suite" ${data:+"$data"}; done
fi
