#!/usr/bin/env bash
# GUE's nine human tasks by `bigdna train`: networks with k-mers, beside k-mers (docs/benchmarks/tables-networks_xeon-amx_2026-11-26.md).
#   networks.sh OUT [TASK...]    OUT: a folder for datasets and runs; TASK: prom_core_tata ... tf4; all nine unless given
# All training rows but a tenth, which validates; GUE's dev split, without its rows that are in training, is tested once. GUE's test split is
# not read. Prints for each task the processor seconds, and MCC and AUROC of each method with 95 % intervals; then the mean MCC.
# ENCODERS: pretrained encoders; for each, the same networks are also run with it and a kernel model (OUT/TASK.ENCODER); `random` has random
# weights, the null. THREADS (1), SEED (1). What is complete in OUT is not done again. Needs bigdna in the PATH.
set -euo pipefail
out=$1
shift
root=$(dirname "$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")")
data=$(readlink -f "${BIGDNA_DATA:-$root/../shared/data}")
[[ $# -gt 0 ]] || set -- prom_core_{tata,notata,all} prom_300_tata tf{0,1,2,3,4}
options=(-@ "${THREADS:-1}" --quiet)
mkdir -p "$out"
encoders=(${ENCODERS-})
[[ " ${encoders[*]} " != *" random "* ]] || "$root/tests/bench/random_encoder.sh" "$out/random" "${options[@]}"
# train RUN [OPTION...]
train() {
  TIMEFORMAT="$1"$'\tseconds\t%U'
  time bigdna train "$out/$task.data" -o "$out/$1" --seed "${SEED:-1}" "${strands[@]}" "${@:2}" --resume "${options[@]}" >/dev/null
  awk -F'\t' -v OFS='\t' -v run="$1" '($3 == "mcc" || $3 == "auroc") && $1 !~ /constant/ {print run, $1, $3, $4, $5, $6}' "$out/$1/metrics.tsv"
}
for task; do
  folder=promoters/GUE strands=()
  [[ $task != tf* ]] || folder=chromatin/GUE_tf strands=(--reverse-complement)  # a factor binds either strand
  bigdna dataset table "$data/$folder/$task".{train,dev}.csv.xz --splits train,test --drop-leaks -o "$out/$task.data" --resume "${options[@]}"
  train "$task" --preset base
  for encoder in "${encoders[@]}"; do
    from=$encoder
    [[ $encoder != random ]] || from=$out/random
    train "$task.$encoder" --from "$out/$task" --keep-networks --encoder "$from"
  done
done
# mean SUFFIX METHOD TASK...
mean() {
  local suffix=$1 method=$2
  for task in "${@:3}"; do awk -F'\t' -v method="$method" '$1 == method && $3 == "mcc"' "$out/$task$suffix/metrics.tsv"; done |
    awk -F'\t' -v OFS='\t' -v name="$method$suffix" '{sum += $4} END {print "mean", name, "mcc", NR ? sum / NR : "NA"}'
}
for method in bigdna network kmers; do mean '' $method "$@"; done
for encoder in "${encoders[@]}"; do
  for method in bigdna encoder kernel; do mean ".$encoder" $method "$@"; done
done
