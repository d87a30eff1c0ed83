# evaluate, where cells differ: outputs of one name in several cells, cells.tsv, JSON, stderr and the report.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  # CTCF in two cells, of which B lacks every second peak and has some of H3K4me3's
  cp "$TEST_DATA"/*Peak* .
  awk 'NR % 2' tf.narrowPeak >b.narrowPeak
  zcat -f hm.broadPeak* 2>/dev/null | awk -v OFS='\t' 'NR % 3 == 0 {print $1, $2, $3, ".", 0, ".", 1, -1, -1, 100}' >>b.narrowPeak
  printf 'file\tname\tcell\tassay\tgroup\n' >peaks.tsv
  printf '%s\n' "tf.narrowPeak	CTCF	A	x	TF" "b.narrowPeak	CTCF	B	y	TF" "tf.narrowPeak	CTCF	A	again	TF" \
    "dhs.narrowPeak.gz	DNase	A	z	DHS" >>peaks.tsv
  bigdna dataset chromatin --peaks peaks.tsv -g "$TEST_DATA/genome.fa.gz" --upstream 0 --downstream 0 --keep all --test chr2,chr3 --validation chrX -o bins --quiet
  bigdna train bins --preset tiny --networks 1 --steps 30 --batch 2 --window 4000 --precision fp32 -o run --quiet >/dev/null
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR
}

@test "AUROC of the deviation from the mean over cells, among bins whose labels differ, equals that of scores.tsv.gz; chance too" {
  for threads in 1 2; do
    bigdna evaluate "$shared/run" "$shared/bins" --precision fp32 --report report$threads --resamples 50 -@ $threads >table.tsv 2>err || { cat err; return 1; }
  done
  same_files report1/cells.tsv report2/cells.tsv
  grep -q "where cells differ, AUROC, median over 2 outputs: bigdna 0[.].* (chance 0[.]" err
  python3 - <<'PY'
import gzip, json
from math import log
def read(path):
    opened = gzip.open(path, "rt") if path.endswith("gz") else open(path)
    header, *rows = [line.rstrip("\n").split("\t") for line in opened if not line.startswith("##")]
    return [dict(zip([name.lstrip("#") for name in header], row)) for row in rows]
cells, scores = read("report1/cells.tsv"), read("report1/scores.tsv.gz")
names = [name[len("label:"):] for name in scores[0] if name.startswith("label:")]
assert [name for name in names if name.startswith("CTCF|A")] == ["CTCF|A|0", "CTCF|A|2"]
a, b = names[0], names[1]  # the first output of each cell; DNase has one cell
logit = lambda text: log(min(max(float(text), 1e-9), 1 - 1e-9)) - log(1 - min(max(float(text), 1e-9), 1 - 1e-9))
differ = [row for row in scores if row["label:" + a] != row["label:" + b]]
def auroc(values, weights):  # weights: of being 1; pairs of different bins
    right = all_pairs = 0
    for i, (x, p) in enumerate(zip(values, weights)):
        for j, (y, q) in enumerate(zip(values, weights)):
            if i != j:
                all_pairs += p * (1 - q)
                right += p * (1 - q) * ((x > y) + (x == y) / 2)
    return right / all_pairs
outputs = [row for row in cells if row["index"] != "."]
assert {(row["name"], row["cell"], row["index"]) for row in outputs} == {("CTCF", "A", "0"), ("CTCF", "B", "1")}
methods = {row["method"] for row in outputs}
assert methods >= {"bigdna", "kmers"}
for row in outputs:
    own, other = (a, b) if row["cell"] == "A" else (b, a)
    assert int(row["n"]) == len(differ) > 50 and row["metric"] == "auroc"
    deviation = [(logit(r[row["method"] + ":" + own]) - logit(r[row["method"] + ":" + other])) / 2 for r in differ]
    assert abs(auroc(deviation, [float(r["label:" + own]) for r in differ]) - float(row["value"])) < 1e-3, row
    assert abs(auroc(deviation, [0.5] * len(differ)) - float(row["chance"])) < 1e-3 and float(row["chance"]) == 0.5
    assert float(row["low"]) <= float(row["value"]) <= float(row["high"])
medians = {row["method"]: row for row in cells if row["index"] == "."}
assert set(medians) >= {"bigdna", "kmers", "bigdna-kmers"} and medians["bigdna"]["n"] == "2"
for method in ("bigdna", "kmers"):
    values = [float(row["value"]) for row in outputs if row["method"] == method]
    assert abs(float(medians[method]["value"]) - sum(values) / 2) < 1e-5
found = json.load(open("report1/metrics.json"))
assert found["all_cells"]["bigdna"]["outputs"] == 2 and abs(found["all_cells"]["bigdna"]["auroc_median"]["value"] - float(medians["bigdna"]["value"])) < 1e-5
PY
  bigdna report report1 -o page.html --quiet
  grep -q 'Where cells differ' page.html
  # train writes it, too
  [ -s "$shared/run/cells.tsv" ]
  # and --force knows it as a file of a run
  cp -r "$shared/run" again
  bigdna train "$shared/bins" --preset tiny --networks 1 --steps 2 --batch 2 --window 4000 --no-kmers --no-baseline --precision fp32 -o again --force --quiet >/dev/null
  [ -s again/cells.tsv ]
}

@test "an output that is the same in all cells has 0.5, however good it is in each of them" {
  bigdna train "$shared/bins" --preset tiny --networks 1 --steps 5 --batch 2 --window 4000 --no-kmers --no-baseline --precision fp32 -o same --quiet >/dev/null
  python3 - <<'PY'
import json, struct
path = "same/model/model.safetensors"
with open(path, "r+b") as file:
    size = struct.unpack("<Q", file.read(8))[0]
    arrays = json.loads(file.read(size))
    for name in ("networks.0.head.weight", "networks.0.head.bias"):
        begin, end = arrays[name]["data_offsets"]
        each = (end - begin) // arrays[name]["shape"][0]
        file.seek(8 + size + begin)
        first = file.read(each)
        file.seek(8 + size + begin + each)
        file.write(first)
PY
  bigdna evaluate same "$shared/bins" --precision fp32 --no-baseline --report report --resamples 20 >table.tsv 2>err || { cat err; return 1; }
  awk -F'\t' '$1 == "0" || $1 == "1" {++n; if ($10 != 0.5 || $13 != 0.5) bad = 1} END {exit bad || n != 2}' report/cells.tsv
}

@test "no two cells of one name: no such table, and no line" {
  small_network
  bigdna evaluate run bins --precision fp32 --no-baseline --report report --resamples 20 >table.tsv 2>err || { cat err; return 1; }
  [ ! -e report/cells.tsv ]
  not grep -q "where cells differ" err
}
