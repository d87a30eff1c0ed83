#!/usr/bin/env bash
# Sets up (cmake/setup.sh), configures and builds build/: what both README commands begin with.
#   cmake/build.sh             everything: the programs, the CUDA plug-ins where nvcc is found, tests
#   cmake/build.sh programs    the programs alone; with the CUDA plug-ins where this machine has a GPU to use them
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
targets=(all)
case ${1:-all} in
  all) ;;
  programs)
    targets=(programs)
    [[ ! -e /dev/nvidiactl && ! -e /dev/dxg ]] || targets+=(plugins) ;;  # NVIDIA's driver, or Windows' below WSL
  *) echo "build: unknown argument $1 (programs, or nothing)" >&2; exit 2 ;;
esac
"$root/cmake/setup.sh"
environment=$("$root/cmake/setup.sh" --print)/debian/environment  # where packages were unpacked, not installed
[[ ! -e $environment ]] || . "$environment"
started=$SECONDS
cd "$root"
mkdir -p build
cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log >&2; exit 1; }
cmake --build build --target "${targets[@]}"
echo "build: $((SECONDS - started)) s" >&2
