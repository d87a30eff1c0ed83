#!/usr/bin/env bash
# Everything that must be right on a GPU, in about two minutes: tests/bench/gpu/test.sh [--sanitize]
#   --sanitize  compute-sanitizer's memcheck and racecheck over the smaller attention tests as well (minutes)
# DEVICE=cpu tries the road where there is no GPU. Runs from a build (preset release or cuda) or from the folder pack.sh makes. Exit code 1 if anything failed.
set -uo pipefail
source "$(dirname "$(readlink -f "$0")")/common.sh"
status=0
check() { "$@" || { echo "FAILED: $*"; status=1; }; }
device=${DEVICE:-cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

section "bigdna --version"
check ours "$bin/bigdna" --version

if [[ $device != cpu ]]; then
  section "attention: ours / LibTorch's own error, both against double"
  check ours "$bin/test_gpu"
  [[ $status == 0 ]] || echo "(the rest runs all the same)"
fi

# same WHAT A B: the numbers of two tables differ by at most a thousandth, of their size where they are above 1.
same() {
  "$python" - "$@" <<'PY'
import sys
what, *paths = sys.argv[1:]
rows = [[line.split("\t") for line in open(path) if not line.startswith("#")] for path in paths]
worst = 0.0
assert len(rows[0]) == len(rows[1]) > 0
for a, b in zip(*rows):
    assert len(a) == len(b)
    for x, y in zip(a, b):
        try:
            worst = max(worst, abs(float(x) - float(y)) / max(1, abs(float(y))))
        except ValueError:
            assert x == y, (x, y)
print(f"{what}, GPU against CPU, fp32: largest difference {worst:.1e}")
sys.exit(worst > 1e-3)
PY
}

section "networks on the GPU: peaks with a k-mer term, counts of reads, both in one network"
cp "$data"/{tracks.tsv,atac.bam,peaks.tsv,tf.narrowPeak,dhs.narrowPeak.gz,hm.broadPeak} "$work"
network() {  # NAME DATASET_OPTION...
  local name=$1 on
  check ours "$bin/bigdna" dataset chromatin -g "$data/genome.fa.gz" --upstream 0 --downstream 0 --validation chrX --test chr3 --keep all --max-bins 2500 --quiet -o "$work/$name.bins" "${@:2}"
  check ours "$bin/bigdna" train "$work/$name.bins" --preset tiny --steps 60 --batch 2 --window 4000 --device "$device" --quiet -o "$work/$name.run" >"$work/$name.out"
  for on in "$device" cpu; do
    check ours "$bin/bigdna" chromatin "$work/$name.run/model" "$data/regions.bed" -g "$data/genome.fa.gz" --device "$on" --precision fp32 --quiet -o "$work/$name.$on.tsv"
  done
  check same "chromatin, a network of $name" "$work/$name.$device.tsv" "$work/$name.cpu.tsv"
}
network peaks --peaks "$work/peaks.tsv"
network tracks --tracks "$work/tracks.tsv"
network mixed --peaks "$work/peaks.tsv" --tracks "$work/tracks.tsv"

section "the road on the GPU: pretrain, resume, evaluate, fine-tune, predict"
genome=$data/genome.fa.gz
check ours "$bin/bigdna" dataset promoter --promoters "$data/tss.bed" -g "$genome" --upstream 400 --downstream 400 --tss-distance 500 -o "$work/promoters" --quiet
awk -v OFS='\t' '$1 == "chr1" {for (s = 0; s + 800 <= $2; s += 300) print $1, s, s + 800}' "$genome.fai" >"$work/tiles.bed"
road() {  # ARCHITECTURE
  local run=$work/$1 on threads
  mkdir "$run"
  echo "--- $1"
  check ours "$bin/bigdna" pretrain "$genome" -o "$run/pretrain" --preset tiny --architecture "$1" --max-length 1024 --steps 60 --device "$device" --quiet
  check ours "$bin/bigdna" evaluate mlm "$run/pretrain/model" "$genome" --device "$device" --quiet -o "$run/gpu.tsv"
  check ours "$bin/bigdna" evaluate mlm "$run/pretrain/model" "$genome" --device cpu --quiet -o "$run/cpu.tsv"
  paste "$run/gpu.tsv" "$run/cpu.tsv" 2>/dev/null | head -12
  check ours "$bin/bigdna" finetune "$run/pretrain/model" "$work/promoters" --epochs 1 -o "$run/promoter" --device "$device" --quiet
  for on in "$device" cpu; do
    check ours "$bin/bigdna" predict-promoter "$run/promoter/model" "$data/records.fa" --device "$on" --precision fp32 --quiet -o "$run/$on.tsv"
  done
  check same "predict-promoter" "$run/$device.tsv" "$run/cpu.tsv"

  # Two threads share the GPU.
  for threads in 1 2; do
    check ours "$bin/bigdna" predict-promoter "$run/promoter/model" -R "$work/tiles.bed" -g "$genome" -@ $threads --device "$device" --quiet -o "$run/tiles.$threads.tsv"
  done
  check cmp "$run/tiles.1.tsv" "$run/tiles.2.tsv"
  echo "predict-promoter by one thread and by two, $(wc -l <"$work/tiles.bed") tiles: $(cmp -s "$run/tiles.1.tsv" "$run/tiles.2.tsv" && echo the same bytes || echo DIFFERENT)"
}
for architecture in bigbird modern; do road $architecture; done

if [[ ${1:-} == --sanitize ]]; then
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer /opt/nvidia/*/compute-sanitizer 2>/dev/null | head -1)
  filter='Gpu.lengths:Gpu.cut_lists:Gpu.dropout:Gpu.sizes_of_the_simple_kernels:GpuModel.rows_equal_the_cpus'
  for tool in memcheck racecheck; do
    section "compute-sanitizer $tool"
    [[ -n $sanitizer ]] || { echo "not installed"; continue; }
    # Without LibTorch's cache, a write past a tensor's end is one past an allocation's.
    PYTORCH_NO_CUDA_MEMORY_CACHING=1 check ours "$sanitizer" --tool $tool --kernel-name kns=bigdna --error-exitcode 9 "$bin/test_gpu" --gtest_filter="$filter" >"$work/sanitizer" 2>&1
    tail -15 "$work/sanitizer"
  done
fi
section "$([[ $status == 0 ]] && echo 'all right' || echo 'SOMETHING FAILED')"
exit $status
