#!/usr/bin/env bash
# Compiles the CPU kernels for 64-bit Arm (aarch64) with Debian's cross compiler, and runs their unit tests under qemu-user:
#   tests/arm64.sh [FOLDER]     FOLDER (default build-arm64) gets the objects; a second run compiles the sources that have changed
# Needs Debian packages g++-aarch64-linux-gnu and qemu-user, and downloads Highway and GoogleTest for arm64 into FOLDER without
# installing them. Not part of tests/run.sh.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
build=$(mkdir -p "${1:-$root/build-arm64}" && readlink -f "${1:-$root/build-arm64}")
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v $tool >/dev/null || { echo "arm64: no $tool: install g++-aarch64-linux-gnu and qemu-user" >&2; exit 1; }
done

# 1. Libraries of the other architecture, unpacked; apt's own lists are left alone.
system=$build/system
if [[ ! -e $system/done ]]; then
  mkdir -p "$system/lists/partial" "$system/archives/partial" "$system/debs"
  apt=(apt-get -qq -o "Dir::State::Lists=$system/lists" -o "Dir::Cache=$system" -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=)
  "${apt[@]}" update
  (cd "$system/debs" && "${apt[@]}" download libhwy-dev:arm64 libhwy1:arm64 libgtest-dev:arm64)
  for deb in "$system"/debs/*.deb; do dpkg-deb -x "$deb" "$system"; done
  rm -rf "$system/lists" "$system/archives" "$system/debs"
  touch "$system/done"
fi

# 2. One object per source: lib/base, lib/sparsity, the CPU kernels and their tests. Tests that emulate CUDA belong to the plug-in.
libraries=$system/usr/lib/aarch64-linux-gnu
flags=(-std=c++20 -O2 -I"$root/lib" -I"$root/tests/unit" -I"$root" -isystem "$system/usr/include" -isystem /usr/include/nlohmann/.. -DHWY_SHARED_DEFINE -w
  "-DBIGDNA_SOURCE_DIR=\"$root\"")
sources=("$root"/lib/base/*.cpp "$root"/lib/sparsity/*.cpp "$root"/lib/kernels/*.cpp "$root"/lib/kernels/cpu/*.cpp "$root"/tests/unit/base/*.cpp
  "$root"/tests/unit/kernels/{attention,modern_rows,pooling,rows,tiles}_test.cpp "$root/tests/unit/support.cpp")
objects=()
compile() {  # SOURCE OBJECT
  [[ $2 -nt $1 ]] || aarch64-linux-gnu-g++ "${flags[@]}" -c "$1" -o "$2"
}
for source in "${sources[@]}"; do
  object=$build/$(echo "${source#"$root"/}" | tr / _).o
  objects+=("$object")
  compile "$source" "$object" &
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
done
while (($(jobs -rp | wc -l) > 0)); do wait -n; done
aarch64-linux-gnu-g++ "${objects[@]}" -o "$build/test_kernels" -L"$libraries" -lgtest -lgtest_main -lhwy -ldl -lpthread

# 3. Run
file=$(file -b "$build/test_kernels")
echo "arm64: ${file%%, dynamically*}" >&2
exec qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$libraries" "$build/test_kernels" "${@:2}"
