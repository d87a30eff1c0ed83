#!/usr/bin/env bash
# Compiles the CUDA plug-in alone, on the GPU machine, into a folder pack.sh made: the quick way round while tuning kernels.
#   tests/bench/gpu/rebuild.sh PACK [ARCH [NVCC_FLAG ...]]      e.g. build/gpu-pack 90a   (default 90a; 20 s on four cores)
# Needs nvcc, g++ and Python's torch 2.11.0, no CMake and none of bigdna's dependencies. Prints registers and spills of each kernel.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
pack=$(readlink -e "$1") arch=${2:-90a}
shift $(($# < 2 ? $# : 2))
source "$pack/common.sh"
cudart=$(find "$(dirname "$torch")/nvidia" "$torch/lib" -name "libcudart.so.13" | head -1)
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jobs=()
for source in "$root"/lib/kernels/cuda/*.cu; do
  "$cuda/bin/nvcc" -std=c++17 -O3 -DNDEBUG "-gencode=arch=compute_$arch,code=sm_$arch" -Xptxas=-v -Xcompiler=-fPIC,-fvisibility=hidden "-DBIGDNA_CUDA_BUILT_FOR=\"$arch\"" -I"$root/lib" "$@" \
    -c "$source" -o "$work/$(basename "$source").o" 2>"$work/$(basename "$source").o.ptxas" &
  jobs+=($!)
done
for job in "${jobs[@]}"; do wait "$job" || { grep -vh '^ptxas info' "$work"/*.ptxas >&2; exit 1; }; done
g++ -std=c++20 -O2 -shared -fPIC -fvisibility=hidden "-DBIGDNA_CUDA_BUILT_FOR=\"$arch\"" -I"$root/lib" -I"$cuda/include" "$root/lib/kernels/cuda/plugin.cpp" "$work"/*.o \
  -o "$work/libbigdna_cuda.so" -L"$torch/lib" -Wl,--push-state,--no-as-needed -ltorch_cuda -Wl,--pop-state "$cudart" -Wl,--allow-shlib-undefined,--disable-new-dtags,-rpath,"$torch/lib"
mv "$work/libbigdna_cuda.so" "$pack/lib/"
mkdir -p "$work/lib/kernels/cuda"
mv "$work"/*.ptxas "$work/lib/kernels/cuda/"
"$python" "$root/tests/gpu/ptxas.py" "$work" | grep '^|'
