#!/usr/bin/env bash
# Chromatin predictions and their evaluation: memory by the number of regions, throughput beside transformers, AUROC of
# DeepSEA's test size; what fitting 919 features takes.
#   tests/bench/chromatin.sh [FOLDER] [memory] [throughput] [evaluation] [linear]     (default: all four)
# memory      preset tiny cut to 200 bp, 919 features to HDF5: 10^4, 10^5, 10^6 regions (8 min on 2 cores, 4 GB of disk)
# throughput  base size, 919 features, 8000 bp: REGIONS (default 200) regions, bigdna and transformers with the same weights
#             (20 min; bf16 where `auto` takes it, and fp32); needs the peer environment and real data
# evaluation  455 024 x 919 rows of random scores: AUROC, AUPRC, 100 paired resamples (10 min)
# linear      logistic regressions of 919 features on k-mers, 5000 bins of real data; the 41 real features again and again, see
#             chromatin/linear.cpp (2 min)
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
data=$(readlink -f "${BIGDNA_DATA:-$root/../shared/data}") || true
folder=${1:-chromatin_bench}
shift || true
what=${*:-memory throughput evaluation linear}
export PATH=$root/build/bin:$PATH
mkdir -p "$folder"
cd "$folder"
genome=$root/test-data/genome.fa.gz

peaks_table() {  # the three simulated files again and again: 919 features
  printf 'file\tname\tcell\tgroup\n'
  for i in $(seq 919); do printf '%s\tf%s\tcell%s\tTF\n' "$root/test-data/$(sed -n "$((i % 3 + 1))p" <<<$'tf.narrowPeak\ndhs.narrowPeak.gz\nhm.broadPeak')" $i $((i % 50)); done
}
measured() {  # NAME COMMAND...: seconds and peak memory
  local name=$1
  shift
  python3 - "$name" "$@" <<'END'
import resource, subprocess, sys, time
started = time.time()
code = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL).returncode
print(f"{sys.argv[1]}\t{time.time() - started:.1f} s\t{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB", flush=True)
sys.exit(code)
END
}
dataset() {  # FOLDER FLANK
  [[ -e $1/dataset.json ]] || bigdna dataset chromatin --peaks peaks.tsv -g "$genome" --upstream "$2" --downstream "$2" --max-bins 100 --test 0 --validation 0 -o "$1" --quiet
}

if [[ " $what " == *" memory "* ]]; then
  peaks_table >peaks.tsv
  dataset bins 0
  [[ -e tiny/run.json ]] || {
    bigdna pretrain "$genome" --preset tiny --architecture bigbird --max-length 128 --vocab-size 500 --steps 1 --batch 2 --hold-out none -o pretrain --quiet
    bigdna finetune pretrain bins --from-scratch --steps 1 --no-baseline -o tiny --quiet
  }
  for regions in 10000 100000 1000000; do
    awk -v n=$regions 'BEGIN {srand(1); for (i = 0; i < n; ++i) {s = int(20000 + rand() * 300000); print "chr1\t" s "\t" s + 200 "\tr" i}}' >regions.bed
    measured "$regions regions x 919, tiny, 200 bp, HDF5" bigdna chromatin tiny regions.bed -g "$genome" -o out.h5 --quiet
    rm -f out.h5
  done
fi

if [[ " $what " == *" throughput "* ]]; then
  human=$data/genomes/GRCh37.chr20.fa.gz
  peaks_table >peaks.tsv
  dataset wide 3900
  [[ -e base/run.json ]] || {
    [[ -e vocabulary/vocabulary.json ]] || bigdna vocab "$human" --vocab-size 32000 -o vocabulary --quiet
    bigdna pretrain "$genome" --preset base --vocab vocabulary --steps 1 --batch 1 --hold-out none -o pretrain_base --quiet
    bigdna finetune pretrain_base wide --steps 1 --batch 1 --no-baseline --pool cls --head classification -o base --quiet  # a head that transformers has
  }
  # transformers' own evaluation mode, so that the numbers are the same
  sed -i 's/"random_blocks": *"uniform"/"random_blocks": "huggingface"/' base/model/config.json
  awk -v n="${REGIONS:-200}" 'BEGIN {srand(2); for (i = 0; i < n; ++i) {s = int(5000000 + rand() * 15000000); print "20\t" s "\t" s + 200}}' >human.bed
  for precision in auto fp32; do  # transformers: fp32, its autocast fails in BigBird
    measured "${REGIONS:-200} regions x 919, base, 8000 bp, bigdna, $precision" bigdna chromatin base human.bed -g "$human" -o base.tsv --precision $precision --quiet
  done
  "$("$root/cmake/setup.sh" --print)/peers/bin/python" "$root/tests/bench/chromatin/transformers_peer.py" base/model human.bed "$human" base.tsv
fi

if [[ " $what " == *" evaluation "* ]]; then
  cmake --build "$root/build" --target bench_chromatin_evaluation >/dev/null
  measured "455024 rows x 919 features, 2 methods, 100 resamples" bench_chromatin_evaluation 455024 919 100
fi

if [[ " $what " == *" linear "* ]]; then
  cmake --build "$root/build" --target bench_linear >/dev/null
  while IFS=$'\t' read -r file _ cell target _; do
    [[ -e $data/chromatin/$file ]] && printf '%s\t%s\t%s\t%s\n' "$data/chromatin/$file" "$target" "$cell" TF
  done < <(sed 1d "$data/chromatin/PEAKS_MANIFEST.tsv") | awk -F'\t' -v OFS='\t' 'BEGIN {print "file", "name", "cell", "assay", "group"} {print $1, $2, $3, "file" NR, $4}' >real.tsv
  [[ -e real/dataset.json ]] || bigdna dataset chromatin --peaks real.tsv -g "$data/genomes/GRCh37.chr20.fa.gz" --upstream 400 --downstream 400 -o real --quiet
  bench_linear real 919 5000 2
fi
