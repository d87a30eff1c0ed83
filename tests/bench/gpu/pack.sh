#!/usr/bin/env bash
# Everything a GPU machine with Python's torch 2.11.0 (CUDA 13) needs, in one folder below 60 MiB: tests/bench/gpu/pack.sh [OUT]
# OUT: default build/gpu-pack. There, with no compiler, no bigdna clone and no other package:
#   OUT/test.sh [--sanitize]     is everything right
#   OUT/measure.sh [PART ...]    the tables of docs/benchmarks.md
#   OUT/all.sh STATE             both, by parts, within nine minutes a call
# bin/ has bigdna, bigdna-model, test_gpu, bench_gpu; lib/ the CUDA plug-in and the Debian libraries the programs link (htslib ...), so
# that only LibTorch's folder, the C and C++ libraries and the driver are taken from that machine (its glibc must not be older than
# this one's). $BUILD: another build folder, e.g. of preset cuda for all architectures.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=${BUILD:-$root/build}
out=${1:-$build/gpu-pack}
torch=$("$root/cmake/setup.sh" --print)/torch-2.11.0
cmake --build "$build" --target bigdna bigdna-model test_gpu bench_gpu bigdna_cuda >&2
rm -rf "$out"
mkdir -p "$out/bin" "$out/lib" "$out/data"
for program in bigdna bigdna-model test_gpu bench_gpu; do
  strip -o "$out/bin/$program" "$(find "$build" -name $program -type f -perm -u+x | head -1)"
done
strip -o "$out/lib/libbigdna_cuda.so" "$build/lib/libbigdna_cuda.so"

# Of the machine: the C and C++ libraries, and what comes with LibTorch.
readonly base='^(linux-vdso|ld-linux|libc\.so|libm\.so|libdl\.so|libpthread\.so|librt\.so|libutil\.so|libgcc_s|libstdc\+\+)'
readonly with_torch='^(libtorch|libc10|libgomp|libcudart|libcupti)'
for program in "$out"/bin/*; do
  while read -r name path; do
    [[ $name =~ $base || $name =~ $with_torch ]] || cp -Ln "$path" "$out/lib/"
  done < <(ldd "$program" | awk '$2 == "=>" {sub(".*/", "", $1); print $1, $3}')
done
strip --strip-unneeded "$out"/lib/*.so* 2>/dev/null || true
cp "$here"/{common.sh,all.sh,test.sh,measure.sh,attention.py,step.py,network.py} "$root/apps/python/bigdna_torch.py" "$out/"
cp "$root"/test-data/{genome.fa.gz,tss.bed,peaks.tsv,tf.narrowPeak,dhs.narrowPeak.gz,hm.broadPeak,records.fa,regions.bed,tracks.tsv,atac.bam} "$out/data/"

# The check: with lib/ and LibTorch's folders alone, nothing else is missing or found elsewhere.
status=0
for file in "$out"/bin/* "$out"/lib/*; do
  while read -r name path; do
    [[ $name =~ $base ]] && continue
    [[ $path == "$out"/lib/* || $path == "$torch"/* ]] && continue
    [[ $file == *libbigdna_cuda.so ]] && continue  # libtorch_cuda's own libraries are not on this machine; its direct needs below
    echo "pack: $(basename "$file") needs $name, found at ${path:-nowhere}" >&2
    status=1
  done < <(LD_LIBRARY_PATH=$out/lib:$torch/torch/lib ldd "$file" | awk '$2 == "=>" {sub(".*/", "", $1); print $1, ($3 == "not" ? "" : $3)}')
done
while read -r name; do
  [[ $name =~ $base || $name =~ $with_torch ]] || { echo "pack: the plug-in needs $name" >&2; status=1; }
done < <(readelf -d "$out/lib/libbigdna_cuda.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
megabytes=$(du -sm "$out" | cut -f1)
glibc=$(objdump -T "$out"/bin/* "$out"/lib/* | grep -oE 'GLIBC_[0-9.]+' | sort -V | tail -1)
cxx=$(objdump -T "$out"/bin/* "$out"/lib/* | grep -oE 'GLIBCXX_[0-9.]+' | sort -V | tail -1)
((megabytes < 60)) || { echo "pack: $megabytes MiB is too much" >&2; status=1; }
echo "$out: $megabytes MiB; needs torch 2.11.0's libraries, $glibc and $cxx" >&2
exit $status
