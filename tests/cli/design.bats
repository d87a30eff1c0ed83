# bigdna design on the simulated genome: a very small network, for behaviour, not skill.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_network
  printf 'chr1\t20000\t20060\tfirst\nchr1\t30000\t30060\tsecond\n' >regions.bed
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

rows() { grep -v '^#' "$1"; }
design() { bigdna design "$shared/run" -R "$shared/regions.bed" -g "$genome" --raise DNase --quiet "$@"; }

@test "design: predict of the written sequences gives the changes of the table, and greedy takes the best substitution of explain" {
  design --edits 3 --keep CTCF --table steps.tsv --picture steps.svg -o designed.fa
  grep -q '</svg>' steps.svg
  while read -r chrom start end name; do
    samtools faidx "$genome" "$chrom:$(((start + end) / 2 - 6699))-$(((start + end) / 2 + 6700))" | sed "1s/.*/>$name/"
  done <"$shared/regions.bed" >original.fa
  for which in original designed; do
    bigdna predict "$shared/run" $which.fa --strands average --precision fp32 -o $which.tsv --quiet
  done
  bigdna explain "$shared/run" -R "$shared/regions.bed" -g "$genome" --method mutagenesis --features DNase --substitutions substitutions.tsv -o explained.tsv --quiet
  design --edits 1 --table first.tsv -o first.fa
  python3 - <<'PY'
import math, re
def table(path):
    lines = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("##")]
    return [dict(zip([lines[0][0].lstrip("#")] + lines[0][1:], line)) for line in lines[1:]]
def records(path):
    found = {}
    for entry in open(path).read().split(">")[1:]:
        header, sequence = entry.split("\n", 1)
        found[header.split()[0]] = (dict(part.split("=", 1) for part in header.split()[1:]), sequence.replace("\n", "").upper())
    return found
logit = lambda p: math.log(p / (1 - p))
original, designed, steps = records("original.fa"), records("designed.fa"), table("steps.tsv")
before = {row["name"]: row for row in table("original.tsv")}
after = {row["name"]: row for row in table("designed.tsv")}
assert set(designed) == {"first", "second"}
kept = ["change:CTCF|SimCell"]
for name in designed:
    about, sequence = designed[name]
    first, last = map(int, about["bases"].split("-"))
    assert len(sequence) == 13400 == last - first + 1
    mine = [row for row in steps if row["name"] == name]
    assert [int(row["step"]) for row in mine] == list(range(len(mine))) and mine[0]["substitutions"] == "."
    values = [float(row["value"]) for row in mine]
    assert values == sorted(values) and values[0] == 0 and values[-1] > max(0, float(mine[-1]["chance"]))
    end = mine[-1]
    assert end["substitutions"] == about["substitutions"] and end["edits"] == about["edits"] and int(end["edits"]) <= 3
    edited = list(original[name][1])
    for text in end["substitutions"].split(","):
        old, position, new = re.fullmatch(r"([ACGT])(\d+)([ACGT])", text).groups()
        at = int(position) - first
        assert edited[at] == old
        edited[at] = new
    assert "".join(edited) == sequence
    change = {key: logit(float(after[name][key[7:]])) - logit(float(before[name][key[7:]])) for key in end if key.startswith("change:")}
    for key, number in change.items():
        assert abs(number - float(end[key])) < 2e-3, (key, number, end[key])
    value = float(end["change:DNase|SimCell"]) - sum(abs(float(end[key])) for key in kept) / len(kept)
    assert abs(value - float(end["value"])) < 1e-4
    # the first greedy step without --keep is the largest change that explain finds
    step = [row for row in table("first.tsv") if row["name"] == name][-1]
    assert abs(float(step["value"]) - max(float(row["DNase|SimCell"]) for row in table("substitutions.tsv") if row["name"] == name)) < 1e-4
PY
}

@test "design: of a region near either end of its contig, predict of the written window gives the last step, too" {
  length=$(samtools faidx "$genome" chr1 | grep -v '>' | tr -d '\n' | wc -c)
  printf 'chr1\t4100\t4300\tstart\nchr1\t%d\t%d\tend\n' $((length - 200)) "$length" >ends.bed
  bigdna design "$shared/run" -R ends.bed -g "$genome" --raise DNase --edits 2 --random 2 --table steps.tsv -o designed.fa --quiet
  bigdna predict "$shared/run" designed.fa --strands average --precision fp32 -o designed.tsv --quiet
  # the same windows without edits
  python3 - "$genome" ends.bed <<'PY'
import gzip, sys
records = gzip.open(sys.argv[1], "rt").read().split(">")[1:]
bases = next("".join(record.split("\n")[1:]) for record in records if record.split()[0] == "chr1")
with open("original.fa", "w") as out:
    for line in open(sys.argv[2]):
        _, start, end, name = line.split()
        first = (int(start) + int(end)) // 2 - 6700
        window = "".join(bases[i] if 0 <= i < len(bases) else "N" for i in range(first, first + 13400))
        print(f">{name}\n{window}", file=out)
PY
  bigdna predict "$shared/run" original.fa --strands average --precision fp32 -o original.tsv --quiet
  python3 - "$length" <<'PY'
import math, sys
def table(path):
    lines = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("##")]
    return [dict(zip([lines[0][0].lstrip("#")] + lines[0][1:], line)) for line in lines[1:]]
logit = lambda p: math.log(p / (1 - p))
before, after = ({row["name"]: row for row in table(path)} for path in ("original.tsv", "designed.tsv"))
last = {row["name"]: row for row in table("steps.tsv")}
assert set(last) == {"start", "end"}
for name, row in last.items():
    assert float(row["value"]) > 0
    change = logit(float(after[name]["DNase|SimCell"])) - logit(float(before[name]["DNase|SimCell"]))
    assert abs(change - float(row["value"])) < 2e-3, (name, change, row)
for entry in open("designed.fa").read().split(">")[1:]:
    header, sequence = entry.split("\n", 1)
    sequence = sequence.replace("\n", "")
    assert len(sequence) == 13400
    first, end = map(int, header.split("bases=")[1].split()[0].split("-"))
    assert 1 <= first and end <= int(sys.argv[1]) and sequence.count("N") >= 13400 - (end - first + 1) > 2000
PY
}

@test "design: letters other than A, C, G and T are read and written as N" {
  samtools faidx "$genome" chr1:20001-20300 | sed '2s/^..../RYAC/' >codes.fa
  bigdna design "$shared/run" codes.fa --raise DNase --edits 1 --random 1 --quiet | sed -n 2p | grep -q '^NN'
}

@test "design: the output depends on the seed, not on threads; records and stdin" {
  samtools faidx "$genome" chr1:20001-20300 >one.fa
  of() { bigdna design "$shared/run" --raise DNase --lower CTCF --edits 4 --around 20 --method evolve --population 6 --generations 4 --quiet "$@"; }
  of one.fa -o one.out --table one.tsv -@ 1
  of - -@ 2 --table two.tsv <one.fa >two.out
  cmp one.out two.out
  same_rows one.tsv two.tsv
  of one.fa --seed 2 -o other.out --table other.tsv
  not cmp -s one.out other.out
  [ "$(rows one.tsv | wc -l)" = 5 ]
  [ "$(grep -v '>' one.out | tr -d '\n' | wc -c)" = 300 ]
  # only 20 bases on either side of the middle are edited
  rows one.tsv | cut -f5 | tr ',' '\n' | sed 's/[A-Z]*//g' | all_rows '$1 == "." || ($1 >= 131 && $1 <= 170)'
}

@test "design: what cannot be done" {
  fails 2 "give --raise or --lower" bigdna design "$shared/run" -R "$shared/regions.bed" -g "$genome"
  fails 2 "DNase|SimCell: --raise and --keep both choose it" design --keep DNase
  fails 2 "--population: only with --method evolve" design --population 4
  fails 2 "--lower" design --lower nothing
  fails 2 "give FASTA, or -g GENOME" bigdna design "$shared/run" --raise DNase
  fails 1 "absent.fa" bigdna design "$shared/run" absent.fa --raise DNase --quiet
  : >empty.bed
  fails 1 "empty.bed" bigdna design "$shared/run" -R empty.bed -g "$genome" --raise DNase --quiet
  fails 2 "steps.tsv: two outputs" design --table steps.tsv -o steps.tsv
  nothing_but empty.bed
}
