#!/usr/bin/env bash
# What a pretrained encoder adds to k-mers on human promoters: `train --encoder` (k-mers + encoder + kernel model), with a network and
# without (--networks 0), beside k-mers, on EPDnew's and RefSeq's start sites.
# The figures: docs/benchmarks/promoters-sum_epyc-avx2_2026-11-30.md.
#   tests/bench/promoters.sh [FOLDER] [CONFIG...]       a CONFIG: epd:1250:750:20 (start sites, bp before and behind them, chromosome 20 or X)
# 0 to 50 Mb are tested in five folds of 1-Mb blocks; SEEDS (empty: none) test the last 13 Mb of chromosome 20. Encoders:
# human-chr20-encoder, which has read 0 to 50 Mb of chromosome 20 without labels, and one of random weights (ENCODERS: other ones).
# THREADS: 2. Needs $BIGDNA_DATA (default ../shared/data) and the peers' Python (or PYTHON, with NumPy and SciPy).
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
data=$(readlink -f "${BIGDNA_DATA:-$root/../shared/data}")
out=${1:-promoter_bench}
shift || true
configs=("$@")
[[ ${#configs[@]} -gt 0 ]] || configs=(epd:1250:750:20 refseq:1250:750:20 epd:6000:2000:20 refseq:6000:2000:20)
export PATH=${BIN:-$root/build/bin}:$PATH
threads=(-@ "${THREADS:-2}" --quiet)
encoders=(${ENCODERS-human-chr20-encoder random})
mkdir -p "$out"
cd "$out"
"$root/tests/bench/random_encoder.sh" random "${threads[@]}"
genome_of() { if [[ $1 == X ]]; then echo "$data/genomes/GRCh37.chrX_1-50000000.fa.gz"; else echo "$data/genomes/GRCh37.chr$1.fa.gz"; fi; }
[[ -e refseq.20.tsv ]] || for contig in 20 X; do
  zcat "$data/annotations_hg19/RefSeqTSS.hg19.txt.gz" | awk -F'\t' -v OFS='\t' -v c=$contig '$1 == "chr" c && (c == 20 || $2 < 5e7) {print c, $2, $3}' | sort -u >refseq.$contig.tsv
  # lifted without the genome: that of chromosome X ends at 50 Mb, and a chain's contigs do not
  bigdna liftover "$data/promoters/EPDnew_human_hg38_29598.bed.gz" --chain "$data/liftover/hg38ToHg19.over.chain.gz" --quiet |
    awk -F'\t' -v c=$contig '$1 == "chr" c && (c == 20 || $3 < 5e7)' >epd.$contig.bed
done

# runs ROWS SEED
runs() {
  bigdna train "$1" --seed "$2" -o "$1.$2" --resume "${threads[@]}" >/dev/null
  for encoder in "${encoders[@]}"; do
    bigdna train "$1" --seed "$2" --from "$1.$2" --keep-networks --encoder $encoder -o "$1.$2.$encoder" --resume "${threads[@]}" >/dev/null
    bigdna train "$1" --seed "$2" --networks 0 --encoder $encoder -o "$1.$2.$encoder.0" --resume "${threads[@]}" >/dev/null
  done
}
for config in "${configs[@]}"; do
  IFS=: read -r sites upstream downstream contig <<<"$config"
  interval=(-g "$(genome_of "$contig")" --upstream "$upstream" --downstream "$downstream")
  if [[ $sites == epd ]]; then from=(--promoters epd."$contig".bed); else from=(--promoters refseq."$contig".tsv); fi
  name=$sites.$upstream.$contig
  # start sites of 0 to 50 Mb, and the blocks of each fold
  split=(--split-like human-chr20-encoder)
  [[ $contig == 20 ]] || split=(--folds 5 --fold 1)
  bigdna dataset promoter "${from[@]}" "${interval[@]}" "${split[@]}" -o "$name.end" --resume --quiet
  zcat "$name.end/regions.bed.gz" | awk -F'\t' -v OFS='\t' -v up="$upstream" '!/^#/ && $5 == 1 && $3 < 5e7 {t = $6 == "-" ? $3 - up - 1 : $2 + up; print $1, t, t + 1, $4, 0, $6}' >"$name.sites.bed"
  for fold in 0 1 2 3 4; do
    for ((mb = fold; mb < 50; mb += 5)); do printf '%s\t%d000000\t%d000000\n' "$contig" $mb $((mb + 1)); done >fold$fold.bed
    bigdna dataset promoter --promoters "$name.sites.bed" "${interval[@]}" --test fold$fold.bed -o "$name.fold$fold" --resume --quiet
    runs "$name.fold$fold" 1
  done
  for seed in ${SEEDS-}; do runs "$name.end" "$seed"; done
done

# AUROC by a second program from the rows' scores; intervals resample blocks of 1 Mb
PYTHONPATH=$root/tests/bench "${PYTHON:-$("$root/cmake/setup.sh" --print)/peers/bin/python}" - "${SEEDS-}" "${encoders[*]}" "${configs[@]}" <<'END'
import collections, json, sys
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
            details = [json.load(open(f"{run}{suffix}/model/bigdna.json")) for run in seed]
            for key in ("kmer_share", "encoder_share", "kernel_share"):
                shares[suffix, key] += [round(list(of[key].values())[0], 2) if key in of else 0 for of in details]
        return of
    of = add("", {"network": "network", "kmers": "k-mers", "bigdna": "network + k-mers"})
    blocks = Blocks(of)
    y = np.array([float(label) for part in of for label in part["label:promoter"]])
    print(title, "examples", len(y), "positives", int(y.sum()), sep="\t")
    for which in encoders.split():
        add(f".{which}", {"encoder": f"{which} alone", "kernel": f"kernel of {which} alone", "bigdna": f"sum with {which}"})
        add(f".{which}.0", {"bigdna": f"sum with {which}, no network"})
    for name, of_seeds in scores.items():
        print(title, name, f"{np.mean([auroc(y, s) for s in of_seeds]):.4f}", sep="\t")
    for (suffix, key), values in shares.items():
        if any(values):
            print(title, suffix, key, *values, sep="\t")
    for a, b in (("sum with human-chr20-encoder", "k-mers"), ("sum with random", "k-mers"), ("network + k-mers", "k-mers"),
                 ("sum with human-chr20-encoder, no network", "k-mers"), ("sum with random, no network", "k-mers"),
                 ("sum with human-chr20-encoder, no network", "sum with human-chr20-encoder"),
                 ("sum with human-chr20-encoder", "network + k-mers"),
                 ("sum with human-chr20-encoder", "sum with random"), ("human-chr20-encoder alone", "k-mers")):
        if a not in scores or b not in scores:
            continue
        print(title, f"{a} - {b}", blocks.difference(y, scores[a], scores[b]), sep="\t")

seeds, encoders, *configs = sys.argv[1:]
for config in configs:
    sites, upstream, downstream, contig = config.split(":")
    name = f"{sites}.{upstream}.{contig}"
    table(f"{config} folds", [[f"{name}.fold{fold}.1" for fold in range(5)]])
    if seeds:
        table(f"{config} end", [[f"{name}.end.{seed}"] for seed in seeds.split()])
END
