#!/usr/bin/env bash
# GUE's nine human tasks by `bigdna train`: networks with k-mers, beside k-mers (docs/benchmarks/tables-networks_xeon-amx_2026-11-26.md).
#   networks.sh OUT [TASK...]    OUT: a folder for datasets and runs; TASK: prom_core_tata ... tf4; all nine unless given
# All training rows but a tenth, which validates; GUE's dev split, without its rows that are in training, is tested once. GUE's test split is
# not read. Prints for each task the processor seconds, and MCC and AUROC of each method with 95 % intervals; then the mean MCC.
# THREADS (1), SEED (1). What is complete in OUT is not done again. Needs bigdna in the PATH.
set -euo pipefail
out=$1
shift
data=$(readlink -f "${BIGDNA_DATA:-$(dirname "$(readlink -f "$0")")/../../../../shared/data}")
[[ $# -gt 0 ]] || set -- prom_core_{tata,notata,all} prom_300_tata tf{0,1,2,3,4}
options=(-@ "${THREADS:-1}" --quiet)
mkdir -p "$out"
for task; do
  folder=promoters/GUE strands=()
  [[ $task != tf* ]] || folder=chromatin/GUE_tf strands=(--reverse-complement)  # a factor binds either strand
  bigdna dataset table "$data/$folder/$task".{train,dev}.csv.xz --splits train,test --drop-leaks -o "$out/$task.data" --resume "${options[@]}"
  TIMEFORMAT="$task"$'\tseconds\t%U'
  time bigdna train "$out/$task.data" -o "$out/$task" --preset base --seed "${SEED:-1}" "${strands[@]}" --resume "${options[@]}" >/dev/null
  awk -F'\t' -v OFS='\t' -v task="$task" '($3 == "mcc" || $3 == "auroc") && $1 !~ /constant/ {print task, $1, $3, $4, $5, $6}' "$out/$task/metrics.tsv"
done
for method in bigdna network kmers; do
  for task; do awk -F'\t' -v method="$method" '$1 == method && $3 == "mcc"' "$out/$task/metrics.tsv"; done |
    awk -F'\t' -v OFS='\t' -v method="$method" '{sum += $4} END {print "mean", method, "mcc", NR ? sum / NR : "NA"}'
done
