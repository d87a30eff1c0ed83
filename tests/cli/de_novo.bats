# bigdna motifs --de-novo: a network whose weights are set so that one motif raises or lowers its outputs, and nothing else does.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_network
  rm -r run
  bigdna train bins --preset tiny --networks 2 --steps 2 --batch 2 --window 4000 --no-kmers --precision fp32 --no-baseline --quiet -o run >/dev/null
  python3 - run/model/model.safetensors <<'PY'
import json, random, struct, sys
path = sys.argv[1]
data = bytearray(open(path, "rb").read())
size = struct.unpack("<Q", data[:8])[0]
arrays = json.loads(data[8:8 + size])
arrays.pop("__metadata__", None)
def fill(name, values):
    begin, end = arrays[name]["data_offsets"]
    assert end - begin == 4 * len(values), name
    data[8 + size + begin:8 + size + end] = struct.pack(f"<{len(values)}f", *values)
motif = "TGACGTCATTGCG"  # CGCAATGACGTCA on the other strand
for network in range(2):
    filters, four, width = arrays[f"networks.{network}.stages.0.weight"]["shape"]
    weights = [0.0] * (filters * four * width)
    for i, base in enumerate(motif):
        for b in range(4):
            weights[b * width + i + 1] = 1.0 if "ACGT"[b] == base else -1.0
    fill(f"networks.{network}.stages.0.weight", weights)
    fill(f"networks.{network}.stages.0.bias", [-6.0] + [0.0] * (filters - 1))
    fill(f"networks.{network}.stages.0.norm.weight", [3.0] + [0.0] * (filters - 1))
    fill(f"networks.{network}.stages.0.norm.bias", [0.0] * filters)
open(path, "wb").write(data)

random.seed(7)
def sequence(length): return "".join(random.choice("ACGT") for _ in range(length))
def reverse(text): return text[::-1].translate(str.maketrans("ACGT", "TGCA"))
places = open("places.tsv", "w")
with open("records.fa", "w") as records, open("none.fa", "w") as none:
    for i in range(120):
        text = sequence(1000)
        if i % 3:
            at, strand = random.randint(445, 540), random.choice("+-")
            text = text[:at] + (motif if strand == "+" else reverse(motif)) + text[at + len(motif):]
            print(f"r{i}", at, at + len(motif), strand, sep="\t", file=places)
        print(f">r{i}\n{text}", file=records)
        print(f">n{i}\n{sequence(1000)}", file=none)
with open("known.jaspar", "w") as known:
    for name, other, text in (("M1", "one", motif[1:]), ("M2", "other", "AAGGTTCCGA"), ("M3", "third", "CCCGCGGATA")):
        print(f">{name} {other}", file=known)
        for base in "ACGT":
            print(base, "[", *(97 if of == base else 1 for of in text), "]", file=known)
PY
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR
}

rows() { grep -v '^#' "$1"; }
de_novo() { bigdna motifs "$shared/run" --de-novo --features 0 --strands forward --quiet "$@"; }
gradient() { de_novo --method gradient "$@"; }

@test "de novo: the motif, its hits at the places where it stands, and the known motif that it resembles" {
  de_novo "$shared/records.fa" --around 60 -o own.meme --table own.tsv --hits own.bed --known "$shared/known.jaspar" --matches matches.tsv --pictures logos --max-q 0.1 -@ 1
  [ "$(rows own.tsv | wc -l)" = 1 ]
  name=$(rows own.tsv | cut -f1)
  rows own.tsv | all_rows '$3 >= 40 && $3 <= 90 && $4 <= $3 && $5 >= 40 && $9 == "M1" && $10 == "one" && $12 < 1e-3 && ($1 ~ /_pos1$/) == ($8 > 0)'
  rows own.tsv | cut -f6 | grep -E 'GACGTCATT|AATGACGTC'
  grep -x "MOTIF $name one" own.meme
  [ "$(header own.bed)" = $'#chrom\tstart\tend\tname\tscore\tstrand\timportance\tcoefficient\tsimilarity\tbits\tq\tregion' ]
  python3 - own.bed "$shared/places.tsv" own.tsv <<'PY'
import sys
hits = [line.rstrip("\n").split("\t") for line in open(sys.argv[1]) if line[0] != "#"]
places = {line.split("\t")[0]: line.rstrip("\n").split("\t") for line in open(sys.argv[2])}
row = [line.rstrip("\n").split("\t") for line in open(sys.argv[3]) if line[0] != "#"][0]
flipped = "GACGTCATT" not in row[5]
found = 0
for hit in hits:
    assert hit[0] == hit[11] and hit[3] == row[0] and float(hit[10]) <= 0.1 and 300 <= int(hit[4]) <= 1000
    assert (float(hit[6]) > 0) == ("_pos" in row[0])
    if hit[0] in places:
        at, end, strand = int(places[hit[0]][1]), int(places[hit[0]][2]), places[hit[0]][3]
        found += abs(int(hit[1]) - at) <= 4 and abs(int(hit[2]) - end) <= 4 and (hit[5] == strand) != flipped
assert found >= 0.9 * len(hits) and found >= 40, (found, len(hits))
assert int(row[4]) == len(hits)
PY
  rows matches.tsv | cut -f1,2 | grep -x "$name"$'\t'M1
  [ "$(ls logos | wc -l)" = 1 ]
}

@test "de novo: the same from stdin and with two threads, and a motif file that motifs and other programs read" {
  gradient "$shared/records.fa" --around 60 -o one.meme --table one.tsv --hits one.bed -@ 1
  gradient - --around 60 -o two.meme --table two.tsv --hits two.bed -@ 2 <"$shared/records.fa"
  same_files one.meme two.meme
  same_rows one.tsv two.tsv
  same_rows one.bed two.bed
  bigdna motifs "$shared/run" "$shared/none.fa" --known one.meme --matches filters.tsv -o /dev/null --quiet
  rows filters.tsv | cut -f1 | grep -x network0_filter0  # whose weights are the motif
}

@test "de novo: regions of a genome, whose overlaps count once, by gradients" {
  { printf '>c\n'; grep -v '>' "$shared/records.fa" | tr -d '\n'; echo; } >genome.fa
  awk -v OFS='\t' 'BEGIN {for (i = 0; i < 120; ++i) print "c", i * 1000 + 430, i * 1000 + 570}' >once.bed
  awk -v OFS='\t' '{print; $2 += 30; $3 += 30; print}' once.bed >twice.bed
  for name in once twice; do gradient -R $name.bed -g genome.fa --hits $name.hits.bed -o /dev/null; done
  rows once.hits.bed | all_rows '$1 == "c" && $3 > $2'
  python3 - <<'PY'
def places(name): return {tuple(line.split("\t")[1:3]) for line in open(name) if line[0] != "#"}
one, two = places("once.hits.bed"), places("twice.hits.bed")
lines = sum(line[0] != "#" for line in open("twice.hits.bed"))
assert len(two) == lines and 0.8 * len(one) <= len(two) <= 1.3 * len(one), (len(one), len(two), lines)
PY
}

@test "de novo: sequence without the motif has none" {
  bigdna motifs "$shared/run" "$shared/none.fa" --de-novo --features 0 --around 60 --method gradient -o none.meme --table none.tsv --hits none.bed 2>err
  grep -q 'no motif was found' err
  not grep -q MOTIF none.meme
  sed '/^#/d' none.tsv | no_lines
  sed '/^#/d' none.bed | no_lines
}

@test "de novo: what cannot be done" {
  fails 2 "give FASTA, or -g GENOME" bigdna motifs "$shared/run" --de-novo
  fails 2 "--hits, --method have no effect without --de-novo" bigdna motifs "$shared/run" "$shared/none.fa" --hits x.bed --method gradient
  fails 2 "--sites has no effect with --de-novo" de_novo "$shared/none.fa" --sites 10
  fails 2 "--known needs --table or --matches" de_novo "$shared/none.fa" --known "$shared/known.jaspar"
  fails 2 "--steps: only for --method integrated" de_novo "$shared/none.fa" --steps 10
  fails 2 "--max-q" de_novo "$shared/none.fa" --hits x.bed --max-q 2
  fails 2 "x.txt" de_novo "$shared/none.fa" --hits x.txt
  fails 2 "matches none of the" bigdna motifs "$shared/run" "$shared/none.fa" --de-novo --features nothing
  printf '>n\nACGTACGJ\n' >bad.fa
  fails 1 "bad.fa: sequence n, position 8" de_novo bad.fa
  fails 1 "there is no interval to explain" de_novo -R /dev/null -g "$TEST_DATA/genome.fa.gz" -o out.meme
  nothing_but bad.fa
}
