#!/usr/bin/env bash
# The paper's table 7 in small: human chr20 and all real peak files, contexts of 1000, 2000 and 8000 bp, with and without
# pretraining, k-mers, and a DeepSEA-like CNN on the same splits. An hour and a half on 2 cores, and the CNN's three quarters.
#   tests/bench/chromatin_table7.sh [FOLDER [--model MODEL] [--no-build]]     (arguments of pipelines/chromatin.sh)
# Needs $BIGDNA_DATA (default ../shared/data) and, for the CNN, the peer environment.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
data=$(readlink -f "${BIGDNA_DATA:-$root/../shared/data}")
out=${1:-chromatin_table7}
mkdir -p "$out"
python3 - "$data" >"$out/peaks.tsv" <<'END'
import csv, os, sys
data = sys.argv[1]
print("file\tname\tcell\tassay\tgroup")
with open(os.path.join(data, "chromatin/PEAKS_MANIFEST.tsv")) as file:
    for number, row in enumerate(csv.DictReader(file, delimiter="\t")):
        target = row["target"]
        group = "DHS" if target == "DNase" else "HM" if target[0] == "H" and target[1].isdigit() else "TF"
        path = os.path.join(data, "chromatin", row["#file"])
        if not os.path.exists(path):
            continue
        print(path, target, row["cell"], f"file{number}", group, sep="\t")
END
"$root/pipelines/chromatin.sh" --genome "$data/genomes/GRCh37.chr20.fa.gz" --peaks "$out/peaks.tsv" --scale small --out "$out/run" "${@:2}"
peers=$("$root/cmake/setup.sh" --print)/peers
if [[ -x $peers/bin/python ]]; then
  for context in 1000 2000 8000; do
    "$peers/bin/python" "$root/tests/peers/deepsea_cnn.py" "$out/run/dataset" --context $context --width 0.25 | tee "$out/cnn.$context.tsv"
  done
else
  echo "no peer environment (tests/peers/setup.sh): the CNN is left out"
fi
