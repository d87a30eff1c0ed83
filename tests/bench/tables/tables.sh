#!/usr/bin/env bash
# The tables of docs/benchmarks.md on users' labels: GUE's human tasks and saturation mutagenesis (needs the shared data).
#   tables.sh MODEL OUT [EPOCHS]    MODEL: a pretrained model; OUT: a folder for datasets, runs and the tables
# GUE's dev split is the test split here and was not looked at before: training rows are divided anew for validation. GUE's own
# test split is not read. THREADS (2): threads of every command.
set -euo pipefail
model=$1 out=$2 epochs=${3:-2} threads=${THREADS:-2}
here=$(dirname "$(readlink -f "$0")")
data=${BIGDNA_DATA:-$here/../../../../shared/data}
peers=$("$here/../../../cmake/setup.sh" --print)/peers/bin/python
mkdir -p "$out"
one() {  # NAME DATASET-OPTIONS...: a dataset, a run, the CNN where there is a peers' environment
  local name=$1 started=$SECONDS
  shift
  [[ -e $out/$name.data/dataset.json ]] || bigdna dataset table "$@" -o "$out/$name.data" -@ "$threads" --quiet
  [[ -e $out/$name/run.json ]] ||
    bigdna finetune table "$model" "$out/$name.data" -o "$out/$name" --epochs "$epochs" --max-length 128 --batch 32 --reverse-complement \
      -@ "$threads" --precision fp32 --quiet --force >/dev/null
  echo "$name: $((SECONDS - started)) s" >&2
}
for task in promoters/GUE/prom_core_tata promoters/GUE/prom_300_tata chromatin/GUE_tf/tf{0,1,2,3,4} promoters/GUE/prom_core_notata promoters/GUE/prom_core_all; do
  name=${task##*/}
  one "$name" "$data/$task.train.csv.xz" "$data/$task.dev.csv.xz" --splits train,test --drop-leaks
  if [[ -x $peers && ! -s $out/$name.cnn.tsv ]]; then
    "$peers" "$here/../../peers/promoter_cnn.py" "$out/$name.data" --threads "$threads" >"$out/$name.cnn.tsv"
  fi
done
python3 "$here/mpra_table.py" "$data/variants/MPRA_satmut_kircher2019_GRCh37_GRCh38.elements.tsv.gz" >"$out/mpra.csv"
one mpra "$out/mpra.csv" --label-columns effect --group-column locus --test 0.25 --validation 0.15
for run in "$out"/*/metrics.tsv; do
  name=$(basename "$(dirname "$run")")
  awk -F'\t' -v task="$name" '$3 == "mcc" || $3 == "auroc" || $3 == "pearson" || $3 == "spearman" || $3 == "r2" {print task "\t" $0}' "$run" "$out/$name.cnn.tsv" 2>/dev/null
done
