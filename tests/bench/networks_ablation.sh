#!/usr/bin/env bash
# What k-mers and encoders of tokens add to a network on bases: the table of ablations in docs/benchmarks/networks-additions_epyc_2026-11-27.md.
#   tests/bench/networks_ablation.sh NETWORK ENCODER PEAKS GENOME TEST VALIDATION [FOLDER]
# NETWORK: a model of `train` on bins; ENCODER: a pretrained model of tokens; PEAKS: a table of peak files whose features the
# network has; TEST, VALIDATION: BED, the splits of both models. Rows: the bins of these splits that have a label of group TF, or,
# with KEEP=all, all of them.
# The added models are fitted to the training rows: k-mers of what the network reads, and of the bin; the encoder, pretrained and
# with random weights that stay as they are (1000 bp).
# Log-odds are added with one weight for each group of features, 0 to 2, by which validation rows have the highest mean AUROC.
# Null: the added model's predictions, each moved to another row. SEEDS ("1 2 3": of the encoders), KINDS ("pretrained random"),
# EPOCHS (2), THREADS (2), RESAMPLES (1000).
# A run that is complete in FOLDER (networks_ablation) is not done again. Needs the peers' Python.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
(($# >= 6)) || { sed -n 2,13p "$0" >&2; exit 2; }
network=$(readlink -f "$1") encoder=$(readlink -f "$2") peaks=$(readlink -f "$3") genome=$(readlink -f "$4") test=$(readlink -f "$5") validation=$(readlink -f "$6")
mkdir -p "${7:-networks_ablation}"
cd "${7:-networks_ablation}"
export PATH=${BIN:-$root/build/bin}:$PATH
on=(--quiet -@ "${THREADS:-2}")
layers=$(sed -n 's/.*"num_hidden_layers": *\([0-9]*\).*/\1/p' "$encoder/config.json")
bigdna dataset chromatin --peaks "$peaks" -g "$genome" --test "$test" --validation "$validation" --keep "${KEEP:-tf}" --upstream 400 --downstream 400 -o rows --resume "${on[@]}"

# scores MODEL NAME OPTION...: of both splits
scores() {
  local split
  for split in validation test; do
    [[ -e $2.$split.tsv.gz ]] || bigdna evaluate "$1" rows --split $split --scores "$2.$split.tsv.gz" --resamples 10 "${@:3}" "${on[@]}" >"$2.$split.tsv"
  done
}
scores "$network" network --refit-kmers
for seed in ${SEEDS:-1 2 3}; do
  alone=(--reverse-complement --epochs "${EPOCHS:-2}")
  for kind in ${KINDS-pretrained random}; do
    case $kind in
      pretrained) options=("${alone[@]}") ;;
      random) options=("${alone[@]}" --from-scratch --freeze "$layers") ;;
    esac
    bigdna finetune "$encoder" rows "${options[@]}" --seed "$seed" --no-baseline -o "$kind.$seed.run" --resume "${on[@]}" >/dev/null
    scores "$kind.$seed.run" "$kind.$seed" --no-baseline
  done
done

"$("$root/cmake/setup.sh" --print)/peers/bin/python" - "${RESAMPLES:-1000}" <<'END'
import glob, gzip, sys
import numpy as np
from scipy.stats import rankdata

def read(name, method):
    """Labels, log-odds and blocks of 1 Mb of both splits."""
    splits = []
    for split in ("validation", "test"):
        with gzip.open(f"{name}.{split}.tsv.gz", "rt") as file:
            lines = (line for line in file if not line.startswith("##"))
            columns = next(lines).rstrip("\n").split("\t")
            rows = [line.rstrip("\n").split("\t") for line in lines]
        take = lambda prefix: np.array([[float(row[i]) for i, c in enumerate(columns) if c.startswith(prefix + ":")] for row in rows])
        p = np.clip(take(method), 1e-9, 1 - 1e-7)
        blocks = np.unique([f"{row[0]}:{int(row[1]) // 10**6}" for row in rows], return_inverse=True)[1]
        splits.append((take("label") > 0.5, np.log(p / (1 - p)), blocks))
    return splits

def auroc(y, score):
    n = y.sum()
    return (rankdata(score)[y].sum() - n * (n + 1) / 2) / (n * (len(y) - n)) if 0 < n < len(y) else np.nan

groups = np.array([line.split("\t")[4].strip() for line in open("rows/features.tsv") if line[0] != "#"])
network = read("network", "bigdna")
(y_valid, base_valid, _), (y, base, blocks) = network
where = [np.flatnonzero(blocks == b) for b in range(blocks.max() + 1)]
rng = np.random.default_rng(1)
draws = [np.concatenate([where[b] for b in rng.integers(0, len(where), len(where))]) for _ in range(int(sys.argv[1]))]
seeds_of = lambda kind: [(path.split(".test")[0], "bigdna") for path in sorted(glob.glob(f"{kind}.*.test.tsv.gz"))]
added = {"k-mers of what the network reads": [("network", "kmers-refit")], "k-mers of the bin": [("network", "kmers-refit-bin")],
         "encoder, pretrained": seeds_of("pretrained"), "encoder, random weights": seeds_of("random")}
weights = np.arange(0, 2.01, 0.1)
print(f"#{len(y)} rows of the test, {len(y_valid)} of validation")
print("#added\tseed\tgroup\talone\tnetwork\tweight\ttogether\tgain\tlow\thigh\tnull_weight\tnull_gain")
for name, models in added.items():
    for seed, (path, method) in enumerate(models, 1):
        (_, more_valid, _), (_, more, _) = read(path, method)
        for group in dict.fromkeys(groups):
            members = np.flatnonzero(groups == group)
            mean = lambda y, z, rows=slice(None): np.nanmean([auroc(y[rows, f], z[rows, f]) for f in members])
            def fitted(more_valid, more):
                w = max(weights, key=lambda w: (mean(y_valid, base_valid + w * more_valid), -w))
                return w, base + w * more
            w, together = fitted(more_valid, more)
            moved_w, moved = fitted(more_valid[rng.permutation(len(more_valid))], more[rng.permutation(len(more))])
            gains = [mean(y, together, rows) - mean(y, base, rows) for rows in draws] if w else [0]
            print(name, seed, group, *("%.4f" % v for v in (mean(y, more), mean(y, base), w, mean(y, together), mean(y, together) - mean(y, base), *np.percentile(gains, [2.5, 97.5]),
                                                            moved_w, mean(y, moved) - mean(y, base))), sep="\t", flush=True)
END
