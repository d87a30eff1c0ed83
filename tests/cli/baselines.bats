# What a model is compared with: the same training rows, the same calibration, and nothing that is not in the model.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  small_encoder
  # half of the training rows are positive, a tenth of the others: what is not calibrated calls too many
  python3 - <<'PY'
import random
random.seed(8)
def sequence(share): return "".join(random.choice("GC") if random.random() < share else random.choice("AT") for _ in range(100))
tables = {name: open(f"{name}.csv", "w") for name in ("rare", "others")}
for table in tables.values(): print("sequence,split,label", file=table)
for split, rows, positive in (("train", 400, 0.5), ("validation", 300, 0.1), ("test", 300, 0.1)):
    for i in range(rows):
        label = int(random.random() < positive)
        print(f"{sequence(random.gauss(0.53 if label else 0.47, 0.04))},{split},{label}", file=tables["rare"])
        if split != "validation": print(f"{sequence(random.gauss(0.53 if label else 0.47, 0.04))},{split},{label}", file=tables["others"])
PY
  for name in rare others; do bigdna dataset table $name.csv -o $name --quiet; done
  bigdna finetune pre rare --steps 20 --evaluations 1 -o rare_run --quiet >rare.out
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 \
    --negatives shuffle --split-like pre/model --validation chrX -o promoters --quiet  # k-mers do not tell all of them
  bigdna finetune pre promoters --steps 6 --evaluations 1 -o promoter --quiet >promoter.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}
value() { awk -F'\t' -v m="$2" -v n="$3" '$1 == m && $3 == n {print $4}' "$1"; }
methods() { cut -f"${2:-1}" "$1" | grep -v '^[#mg]' | grep -v '^bigdna-' | sort -u | tr '\n' ' '; }

@test "every method is calibrated on the same validation rows: its mean probability there is the labels' share" {
  bigdna evaluate "$shared/rare_run" "$shared/rare" --split validation --scores v.tsv --quiet >/dev/null
  python3 - "$shared/rare_run/model/bigdna.json" <<'PY'
import json, sys
header, *rows = [line.rstrip("\n").split("\t") for line in open("v.tsv") if not line.startswith("##")]
mean = {name: sum(float(row[i]) for row in rows) / len(rows) for i, name in enumerate(header) if ":" in name}
share = mean.pop("label:label=1")
assert 0.05 < share < 0.16, share
assert {"bigdna:label=1", "kmers:label=1", "constant:label=1"} <= mean.keys(), mean
for method, value in mean.items():
    assert abs(value - share) < 0.02, (method, value, share)
kept = json.load(open(sys.argv[1]))["baselines"]
assert [f"{name}:label=1" for name in kept] == [name for name in mean if name != "bigdna:label=1"], (kept, mean)
PY
  # so what is called from 0.5 on differs by what is told apart, and not by the labels' share in training
  [ "$(echo "$(value "$shared/rare.out" bigdna accuracy) $(value "$shared/rare.out" kmers accuracy) $(value "$shared/rare.out" constant accuracy)" |
    awk '{print ($1 - $2 < 0.05 && $2 > 0.85 && $3 > 0.85)}')" = 1 ]
  # k-mers of the same rows, made anew by other means, rank alike
  bigdna evaluate "$shared/rare_run" "$shared/rare" --quiet >again
  same_rows again "$shared/rare.out"
}

@test "kmers are the model's own on any dataset; --refit-kmers is another method" {
  bigdna evaluate "$shared/rare_run" "$shared/others" --refit-kmers --scores s.tsv --quiet >e.tsv
  sed 's/,train,/,test,/' "$shared/others.csv" >test.csv
  bigdna dataset table test.csv --test all -o all --quiet
  bigdna evaluate "$shared/rare_run" all --scores a.tsv --quiet >a.out
  [ "$(methods e.tsv)" = "$(echo "$(methods a.out)" kmers-refit | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/^ *//')" ]
  # of the same rows, the same probabilities: nothing was fitted to the other rows
  python3 - <<'PY'
def read(path):
    header, *rows = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("##")]
    return [dict(zip(header, row)) for row in rows]
some, every = read("s.tsv"), read("a.tsv")[400:]
assert len(some) == 300 == len(every)
for a, b in zip(some, every):
    for name, text in b.items():
        if ":" in name: assert a[name] == text, (name, a, b)
assert any(row["kmers:label=1"] != row["kmers-refit:label=1"] for row in some)
PY
  grep -q '^bigdna-kmers-refit' e.tsv
  fails 1 "all: the train split is empty, so --refit-kmers has nothing to fit k-mers to" bigdna evaluate "$shared/rare_run" all --refit-kmers --quiet
}

@test "strands and ensembles: the baselines read and average what the models do" {
  bigdna evaluate "$shared/rare_run" "$shared/rare" --scores f.tsv --quiet >/dev/null
  bigdna evaluate "$shared/rare_run" "$shared/rare" --strands average --scores b.tsv --quiet >/dev/null
  not same_rows <(cut -f9 f.tsv) <(cut -f9 b.tsv)
  [ "$(header f.tsv | cut -f9)" = kmers:label=1 ]
  bigdna evaluate "$shared/rare_run" "$shared/rare" --ensemble "$shared/rare_run" --scores e.tsv --quiet >/dev/null
  same_rows f.tsv e.tsv
}

@test "promoters: a threshold for each method, chosen on the validation rows; all of a dataset for testing" {
  bigdna evaluate "$shared/promoter" "$shared/promoters" --split validation --scores v.tsv --quiet >v.out
  python3 - <<'PY'
header, *rows = [line.rstrip("\n").split("\t") for line in open("v.tsv") if not line.startswith("##")]
threshold, f1 = ({line.split("\t")[0]: float(line.split("\t")[3]) for line in open("v.out") if line[0] != "#" and line.split("\t")[2] == metric} for metric in ("threshold", "f1"))
labels = [row[header.index("label:promoter")] == "1" for row in rows]
for i, name in enumerate(header):
    if i < 7: continue
    method, scores = name.split(":")[0], [float(row[i]) for row in rows]
    best = max(2 * sum(l for s, l in zip(scores, labels) if s >= t) / (sum(s >= t for s in scores) + sum(labels)) for t in scores)
    assert abs(f1[method] - best) < 2e-6, (method, threshold[method], f1[method], best)
assert {"bigdna", "kmers"} <= threshold.keys() and threshold["kmers"] != threshold["bigdna"], threshold
PY
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 --negatives shuffle --test all -o all --quiet
  bigdna evaluate "$shared/promoter" all --quiet >a.out
  [ "$(methods a.out)" = "$(methods "$shared/promoter.out")" ]
  for method in $(methods a.out); do [ "$(value a.out $method threshold)" = "$(value "$shared/promoter.out" $method threshold)" ]; done
}

@test "MultiQC: a sample for each run and method" {
  mkdir -p two other
  run=$(basename "$shared" | sed 's/[._]/& /g')", rare_ run"
  bigdna evaluate "$shared/promoter" "$shared/promoters" --report two/runA --quiet >/dev/null
  bigdna evaluate "$shared/promoter" "$shared/promoters" --split validation --report two/runB/ --quiet >/dev/null
  bigdna evaluate "$shared/promoter" "$shared/promoters" --split validation --report other/runA --quiet >/dev/null  # of one name
  (cd other && bigdna evaluate "$shared/promoter" "$shared/promoters" --report ../other/./runC --quiet >/dev/null)
  python3 - "$shared" "$run" <<'PY'
import glob, json, sys
for name in "metrics", "roc", "pr":
    a, b = (json.load(open(f"two/{run}/promoter_{name}_mqc.json")) for run in ("runA", "runB"))
    assert a["id"] == b["id"]
    samples = a["data"] | b["data"]
    assert len(samples) == len(a["data"]) + len(b["data"]) and {"bigdna (two, runA)", "bigdna (two, runB)", "kmers (two, runB)"} <= samples.keys(), samples.keys()
metrics = json.load(open(f"{sys.argv[1]}/rare_run/table_metrics_mqc.json"))
assert 0 < metrics["data"][f"bigdna ({sys.argv[2]})"]["auroc"] < 1 and f"kmers ({sys.argv[2]})" in metrics["data"], metrics
assert "bigdna (other, runA)" in json.load(open("other/runA/promoter_roc_mqc.json"))["data"]
assert "bigdna (other, runC)" in json.load(open("other/runC/promoter_roc_mqc.json"))["data"]
PY
  multiqc=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/workflows/bin/multiqc
  [ -x "$multiqc" ] || skip "no MultiQC: tests/peers/setup.sh --workflows installs it"
  # names that MultiQC would cut, which would merge methods and runs
  for name in K562.dedup results.out gene_counts ccs_run Aligned stdin .hidden_; do
    bigdna evaluate "$shared/rare_run" "$shared/rare" --report "two/$name" --quiet >/dev/null
  done
  "$multiqc" --quiet --outdir out two other "$shared/rare_run" >log 2>&1 || { cat log; false; }
  python3 - "$run" <<'PY'
import csv, sys
rows = list(csv.DictReader(open("out/multiqc_data/multiqc_general_stats.txt"), delimiter="\t"))
cut = ["two, K562. dedup", "two, results. out", "two, gene_ counts", "two, c cs_ run", "two, A ligned", "two, stdin", "two, . hidden_ ", sys.argv[1]]
runs = ["two, runA", "two, runB", "other, runA", "other, runC"]
assert {row["Sample"] for row in rows} == {f"bigdna ({run})" for run in runs + cut}, rows
for task, samples in ("promoter", runs), ("table_binary", cut):
    rows = list(csv.DictReader(open(f"out/multiqc_data/multiqc_bigdna_{task}_metrics_plot.txt"), delimiter="\t"))
    assert {f"{method} ({run})" for run in samples for method in ("bigdna", "kmers")} <= {row["Sample"] for row in rows}, rows
versions = open("out/multiqc_data/multiqc_software_versions.txt").read()
assert versions.split("\n")[1].split("\t")[0] == "bigdna" and "0." in versions, versions
PY
}
