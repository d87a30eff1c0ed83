# chromatin and predict --spread: how far networks disagree.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_network
  # a and b: run with its first network twice, and with its second one twice
  cp -r run a
  cp -r run b
  python3 - <<'PY'
import json, struct
for path, source, target in (("a", "networks.0.", "networks.1."), ("b", "networks.1.", "networks.0.")):
    with open(path + "/model/model.safetensors", "r+b") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        arrays = json.loads(file.read(size))
        for name, array in arrays.items():
            if name.startswith(target):
                begin, end = arrays[source + name[len(target):]]["data_offsets"]
                file.seek(8 + size + begin)
                values = file.read(end - begin)
                file.seek(8 + size + array["data_offsets"][0])
                file.write(values)
PY
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
  scores() { bigdna chromatin "$shared/$1" "$TEST_DATA/regions.bed" -g "$genome" --precision fp32 --quiet "${@:2}"; }
}

@test "the spread is the standard deviation of the networks' log-odds, and predictions stay as they are" {
  for model in a b run; do scores $model >$model.tsv; done
  scores run --spread -@ 1 >spread.tsv
  scores run --spread -@ 2 >two.tsv
  same_rows spread.tsv two.tsv
  scores a --spread >same.tsv
  scores a --ensemble "$shared/b" --spread >four.tsv
  python3 - <<'PY'
from math import log, sqrt
def read(path):
    header, *rows = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("##")]
    return [dict(zip(header, row)) for row in rows]
logit = lambda text: log(float(text) / (1 - float(text)))
a, b, run, spread, same, four = map(read, ("a.tsv", "b.tsv", "run.tsv", "spread.tsv", "same.tsv", "four.tsv"))
outputs = [name[len("spread:"):] for name in spread[0] if name.startswith("spread:")]
assert outputs and list(spread[0]) == list(run[0]) + ["spread:" + name for name in outputs]
largest = 0
for of_a, of_b, of_run, row, no, more in zip(a, b, run, spread, same, four, strict=True):
    assert all(row[name] == value for name, value in of_run.items())
    for name in outputs:
        if float(of_a[name]) > 0.9:
            continue  # six digits of a probability near 1 say little of its log-odds
        apart = abs(logit(of_a[name]) - logit(of_b[name]))
        largest = max(largest, apart)
        assert abs(float(row["spread:" + name]) - apart / sqrt(2)) < 2e-5, (row, apart)
        assert abs(float(more["spread:" + name]) - apart / sqrt(3)) < 2e-5
        assert abs(float(no["spread:" + name])) < 1e-6
assert largest > 0.01
PY
}

@test "sequences from stdin, with --parts, as HDF5 and in a report" {
  bigdna predict "$shared/run" "$TEST_DATA/records.fa" --spread --quiet >file.tsv
  bigdna predict "$shared/run" - --spread --quiet <"$TEST_DATA/records.fa" >stdin.tsv
  same_rows file.tsv stdin.tsv
  sed '/^##/d' file.tsv | all_rows '$NF >= 0 || $NF == "."'
  scores run --spread -o table.tsv
  for part in 1 2; do scores run --spread --shard $part/2 -o part$part.h5; done
  bigdna merge part1.h5 part2.h5 -o whole.h5 --quiet
  python=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/peers/bin/python
  if [ -x "$python" ]; then
    "$python" - <<'PY'
import h5py, numpy
header, *rows = [line.rstrip("\n").split("\t") for line in open("table.tsv") if not line.startswith("##")]
columns = [i for i, name in enumerate(header) if name.startswith("spread:")]
text = numpy.array([[float(row[i]) for i in columns] for row in rows], "float32")
assert columns[-1] == len(header) - 1 and (h5py.File("whole.h5")["spread"][:] == text).all() and text.max() > 0
PY
  fi
  bigdna report file.tsv -o page.html --quiet
  not grep -q 'spread:' page.html
}

@test "one network alone has no spread, and tracks hold none" {
  bigdna train "$shared/bins" --preset tiny --networks 1 --steps 2 --batch 2 --window 4000 --precision fp32 --no-baseline --quiet -o alone >/dev/null
  fails 1 "is a single network, so --spread has nothing to compare (--ensemble adds models)" \
    bigdna chromatin alone "$TEST_DATA/regions.bed" -g "$genome" --spread
  fails 2 "--spread adds columns to the table of -o only, not to bigWig" scores run --spread --bigwig tracks
}
