# bigdna marginalize on the simulated genome: a very small network, for behaviour, not skill.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_network --start-sites "$TEST_DATA/tss.bed"
  printf 'MOTIF one\nletter-probability matrix: w= 3\n1 0 0 0\n0 1 0 0\n0 0.3 0.7 0\n\nMOTIF two\nletter-probability matrix: w= 2\n0 0 0 1\n0.5 0.5 0 0\n' >motifs.meme
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

rows() { grep -v '^#' "$1"; }
marginalize() { bigdna marginalize "$shared/run" "$shared/motifs.meme" -r chr1:20001-20200 -g "$genome" --quiet "$@"; }

@test "marginalize: changes are those of edited sequences that are predicted" {
  for at in 20000 30000 41000; do samtools faidx "$genome" "chr1:$((at + 1))-$((at + 13400))"; done >given.fa
  bigdna marginalize "$shared/run" "$shared/motifs.meme" given.fa --background given --distances 4,11 -o changes.tsv --quiet
  python3 - <<'PY'
records = [entry.split("\n", 1) for entry in open("given.fa").read().split(">")[1:]]
records = [(name, sequence.replace("\n", "").upper()) for name, sequence in records]
assert all(len(sequence) == 13400 for _, sequence in records)
def strand(bases, sign): return bases if sign == "+" else bases[::-1].translate(str.maketrans("ACGT", "TGCA"))
consensus = {"one": "ACG", "two": "TA"}
cases = [(m, s, "", "", 0) for m in consensus for s in "+-"]
cases += [(a, s, b, t, d) for a, b in (("one", "one"), ("one", "two"), ("two", "two")) for d in (4, 11) for s in "+-" for t in "+-"]
with open("edited.fa", "w") as file:
    for n, (name, sequence) in enumerate(records):
        file.write(f">{n}.original\n{sequence}\n")
        for i, (a, s, b, t, d) in enumerate(cases):
            first, second = strand(consensus[a], s), strand(consensus.get(b, ""), t)
            start = (13400 - len(first) - d - len(second)) // 2
            behind = start + len(first) + d
            with_first = sequence[:start] + first + sequence[start + len(first):]
            both = with_first[:behind] + second + with_first[behind + len(second):]
            only_second = sequence[:behind] + second + sequence[behind + len(second):]
            for kind, bases in (("both", both), ("first", with_first), ("second", only_second)):
                file.write(f">{n}.{i}.{kind}\n{bases}\n")
open("cases.tsv", "w").writelines("\t".join(map(str, case)) + "\n" for case in cases)
PY
  bigdna predict "$shared/run" edited.fa --strands average --precision fp32 -o predicted.tsv --quiet
  python3 - <<'PY'
import math
logit = lambda p: math.log(p / (1 - p))
header = [line for line in open("predicted.tsv") if line[0] == "#" and line[1] != "#"][0].strip().split("\t")
first = header.index("strand") + 1
features = header[first:]
predicted = {cells[0]: [logit(float(x)) for x in cells[first:]] for cells in
             (line.rstrip("\n").split("\t") for line in open("predicted.tsv") if line[0] != "#")}
cases = [line.rstrip("\n").split("\t") for line in open("cases.tsv")]
rows = [line.rstrip("\n").split("\t") for line in open("changes.tsv") if line[0] != "#"]
assert len(rows) == len(cases) * len(features) == 28 * len(features)
largest = 0
for i, (a, s, b, t, d) in enumerate(cases):
    for f, feature in enumerate(features):
        row = rows[i * len(features) + f]
        assert row[:7] == [a, s, b or ".", t or ".", d if b else ".", feature, "3"], row
        change = lambda kind: [predicted[f"{n}.{i}.{kind}"][f] - predicted[f"{n}.original"][f] for n in range(3)]
        both = change("both")
        mean = sum(both) / 3
        half = 1.96 * (sum((x - mean) ** 2 for x in both) / 2 / 3) ** 0.5
        expected = [mean, mean - half, mean + half]
        assert max(abs(float(x) - y) for x, y in zip(row[7:10], expected)) < 1e-3, (row, expected)  # probabilities have six decimals
        largest = max(largest, abs(mean))
        if b:
            together = sum(x - y - z for x, y, z in zip(both, change("first"), change("second"))) / 3
            assert abs(float(row[13]) - together) < 1e-3
        else:
            assert row[13:] == [".", ".", "."]
assert largest > 5e-2
PY
}

@test "marginalize: shuffled backgrounds depend on the seed alone, not on threads" {
  marginalize --sequences 5 -o one.tsv -@ 1
  marginalize --sequences 5 -@ 2 >two.tsv
  same_rows one.tsv two.tsv
  marginalize --sequences 5 --seed 2 >other.tsv
  not cmp -s <(rows one.tsv) <(rows other.tsv)
  marginalize --sequences 5 --instances drawn >drawn.tsv
  diff <(rows drawn.tsv | cut -f1-7) <(rows one.tsv | cut -f1-7)
  not cmp -s <(rows one.tsv) <(rows drawn.tsv)
  marginalize --sequences 1 --features DNase -o single.tsv
  [ "$(rows single.tsv | cut -f6 | uniq)" = "DNase|SimCell" ]
  [ "$(rows single.tsv | cut -f9,10 | tr '\t' '\n' | sort -u)" = . ]
}

@test "marginalize: of more regions than sequences, some are drawn by the seed, and not the first" {
  for start in $(seq 20000 500 39500); do printf 'chr1\t%d\t%d\n' "$start" $((start + 200)); done >many.bed
  head -5 many.bed >first.bed
  of() { bigdna marginalize "$shared/run" "$shared/motifs.meme" -R "$1" -g "$genome" --sequences 5; }
  of many.bed >drawn.tsv 2>err
  grep -q "5 of 40 regions are drawn by --seed" err
  of many.bed >again.tsv 2>/dev/null
  same_rows drawn.tsv again.tsv
  of first.bed >first.tsv 2>err
  not same_rows drawn.tsv first.tsv
  not grep -q "are drawn" err
}

@test "marginalize: names of motifs keep their brackets, and equal ones are pointed out" {
  printf '>HOX[A1] first\nA [ 2 90 ]\nC [ 2 4 ]\nG [ 2 4 ]\nU [ 94 2 ]\n>HOX[A2]\n90 1\n4 1\n4 97\n2 1\n>HOX[A2]\n1\n0\n0\n0\n' >hox.jaspar
  bigdna marginalize "$shared/run" hox.jaspar -r chr1:20001-20200 -g "$genome" --features 0 -o x.tsv 2>err
  [ "$(rows x.tsv | cut -f1 | uniq | tr '\n' ' ')" = "HOX[A1] HOX[A2] " ]
  grep "warning: hox.jaspar: 1 name is used by several motifs, which cannot be distinguished in the output: HOX\[A2\]" err
}

@test "marginalize: what cannot be done" {
  fails 2 "give FASTA, or -g GENOME" bigdna marginalize "$shared/run" "$shared/motifs.meme"
  fails 2 "--sequences: with --background given" marginalize --background given --sequences 4
  fails 1 "one and one take more than the 13400 bp that the model reads" marginalize --distances 13395 -o x.tsv
  printf 'nothing\n' >bad.meme
  fails 1 "bad.meme: has no motif" bigdna marginalize "$shared/run" bad.meme -r chr1:20001-20200 -g "$genome" -o x.tsv --quiet
  fails 2 "x.h5" marginalize -o x.h5
  of_motifs() { bigdna marginalize "$shared/run" "$1" -r chr1:20001-20200 -g "$genome" -o x.tsv --quiet; }
  sed 's/w= 3/w= 2/' "$shared/motifs.meme" >cut.meme
  fails 1 "cut.meme:5: one has w= 2, but its matrix goes on" of_motifs cut.meme
  printf '>TF\n2 2 94 2\n94 2 2 2\n2 94 2 2\n2 2 2 94\n' >four.pcm
  fails 1 "four.pcm:5: TF has four lines of four numbers. Each line and each column adds up to nearly the same" of_motifs four.pcm
  nothing_but bad.meme cut.meme four.pcm
}
