# bigdna motifs on the simulated genome: a very small network, for behaviour, not skill.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_network
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

rows() { grep -v '^#' "$1"; }
motifs() { bigdna motifs "$shared/run" -r chr1:20001-24000 -g "$genome" --quiet "$@"; }

@test "motifs: counted from the best site of each bin, as a script that reads the weights finds it" {
  motifs --sites 12 -o own.meme -@ 1
  motifs --sites 12 -@ 2 >two.meme
  same_files own.meme two.meme
  [ "$(grep -c '^MOTIF' own.meme)" = 128 ]
  samtools faidx "$genome" chr1:19994-24007 >around.fa  # 7 bases on either side
  python3 - "$shared/run/model/model.safetensors" <<'PY'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + size])
def array(name):
    begin, end = header[name]["data_offsets"]
    return header[name]["shape"], struct.unpack(f"<{(end - begin) // 4}f", data[8 + size + begin:8 + size + end])
bases = "".join(line.strip() for line in open("around.fa") if line[0] != ">").upper()
assert len(bases) == 4014
def reverse(text): return text[::-1].translate(str.maketrans("ACGT", "TGCA"))
ours = open("own.meme").read().split("MOTIF ")[1:]
for network, filter in ((0, 5), (1, 40)):
    (filters, four, width), weights = array(f"networks.{network}.stages.0.weight")
    assert (filters, four, width) == (64, 4, 15)
    score = lambda site: sum(weights[(filter * 4 + "ACGT".index(base)) * 15 + i] for i, base in enumerate(site))
    best = []
    for bin in range(20):
        text = bases[200 * bin:200 * bin + 214]
        best.append(max((strand[i:i + 15] for strand in (text, reverse(text)) for i in range(200)), key=score))
    best = sorted(best, key=score)[-12:]
    expected = [[sum(site[i] == base for site in best) / 12 for base in "ACGT"] for i in range(15)]
    lines = ours[network * 64 + filter].strip().split("\n")
    assert lines[0] == f"network{network}_filter{filter}" and "nsites= 12" in lines[1]
    found = [[float(x) for x in line.split()] for line in lines[2:17]]
    assert max(abs(a - b) for x, y in zip(expected, found) for a, b in zip(x, y)) < 1e-5
PY
}

@test "motifs: regions that are no multiple of a bin long, or overlap, give no site twice and none from outside" {
  printf 'chr1\t20000\t20250\nchr1\t20100\t20350\nchr1\t20000\t20250\n' >regions.bed
  bigdna motifs "$shared/run" -R regions.bed -g "$genome" --sites 100 --quiet -o found.meme
  samtools faidx "$genome" chr1:19994-20357 >around.fa  # 7 bases on either side
  python3 - "$shared/run/model/model.safetensors" <<'PY'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + size])
begin, end = header["networks.0.stages.0.weight"]["data_offsets"]
weights = struct.unpack(f"<{(end - begin) // 4}f", data[8 + size + begin:8 + size + end])
bases = "".join(line.strip() for line in open("around.fa") if line[0] != ">").upper()
def reverse(text): return text[::-1].translate(str.maketrans("ACGT", "TGCA"))
def score(filter, site): return sum(weights[(filter * 4 + "ACGT".index(base)) * 15 + i] for i, base in enumerate(site))
fewer = 0
ours = open("found.meme").read().split("MOTIF ")[1:]
for filter in range(40):
    places = {}
    for start in (0, 50, 100, 150):  # the bins of 0-250 and 100-350: the last of each ends where its region ends
        strands = [(reverse(bases[i:i + 15]) if back else bases[i:i + 15], i) for back in (0, 1) for i in range(start, start + 200)]
        site, at = max(strands, key=lambda item: score(filter, item[0]))
        places[at] = site
    fewer += len(places) < 4
    expected = [[sum(site[i] == base for site in places.values()) / len(places) for base in "ACGT"] for i in range(15)]
    lines = ours[filter].strip().split("\n")
    assert f"nsites= {len(places)} " in lines[1] + " ", (filter, lines[1], places)
    found = [[float(x) for x in line.split()] for line in lines[2:17]]
    assert max(abs(a - b) for x, y in zip(expected, found) for a, b in zip(x, y)) < 1e-5, filter
assert fewer > 5
PY
}

@test "motifs: a table of what filters add to features, logos, and the same with two threads" {
  motifs --table one.tsv --bins 3 --pictures logos -@ 1 -o /dev/null
  motifs --table two.tsv --bins 3 -@ 2 -o /dev/null
  same_rows one.tsv two.tsv
  [ "$(rows one.tsv | wc -l)" = 128 ]
  [ "$(header one.tsv | cut -f1-5)" = "$(printf '#motif\tsites\tinformation\tconsensus\tserves')" ]
  motifs --table three.tsv --bins 3 --seed 2 -o /dev/null
  not cmp -s <(rows one.tsv) <(rows three.tsv)
  motifs --table chosen.tsv --bins 3 --features DNase -o /dev/null
  diff <(rows chosen.tsv | cut -f1-4) <(rows one.tsv | cut -f1-4)
  [ "$(rows chosen.tsv | awk -F'\t' '{print NF}' | uniq)" = 6 ]
  [ "$(ls logos | wc -l)" = 128 ]
  grep -q '<path' logos/network0_filter0.svg
  # a report ranks the logos by the table
  bigdna report logos one.tsv -o r.html
  python3 - r.html one.tsv <<'PY'
import csv, json, re, sys
items = json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', open(sys.argv[1]).read(), re.S)[1])["items"]
table = list(csv.DictReader((line.lstrip("#") for line in open(sys.argv[2]) if not line.startswith("##")), delimiter="\t"))
effects = {row["motif"]: abs(float(row[row["serves"]])) for row in table}
shown = [effects[row[0]] for row in items[0]["sections"][0]["rows"]]
assert shown == sorted(effects.values(), reverse=True)[:24], shown
assert items[1]["sections"][0]["title"] == "Motifs with the largest effects"
PY
}

@test "motifs: known ones are found, on either strand and shifted" {
  motifs -o own.meme
  python3 - <<'PY'
text = open("own.meme").read().split("MOTIF ")
rows = text[1 + 7].strip().split("\n")[2:]
with open("known.jaspar", "w") as file:  # the 8th filter's, reversed, without its first two columns
    columns = [[float(x) for x in row.split()][::-1] for row in rows[2:]][::-1]
    file.write(">M1 eighth\n")
    for base in range(4):
        file.write("ACGT"[base] + " [ " + " ".join(str(round(1000 * column[base])) for column in columns) + " ]\n")
open("rest.meme", "w").write("MOTIF ".join(text[:1] + text[30:60]))
PY
  motifs --known known.jaspar --matches matches.tsv -o /dev/null
  [ "$(rows matches.tsv | grep '^network0_filter7' | cut -f2-6)" = "$(printf 'M1\teighth\t-\t-2\t13')" ]
  rows matches.tsv | grep '^network0_filter7' | awk -F'\t' '$7 < 0.01 && $8 > 0.99 && $10 < 1e-3 {found = 1} END {exit !found}'
  motifs --known rest.meme --matches all.tsv -o /dev/null
  rows all.tsv | awk -F'\t' '$1 == $2 && $4 == "+" && $5 == 0 && $6 == 15 {++n} END {exit n != 30}'
}

@test "motifs: what cannot be done" {
  fails 2 "give FASTA, or -g GENOME" bigdna motifs "$shared/run"
  fails 2 "--matches" motifs --known x.meme
  printf 'MOTIF a\nletter-probability matrix: w= 1\n0.5 0.5 0.5 0.5\n' >bad.meme
  fails 1 "bad.meme:3: the probabilities add up to 2, not to 1" motifs --known bad.meme --matches m.tsv -o out.meme
  fails 1 "own.fa: is the input own.fa itself" bash -c ": >own.fa; bigdna motifs $shared/run own.fa -o own.fa --quiet"
  printf '>n\nNNNN\n' >n.fa
  fails 1 "there are no bases to read" bigdna motifs "$shared/run" n.fa -o out.meme --quiet
  bases() { samtools faidx "$genome" "$1" | sed 1d | tr -d '\n'; }
  { printf '>c\n'; bases chr1:20001-27000; printf 'N%.0s' {1..1000}; bases chr1:30001-37000; echo; } >gap.fa
  fails 1 "no filter has a site in 5 bins, which are N: nothing is written" bigdna motifs "$shared/run" -r c:7001-8000 -g gap.fa -o out.meme --quiet
  nothing_but bad.meme own.fa n.fa gap.fa gap.fa.fai
}
