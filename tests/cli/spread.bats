# --spread of chromatin, predict and variants: how far networks disagree.
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
  scores() { bigdna chromatin "$shared/$1" "${regions:-$TEST_DATA/regions.bed}" -g "$genome" --precision fp32 --quiet "${@:2}"; }
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

@test "alleles: SPREAD is the standard deviation of the networks' LOGIT, in TSV, VCF, BCF, --table and a report" {
  {
    printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    for position in 20010 30020 40000; do
      ref=$(samtools faidx "$genome" chr1:$position-$position | sed 1d | tr a-z A-Z)
      printf 'chr1\t%d\tv%d\t%s\t%s,%sAC\t.\t.\t.\n' $position $position $ref "$(echo $ref | tr ACGT CGTA)" $ref
    done
  } >some.vcf
  alleles() { bigdna variants "$shared/$1" "${input:-some.vcf}" -g "$genome" --precision fp32 --quiet "${@:2}"; }
  for model in a b; do alleles $model --effects LOGIT -o $model.tsv; done
  alleles run --effects LOGIT -o run.tsv
  alleles run --effects LOGIT --spread -o spread.tsv --table top.tsv -@ 1
  alleles run --effects LOGIT,SPREAD -o two.tsv -@ 2
  same_rows spread.tsv two.tsv
  alleles a --effects LOGIT --ensemble "$shared/b" --spread -o four.tsv
  alleles run --effects LOGIT --spread --reach 400 -o far.tsv
  input=- alleles run --effects LOGIT --spread --top 0 -o spread.vcf <some.vcf
  alleles run --effects LOGIT --spread --top 0 -o spread.bcf
  same_files <(bcftools view -H spread.vcf) <(bcftools view -H spread.bcf)
  python3 - <<'PY'
from math import sqrt
def read(path):
    header, *rows = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("##")]
    return [dict(zip([name.lstrip("#") for name in header], row)) for row in rows]
a, b, run, spread, four, far = map(read, ("a.tsv", "b.tsv", "run.tsv", "spread.tsv", "four.tsv", "far.tsv"))
outputs = [name[len("SPREAD:"):] for name in spread[0] if name.startswith("SPREAD:")]
assert len(outputs) == sum(name.startswith("LOGIT:") for name in run[0]) and len(spread) == 6
largest = 0
for of_a, of_b, of_run, row, more, reach in zip(a, b, run, spread, four, far, strict=True):
    assert all(row[name] == value for name, value in of_run.items())
    for name in outputs:
        apart = abs(float(of_a["LOGIT:" + name]) - float(of_b["LOGIT:" + name]))
        largest = max(largest, apart)
        assert abs(float(row["SPREAD:" + name]) - apart / sqrt(2)) < 2e-5, (row, apart)
        assert abs(float(more["SPREAD:" + name]) - apart / sqrt(3)) < 2e-5
        assert float(reach["SPREAD:" + name]) >= 0
assert largest > 1e-3
place = lambda row: (row["pos"], row["alt"])
of = {place(row): row for row in spread}
top = read("top.tsv")
assert len(top) == 6 and all(row["spread"] == of[place(row)]["SPREAD:" + row["output"]] for row in top)
keys = [line for line in open("spread.vcf") if line.startswith("##INFO=<ID=BIGDNA_SPREAD_")]
assert len(keys) == len(outputs) and all("standard deviation among networks of logit p(alt) - logit p(ref)" in key for key in keys)
PY
  # it has no percentile
  BIGDNA_CACHE=$PWD/cache alleles run --effects LOGIT --spread --null 50 -o null.tsv
  header null.tsv | tr '\t' '\n' >names
  grep -q '^LOGIT_percentile:' names
  not grep -q 'SPREAD_percentile' names
  BIGDNA_CACHE=$PWD/cache alleles run --effects SPREAD,LOGIT --null 50 -o swapped.tsv
  same_files <(grep -v '^##' null.tsv | cut -f10-15 | sort) <(grep -v '^##' swapped.tsv | cut -f13-18 | sort)
  bigdna report spread.tsv spread.vcf -o page.html --quiet
  grep -q 'SPREAD' page.html
  alone
  fails 1 "does not have several networks, so --spread has nothing to compare" bigdna variants alone some.vcf -g "$genome" --spread -o x.tsv
}

@test "tracks: a bigWig of the spread beside each output's, merged from parts, too; a report's table of outputs has its mean" {
  printf 'chr1\t%d\t%d\n' 20000 20400 30000 30200 50000 50100 >some.bed
  regions=some.bed
  scores run --spread -o table.tsv --bigwig tracks
  [ "$(ls tracks/*.spread.bw | wc -l)" = "$(ls tracks/*.bw | grep -vc spread)" ]
  scores run --bigwig plain
  same_files <(cd tracks && ls | grep -v spread) <(ls plain)
  for part in 1 2; do scores run --spread --shard $part/2 --bigwig part$part; done
  bigdna merge part1 part2 -o whole --quiet
  same_files <(ls tracks) <(ls whole)
  python=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/peers/bin/python
  if [ -x "$python" ]; then
    "$python" - <<'PY'
import glob, pyBigWig
header, *rows = [line.rstrip("\n").split("\t") for line in open("table.tsv") if not line.startswith("##")]
columns = [i for i, name in enumerate(header) if name.startswith("spread:")]
for folder in ("tracks", "whole"):
    files = sorted(glob.glob(folder + "/*.spread.bw"), key=lambda path: int(path.split("/")[1].split("_")[0]))
    assert len(files) == len(columns)
    for column, path in zip(columns, files):
        track = pyBigWig.open(path)
        for row in rows:
            if int(row[2]) > int(row[1]):
                assert abs(track.values(row[0], int(row[1]), int(row[1]) + 1)[0] - float(row[column])) < 1e-6
PY
  fi
  bigdna report table.tsv -o page.html --quiet
  grep -q 'spread of the highest' page.html
}

alone() {
  bigdna train "$shared/bins" --preset tiny --networks 1 --steps 2 --batch 2 --window 4000 --precision fp32 --no-baseline --quiet -o alone >/dev/null
}

@test "one network alone has no spread" {
  alone
  fails 1 "does not have several networks, so --spread has nothing to compare (--ensemble adds models)" \
    bigdna chromatin alone "$TEST_DATA/regions.bed" -g "$genome" --spread
  fails 2 "--parts adds columns to the table of -o only, not to bigWig" scores run --parts --bigwig tracks
}
