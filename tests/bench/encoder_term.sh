#!/usr/bin/env bash
# What a pretrained encoder adds to network and k-mers on EPDnew's promoters of human chr20 (2000 bp), beside `finetune`: as it is
# (k-mers, a kernel model and a head fitted to the encoder's states), without the kernel model, with an encoder that is trained beside k-mers, and
# plain (--no-kmers).
# The figures: docs/benchmarks/encoder-term_emerald_2026-11-29.md.
#   tests/bench/encoder_term.sh [FOLDER]
# The last 13 Mb are tested with three seeds, and 0 to 50 Mb in five folds of 1-Mb blocks. Encoders: human-chr20-encoder, which has read
# 0 to 50 Mb without labels, and one of random weights. THREADS: 2. Needs $BIGDNA_DATA (default ../shared/data) and the peers' Python.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
data=$(readlink -f "${BIGDNA_DATA:-$root/../shared/data}")
out=${1:-encoder_bench}
export PATH=${BIN:-$root/build/bin}:$PATH
threads=(-@ "${THREADS:-2}" --quiet)
mkdir -p "$out"
cd "$out"
genome=$data/genomes/GRCh37.chr20.fa.gz
interval=(-g "$genome" --upstream 1250 --downstream 750)
bigdna dataset promoter --promoters "$data/promoters/EPDnew_human_hg38_29598.bed.gz" --chain "$data/liftover/hg38ToHg19.over.chain.gz" \
  "${interval[@]}" --split-like human-chr20-encoder -o epd --resume --quiet
# start sites of 0 to 50 Mb, and the blocks of each fold
zcat epd/regions.bed.gz | awk -F'\t' -v OFS='\t' '!/^#/ && $5 == 1 && $3 < 5e7 {t = $6 == "-" ? $3 - 1251 : $2 + 1250; print $1, t, t + 1, $4, 0, $6}' >sites.bed
for fold in 0 1 2 3 4; do
  for ((mb = fold; mb < 50; mb += 5)); do printf '20\t%d000000\t%d000000\n' $mb $((mb + 1)); done >fold$fold.bed
  bigdna dataset promoter --promoters sites.bed "${interval[@]}" --test fold$fold.bed -o fold$fold --resume --quiet
done
"$root/tests/bench/random_encoder.sh" random "${threads[@]}"

# runs ROWS SEED: network and k-mers, with these networks each encoder, with k-mers and without; and fine-tuned encoders
runs() {
  bigdna finetune human-chr20-encoder "$1" --seed "$2" -o "$1.$2.finetune" --resume "${threads[@]}" >/dev/null
  bigdna finetune human-chr20-encoder "$1" --seed "$2" --no-kernel -o "$1.$2.no-kernel" --resume "${threads[@]}" >/dev/null
  bigdna finetune human-chr20-encoder "$1" --seed "$2" --epochs 4 -o "$1.$2.trained" --resume "${threads[@]}" >/dev/null
  bigdna finetune human-chr20-encoder "$1" --seed "$2" --no-kmers -o "$1.$2.plain" --resume "${threads[@]}" >/dev/null
  bigdna train "$1" --seed "$2" -o "$1.$2" --resume "${threads[@]}" >/dev/null
  for encoder in human-chr20-encoder random; do
    for kmers in "" --no-kmers; do
      bigdna train "$1" --seed "$2" --from "$1.$2" --keep-networks $kmers --encoder $encoder -o "$1.$2.$encoder$kmers" --resume "${threads[@]}" >/dev/null
    done
  done
}
for fold in 0 1 2 3 4; do runs fold$fold 1; done
for seed in 1 2 3; do runs epd $seed; done

# AUROC by a second program from the rows' scores; intervals resample blocks of 1 Mb
PYTHONPATH=$root/tests/bench "$("$root/cmake/setup.sh" --print)/peers/bin/python" - <<'END'
import collections, json
import numpy as np
from paired_auroc import Blocks, auroc, read_scores

def table(title, runs):
    """runs: lists of the parts of a test set, one list for each seed."""
    scores, shares = collections.defaultdict(list), collections.defaultdict(list)
    def add(suffix, names):
        for seed in runs:
            of = [read_scores(run + suffix) for run in seed]
            for method, name in names.items():
                scores[name].append(np.concatenate([np.array(part[f"{method}:promoter"], float) for part in of]))
                shares[name] += [json.load(open(f"{run}{suffix}/model/bigdna.json")).get("encoder_share", {}).get("promoter", 0) for run in seed]
        return of
    of = add("", {"network": "network", "kmers": "k-mers", "bigdna": "network + k-mers"})
    blocks = Blocks(of)
    y = np.array([float(label) for part in of for label in part["label:promoter"]])
    for which in ("human-chr20-encoder", "random"):
        add(f".{which}", {"encoder": which, "bigdna": f"network + k-mers + {which}"})
        add(f".{which}--no-kmers", {"bigdna": f"network + {which}"})
    for which in ("finetune", "no-kernel", "trained", "plain"):
        add(f".{which}", {"bigdna": which})
    for name, of_seeds in scores.items():
        values = [auroc(y, s) for s in of_seeds]
        print(title, name, f"{np.mean(values):.4f}", *(["shares", sorted(round(s, 2) for s in shares[name])] if " + " in name else []), sep="\t")
    for a, b in (("network + k-mers + human-chr20-encoder", "network + k-mers"), ("network + k-mers + random", "network + k-mers"),
                 ("network + k-mers", "k-mers"), ("network + k-mers + human-chr20-encoder", "k-mers"), ("human-chr20-encoder", "k-mers"),
                 ("random", "k-mers"), ("network + human-chr20-encoder", "network"), ("network + random", "network"),
                 ("network + human-chr20-encoder", "network + random"), ("finetune", "k-mers"), ("no-kernel", "k-mers"), ("trained", "k-mers"),
                 ("plain", "k-mers"), ("network + k-mers + human-chr20-encoder", "finetune"), ("network + k-mers + human-chr20-encoder", "plain"),
                 ("finetune", "no-kernel"), ("finetune", "trained"), ("trained", "plain")):
        print(title, f"{a} - {b}", blocks.difference(y, scores[a], scores[b]), sep="\t")

table("50-63 Mb", [[f"epd.{seed}"] for seed in (1, 2, 3)])
table("folds of 0-50 Mb", [[f"fold{fold}.1" for fold in range(5)]])
END
