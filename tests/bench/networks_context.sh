#!/usr/bin/env bash
# What networks on bases gain from context, the paper's table 7 (section 5) asked of them: tests/bench/networks_context.sh BINS OUT [THREADS]
# BINS: a dataset of all bins (dataset chromatin --keep all), as that of human-chr20-chrX. A row for each way to see further and each
# context: dilated convolutions alone; or two layers of attention over bins, with each pattern. $PRESET, $EPOCHS, $SEEDS: tiny, 12, "1".
# Every network reads the same bases; batches hold 128 kb, or one window where that is longer. Continues where it was stopped.
# $ONLY: a regular expression; only rows whose NAME.KB matches are run (all); $RATE: learning rate (the preset's).
# $JOBS: networks that are trained at a time, for a GPU, which one alone does not fill (1); $GENOME: FASTA, if the dataset's has moved.
set -euo pipefail
(($# >= 2)) || { sed -n 2,7p "$0" >&2; exit 2; }
bins=$1 out=$2 threads=${3:-$(nproc)}
bigdna=${BIGDNA:-$(dirname "$(readlink -f "$0")")/../../build/bin/bigdna}
mkdir -p "$out"
failed=0

train() {  # NAME KB OPTION...: the row of $seed
  local name=$1 kb=$2 run=$out/$1.$2.$seed
  shift 2
  /usr/bin/time -f '%e %U %M' -o "$run.time" "$bigdna" train "$bins" ${GENOME:+-g "$GENOME"} --preset "${PRESET:-tiny}" --networks 1 \
    --epochs "${EPOCHS:-12}" ${RATE:+--learning-rate "$RATE"} --seed "$seed" -@ "$threads" --no-baseline --quiet --force -o "$run" "$@" >/dev/null
  awk -F'\t' -v OFS='\t' -v name="$name" -v kb="$kb" -v seed="$seed" -v time="$(tail -1 "$run.time")" '
    $2 == "bigdna" {auroc[$1] = $7}
    END {split(time, t, " "); print name, kb, seed, auroc["TF"], auroc["DHS"], auroc["HM"], t[1], t[2], int(t[3] / 1000)}' "$run/metrics.tsv" >"$run.row.partial"
  mv "$run.row.partial" "$run.row"
}
run() {  # NAME KB OPTION...: waits for a place, and trains
  [[ $1.$2 =~ ${ONLY:-.} ]] || return 0
  [[ -s $out/$1.$2.$seed.row ]] && return
  while (($(jobs -rp | wc -l) >= ${JOBS:-1})); do wait -n || failed=1; done
  train "$@" &
}
windows() { echo --window "$1" --batch "$((128000 / $1 > 0 ? 128000 / $1 : 1))"; }

# reach: bins on either side, the sum of the dilations
all() {
  run dilated 1 --dilations 1,1 $(windows 16000)
  run dilated 4 --dilations 1,2,4,2 $(windows 16000)
  run dilated 16 --dilations 1,2,4,8,16,8 $(windows 32000)
  run dilated 64 --dilations 1,2,4,8,16,32,64,32 $(windows 64000)
  run dilated 256 --dilations 1,2,4,8,16,32,64,128,256,128 $(windows 256000)
  for pattern in window bigbird full; do
    for kb in 4 16 64 256; do
      [[ $pattern == full && $kb == 256 ]] && [[ -z ${FULL:-} ]] && continue
      [[ $pattern == bigbird && $kb -lt 64 ]] && continue  # its blocks do not fit
      run "$pattern" $kb --dilations 1,1 --layers 2 --pattern $pattern --block "$((kb < 16 ? 4 : 16))" $(windows ${kb}000)
    done
  done
}
for seed in ${SEEDS:-1}; do all; done
for job in $(jobs -p); do wait "$job" || failed=1; done
printf '#context\tkb\tseed\tTF\tDHS\tHM\tseconds\tprocessor_seconds\tMB\n'
sort -k1,1 -k2,2n -k3,3n "$out"/*.row
exit $failed
