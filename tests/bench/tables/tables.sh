#!/usr/bin/env bash
# docs/benchmarks/tables-finetuned_zen4_2026-11-24.md, on users' labels: GUE's human tasks, saturation mutagenesis (needs the shared data).
#   tables.sh MODEL OUT [TASK...]    MODEL: a pretrained model; OUT: a folder for datasets, runs, gue.tsv and mpra.tsv
# TASK: tf0 to tf4, prom_core_all, prom_core_notata, prom_core_tata, prom_300_tata, mpra; all of them unless given.
# GUE's dev split is the test split here; a tenth of the training rows validates. GUE's own test split is not read.
# Every method gets the same rows. Words of the environment: ROWS (100000), the most training rows of a task, a sample of
# the file's, validation included; SEED (1); THREADS (1). A step that is complete in OUT is not done again. Needs bigdna in the PATH and the
# peers' Python.
set -euo pipefail
model=$1 out=$2
shift 2
here=$(dirname "$(readlink -f "$0")")
data=$(readlink -f "${BIGDNA_DATA:-$here/../../../../shared/data}")
peers=$("$here/../../../cmake/setup.sh" --print)/peers/bin/python
threads=${THREADS:-1} seed=${SEED:-1}
[[ $# -gt 0 ]] || set -- tf{0,1,2,3,4} prom_core_{all,notata,tata} prom_300_tata mpra
mkdir -p "$out"

finetune() {  # DATASET RUN OPTIONS...
  bigdna finetune "$model" "$1" -o "$2" --seed "$seed" -@ "$threads" --precision fp32 --quiet \
    --force "${@:3}" >/dev/null
}
gue=()
for task; do
  data_folder=$out/$task.data
  if [[ $task == mpra ]]; then
    [[ -s $out/mpra.csv ]] ||
      python3 "$here/mpra_table.py" "$data/variants/MPRA_satmut_kircher2019_GRCh37_GRCh38.elements.tsv.gz" \
        >"$out/mpra.csv"
    [[ -e $data_folder/dataset.json ]] ||
      bigdna dataset table "$out/mpra.csv" --label-columns effect --group-column locus --test 0.25 --validation 0.15 \
        -o "$data_folder" -@ "$threads" --quiet
    [[ -e $out/mpra/run.json ]] || finetune "$data_folder" "$out/mpra" --steps 500 --batch 32 --max-length 160
    grep -E '	(pearson|spearman|r2)	' "$out/mpra/metrics.tsv" >"$out/mpra.tsv"
    continue
  fi
  folder=chromatin/GUE_tf
  [[ $task == tf* ]] || folder=promoters/GUE
  if [[ ! -e $data_folder/dataset.json ]]; then
    {
      echo sequence,label
      xz -dc "$data/$folder/$task.train.csv.xz" | tail -n +2 | shuf -n "${ROWS:-100000}" --random-source=<(yes "$seed")
    } >"$out/$task.train.csv"
    bigdna dataset table "$out/$task.train.csv" "$data/$folder/$task.dev.csv.xz" --splits train,test --drop-leaks \
      -o "$data_folder" -@ "$threads" --quiet
  fi
  if [[ ! -e $out/$task/run.json ]]; then
    TIMEFORMAT='%U %S'
    { time finetune "$data_folder" "$out/$task" 2>&3; } 3>&2 2>"$out/$task.time"
    awk '{print $1 + $2}' "$out/$task.time" >"$out/$task.seconds"  # of processors
  fi
  [[ -e $out/$task.encoder/run.json ]] ||
    finetune "$data_folder" "$out/$task.encoder" --no-kmers --epochs 1 --no-baseline
  [[ -s $out/$task.cnn.tsv ]] ||
    "$peers" "$here/../../peers/promoter_cnn.py" "$data_folder" --threads "$threads" --seed "$seed" \
      --scores "$out/$task.cnn.scores" >"$out/$task.cnn.tsv"
  gue+=("$task")
done
[[ ${#gue[@]} == 0 ]] || "$peers" "$here/gue_table.py" "$out" "${gue[@]}" | tee "$out/gue.tsv"
