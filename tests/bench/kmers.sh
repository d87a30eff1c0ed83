#!/usr/bin/env bash
# What kmers, encoder and both together reach on human chr20: docs/benchmarks/promoters-and-chromatin_zen4_2026-11-24.md.
#   tests/bench/kmers.sh MODEL [FOLDER]       MODEL: a pretrained model that held some of chr20 out, which is the test split
# SOURCES, LENGTHS, KINDS, SEEDS, CONTEXTS (kmers of the environment) choose a part: "epd refseq", "300 2000 8000",
# "genomic permute", "1 2 3", "1000 2000 8000" (of the 41 chromatin features); STARTS: "pretrained scratch random"
# (scratch: all layers are trained from random weights; random: random weights stay as they are, with the same kernel model).
# GENOME, SITES (start sites in any form of `bigdna dataset promoter`) and CONTEXTS= take promoters of another genome.
# EPOCHS: of models that are trained from scratch, 4. RESAMPLES: 1000. BLOCK: 1000000 (bp that the bootstrap draws together). THREADS: 2.
# A run that is complete in FOLDER is not done again. Needs $BIGDNA_DATA (default ../shared/data) and the peers' Python.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
data=$(readlink -f "${BIGDNA_DATA:-$root/../shared/data}")
model=$(readlink -f "${1:?a pretrained model}") out=${2:-kmers_bench}
read -ra threads <<<"-@ ${THREADS:-2}"
export PATH=${BIN:-$root/build/bin}:$PATH
sources=(epd refseq)
[[ -z ${GENOME:-} ]] || GENOME=$(readlink -f "$GENOME") SITES=$(readlink -f "${SITES:?start sites of $GENOME}") sources=(given)
mkdir -p "$out"
cd "$out"

# fine_tune ROWS OPTIONS...: all starts and seeds
fine_tune() {
  local rows=$1 start seed from
  shift
  for start in ${STARTS:-pretrained scratch random}; do
    case $start in
      pretrained) from=() ;;
      scratch) from=(--from-scratch --epochs "${EPOCHS:-4}") ;;
      random) from=(--from-scratch --epochs 0) ;;
    esac
    for seed in ${SEEDS:-1 2 3}; do
      bigdna finetune "$model" "$rows" "$@" "${from[@]}" --seed "$seed" -o "$rows.$start.run.$seed" --resume --quiet "${threads[@]}" >/dev/null
    done
  done
}
genome=${GENOME:-data/chr20.fa.gz}
[[ -n ${GENOME:-} || -e data/.complete ]] || "$root/pipelines/human_chr20.sh" data "$data"
declare -A upstream=([300]=249 [2000]=1250 [8000]=5000)
declare -A sites=([epd]="$data/promoters/EPDnew_human_hg38_29598.bed.gz --chain $data/liftover/hg38ToHg19.over.chain.gz" [refseq]=data/tss.bed [given]=${SITES:-})

for source in ${SOURCES-${sources[*]}}; do
  for length in ${LENGTHS:-300 2000 8000}; do
    for kind in ${KINDS:-genomic permute}; do
      rows=promoters.$source.$kind.$length
      read -ra from <<<"${sites[$source]}"
      bigdna dataset promoter --promoters "${from[@]}" -g $genome --upstream "${upstream[$length]}" --downstream $((length - upstream[$length])) \
        --negatives "$kind" --split-like "$model" -o "$rows" --resume --quiet
      fine_tune "$rows"
    done
  done
done

if [[ -n ${CONTEXTS-1000} ]]; then
  python3 - "$data" >peaks.tsv <<'END'
import csv, os, sys
print("file\tname\tcell\tassay\tgroup")
with open(os.path.join(sys.argv[1], "chromatin/PEAKS_MANIFEST.tsv")) as file:
    for number, row in enumerate(csv.DictReader(file, delimiter="\t")):
        path, target = os.path.join(sys.argv[1], "chromatin", row["#file"]), row["target"]
        if os.path.exists(path):
            print(path, target, row["cell"], f"file{number}", "DHS" if target == "DNase" else "HM" if target[0] == "H" and target[1].isdigit() else "TF", sep="\t")
END
  for context in ${CONTEXTS-1000}; do
    flank=$(((context - 200) / 2))
    bigdna dataset chromatin --peaks peaks.tsv -g $genome --split-like "$model" --max-bins 8000 --upstream $flank --downstream $flank -o "bins.$context" --resume --quiet
    fine_tune "bins.$context" --reverse-complement
  done
fi

# AUROC by a second program, from the rows' scores; intervals resample blocks and seeds together
"$("$root/cmake/setup.sh" --print)/peers/bin/python" - "${RESAMPLES:-1000}" "${BLOCK:-1000000}" <<'END'
import collections, glob, gzip, sys
import numpy as np
from scipy.stats import rankdata

def auroc(y, score):
    positives = y.sum()
    return (rankdata(score)[y].sum() - positives * (positives + 1) / 2) / (positives * (len(y) - positives)) if 0 < positives < len(y) and not np.isnan(score).any() else np.nan

def read(path):
    with gzip.open(path, "rt") as file:
        columns = list(enumerate(next(file).rstrip("\n").split("\t")))  # of several cells some have the same name
        rows = [line.rstrip("\n").split("\t") for line in file]
    number = lambda text: np.nan if text == "NA" else float(text)
    found = lambda prefix: np.array([[number(row[i]) for i, name in columns if name.startswith(prefix + ":")] for row in rows])
    take = lambda prefix: found(prefix) if found(prefix).size else np.full(found("label").shape, np.nan)  # an encoder without weight
    blocks = np.unique([f"{row[0]}:{int(row[1]) // int(sys.argv[2])}" for row in rows], return_inverse=True)[1]
    return take("label") > 0.5, blocks, {method: take(method) for method in ("bigdna", "kmers", "encoder")}

print("dataset.start\tgroup\tseeds\ttogether\tkmers\tencoder\ttogether - kmers\ttogether - encoder\ttogether - scratch\ttogether - random\tworse than kmers by 0.02")
runs = collections.defaultdict(list)
for path in sorted(glob.glob("*.run.*/scores.tsv.gz")):
    runs[path.split(".run.")[0]].append(path)
for name, paths in runs.items():
    seeds = [read(path) for path in paths]
    others = [name.removesuffix("pretrained") + start for start in ("scratch", "random")] if name.endswith("pretrained") else []
    controls = [[read(path) for path in runs[other]] if other in runs else [] for other in others] or [[], []]
    y, blocks, _ = seeds[0]
    groups = ["-"] * y.shape[1]
    if name.startswith("bins"):
        groups = [line.split("\t")[4].strip() for line in open(name.rsplit(".", 1)[0] + "/features.tsv") if line[0] != "#"]
    where = [np.flatnonzero(blocks == b) for b in range(blocks.max() + 1)]
    def values(rows, chosen):  # [methods, features]: means over seeds
        of = lambda models, m: [np.mean([auroc(y[rows, f], models[s % len(models)][2][m][rows, f]) for s in chosen]) for f in range(y.shape[1])]
        return np.array([of(seeds, "bigdna"), of(seeds, "kmers"), of(seeds, "encoder")] + [of(control or seeds, "bigdna") for control in controls])
    whole, rng = values(np.arange(len(y)), range(len(seeds))), np.random.default_rng(1)
    draws = [values(np.concatenate([where[b] for b in rng.integers(0, len(where), len(where))]), rng.integers(0, len(seeds), len(seeds)))
             for _ in range(int(sys.argv[1]))]
    for group in sorted(set(groups)):
        members = [f for f, of in enumerate(groups) if of == group]
        mean = lambda v, m: np.nanmean(v[m, members])
        interval = lambda m: "%+.3f [%+.3f, %+.3f]" % (mean(whole, 0) - mean(whole, m), *np.nanpercentile([mean(d, 0) - mean(d, m) for d in draws], [2.5, 97.5]))
        print(name, group, len(seeds), *("%.3f" % mean(whole, m) for m in range(3)), interval(1), interval(2),
              *(interval(3 + i) if control else "-" for i, control in enumerate(controls)),
              f"{int(np.sum(whole[0, members] < whole[1, members] - 0.02))} of {len(members)}", sep="\t", flush=True)
END
