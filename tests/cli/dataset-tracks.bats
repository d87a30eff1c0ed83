# bigdna dataset chromatin --tracks: counts of each bin beside labels, and bad tables of tracks.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  # simulated fragments on all contigs but one, in BEDPE of MACS3, as a fragment file with barcodes, and as a bigWig
  python3 - <<'PY'
import random
random.seed(5)
lengths = {}
import gzip, os
for line in gzip.open(os.environ["TEST_DATA"] + "/genome.fa.gz", "rt"):
    if line[0] == ">": name = line[1:].split()[0]; lengths[name] = 0
    else: lengths[name] += len(line.strip())
with open("sizes.tsv", "w") as out:
    for name, length in lengths.items(): print(name, length, sep="\t", file=out)
with open("fragments.bed", "w") as bed, open("fragments.tsv", "w") as cells:
    for i in range(20000):
        name = random.choice(["chr1", "chr2", "chr3", "chrX"])
        length = random.randint(30, 300)
        start = random.randrange(lengths[name] - length)
        print(name, start, start + length, sep="\t", file=bed)
        print(name, start, start + length, random.choice(["AA-1", "CC-1", "GG-1"]), random.randint(1, 3), sep="\t", file=cells)
PY
  bigdna coverage fragments.bed --chrom-sizes sizes.tsv -o signal.bw --quiet
  printf 'barcode\tgroup\nAA-1\tb\nCC-1\tt\n' >cells.tsv
  sed "s|\t|\t|; 2,\$s|^|$TEST_DATA/|" "$TEST_DATA/peaks.tsv" >peaks.tsv
  {
    printf 'file\tname\tassay\tgroup\tcount\tstrand\tshift\tfragment_length\tduplicates\tbarcodes\tbarcode_group\tscale\n'
    printf 'fragments.bed\tcuts\tATAC\tDHS\tcuts\t+\t4,-5\t\t\t\t\t\n'
    printf 'fragments.bed\tcuts\tATAC\tDHS\tcuts\t-\t4,-5\t\t\t\t\t\n'
    printf 'fragments.bed\tfree\tATAC\t\tmidpoints\t\t\t0-100\t\t\t\t\n'
    printf 'fragments.tsv\tb\tscATAC\t\tstarts\t\t\t\tkeep\tcells.tsv\tb\t0.5\n'
    printf 'signal.bw\tsignal\t\t\t\t\t\t\t\t\t\t\n'
  } >tracks.tsv
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

build() { bigdna dataset chromatin -g "$genome" --upstream 0 --downstream 0 --test chr2,chr3 --validation chrX "$@"; }

@test "tracks: counts of each bin beside the labels of peaks" {
  build --tracks "$shared/tracks.tsv" --peaks "$shared/peaks.tsv" -o both -@1 --quiet
  build --tracks "$shared/tracks.tsv" --peaks "$shared/peaks.tsv" -o two -@2 --quiet
  build --peaks "$shared/peaks.tsv" --keep all -o peaks --quiet
  same_files both/labels.safetensors two/labels.safetensors
  same_files both/regions.bed.gz two/regions.bed.gz peaks/regions.bed.gz
  golden dataset_tracks_features cat both/features.tsv
  python3 - "$shared" <<'PY'
import gzip, json, struct, sys, array
def load(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return {k: (v["shape"], v["dtype"], data[8 + size + v["data_offsets"][0]:8 + size + v["data_offsets"][1]]) for k, v in header.items() if k != "__metadata__"}
both, peaks = load("both/labels.safetensors"), load("peaks/labels.safetensors")
assert both["labels"] == peaks["labels"] and "counts" not in peaks
shape, dtype, data = both["counts"]
counts = array.array("f", data)
rows = [line.split("\t") for line in gzip.open("both/regions.bed.gz", "rt") if line[0] != "#"]
assert dtype == "F32" and shape == [len(rows), 5], (dtype, shape)
places = {(row[0], int(row[1])): i for i, row in enumerate(rows)}
wanted = [0.0] * len(counts)
def add(track, contig, position, value):
    place = places.get((contig, position // 200 * 200))
    if place is not None and position >= 0: wanted[5 * place + track] += value
for line in open(sys.argv[1] + "/fragments.tsv"):
    contig, start, end, barcode, count = line.split()
    start, end, count = int(start), int(end), int(count)
    add(0, contig, start + 4, 1)
    add(1, contig, end - 1 - 5, 1)
    if end - start <= 100: add(2, contig, start + (end - start) // 2, 1)
    if barcode == "AA-1": add(3, contig, start, count / 2)
    for at in range(start, end): add(4, contig, at, 1)
assert list(counts) == wanted
tracks = json.load(open("both/dataset.json"))["tracks"]
assert [t["counted"] for t in tracks[:2]] == [20000, 20000] and tracks[4]["counted"] == 0 and tracks[3]["factor"] == 0.5
assert abs(tracks[0]["mean"] - sum(counts[0::5]) / len(rows)) < 1e-6
PY
}

@test "tracks: alone, drawn bins, excluded regions" {
  build --tracks "$shared/tracks.tsv" -o alone --quiet
  build --tracks "$shared/tracks.tsv" -o drawn --max-bins 500 --quiet
  printf 'chr1\t0\t100000\n' >blacklist.bed
  build --tracks "$shared/tracks.tsv" -o excluded --exclude blacklist.bed --quiet
  [ "$(of_json alone/dataset.json 'keep')" = '"all"' ]
  python3 - <<'PY'
import gzip, json, struct
def load(folder):
    data = open(folder + "/labels.safetensors", "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    place = json.loads(data[8:8 + size])["counts"]["data_offsets"]
    values = data[8 + size + place[0]:8 + size + place[1]]
    rows = [tuple(line.split("\t")[:2]) for line in gzip.open(folder + "/regions.bed.gz", "rt") if line[0] != "#"]
    assert len(values) == 20 * len(rows)
    return {row: values[20 * i:20 * i + 20] for i, row in enumerate(rows)}
alone = load("alone")
outside = sum(contig != "chr1" or int(start) >= 100000 for contig, start in alone)
assert 0 < outside < len(alone)
for folder, rows in (("drawn", 500), ("excluded", outside)):
    part = load(folder)
    assert len(part) == rows and all(alone[row] == values for row, values in part.items()), folder
PY
  bigdna info alone >info.txt
  grep -q 'tracks *5 entries' info.txt
  bigdna report alone -o alone.html --quiet
  [ -s alone.html ]
}

@test "tracks: tables and files that cannot be read" {
  sizes=$shared/sizes.tsv
  bad() {  # TEXT ROW...
    local text=$1
    shift
    printf '%b\n' "$@" >bad.tsv
    fails 1 "$text" build --tracks bad.tsv -o out --quiet
  }
  cp "$shared"/fragments.* "$shared/cells.tsv" .
  bad "bad.tsv:1: no column may be called 'min-mapq'; columns are file, name, cell, assay, group, count, unit" 'file\tname\tmin-mapq' 'fragments.bed\ta\t3'
  bad "bad.tsv:2: ./none.bam: no such file" 'file\tname' './none.bam\ta'
  bad "bad.tsv:2: count 'cut' is not one of coverage, starts, ends, cuts, midpoints" 'file\tname\tcount' 'fragments.bed\ta\tcut'
  bad "bad.tsv:3: track a (cell -, assay -, strand .) is named twice" 'file\tname' 'fragments.bed\ta' 'fragments.tsv\ta'
  bad "fragments.bed: track a: holds fragments (intervals without a strand): extend is for reads" 'file\tname\textend' 'fragments.bed\ta\t9'
  bad "cells.tsv: has no barcode of group x (b, t)" 'file\tname\tbarcodes\tbarcode_group' 'fragments.tsv\ta\tcells.tsv\tx'
  bad "bad.tsv: has no tracks" 'file\tname'
  printf '@SQ\tSN:chr1\tLN:77\nr\t0\tchr1\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\n' >other.sam
  bad "other.sam: is of another assembly: it has chr1 (77 bp)" 'file\tname' 'other.sam\ta'
  [ ! -e out ]
  fails 2 "--keep any: there are only tracks, which label no bin" build --tracks "$shared/tracks.tsv" --keep any -o out --quiet
  fails 2 "give --peaks TSV, --start-sites FILE, --tracks TSV or --deepsea DIR" build -o out --quiet
}

@test "tracks: one that is 0 everywhere, and a heap of reads that is not excluded: warnings" {
  printf 'chrM\t5\t50\n' >chrM.bed
  awk -v OFS='\t' 'BEGIN {for (i = 0; i < 5000; ++i) print "chr1", 120000 + i % 5000, 120100 + i % 5000}' >heap.bed
  printf 'file\tname\nchrM.bed\tm\nheap.bed\th\n' >tracks.tsv
  build --tracks tracks.tsv --contigs 'chr1|chr2|chr3|chrX|chrM' --max-n-fraction 0 -o out 2>err
  grep -q 'warning: chrM.bed: track m: all counted reads or fragments are mitochondrial' err
  grep -q 'warning: heap.bed: 100.0 % of the counted reads or fragments are in chr1:120,001-130,000: repeats such as ribosomal DNA?' err
  printf 'chr1\t119000\t131000\n' >blacklist.bed
  printf 'file\tname\nheap.bed\th\n' >tracks.tsv
  build --tracks tracks.tsv --contigs 'chr1|chr2|chr3|chrX' --exclude blacklist.bed -o none 2>err
  not grep -q 'ribosomal' err
  grep -q 'warning: heap.bed: track h is 0 in every bin of the dataset' err
}

@test "tracks: encoders do not learn them" {
  build --tracks "$shared/tracks.tsv" -o alone --quiet
  fails 1 "alone: has tracks alone, and encoders are trained on peaks" bigdna finetune "$BIGDNA_SOURCE_DIR/models/human-chr20-encoder" alone -o other --quiet
}

@test "tracks: whole-yeast ATAC-seq" {
  pairs=$BIGDNA_DATA/coverage/yeast_500k_SRR1822137.bedpe.gz
  [ -e "$pairs" ] || skip "no real data: $pairs"
  printf 'file\tname\tcount\n%s\tcuts\tcuts\n' "$pairs" >tracks.tsv
  bigdna dataset chromatin --tracks tracks.tsv -g "$BIGDNA_DATA/genomes/sacCer3.fa.gz" --test chrIV,chrXI,chrXV --validation chrVII --upstream 0 --downstream 0 \
    --contigs 'chr[IVX]+' -o yeast 2>err
  grep -q '31.7 % of the counted reads or fragments are in chrXII:450,001-470,000' err
  # two cuts of each fragment, but for those in the last part of a contig, which no whole bin has
  python3 - "$pairs" <<'PY'
import gzip, json, sys
contigs = {c["name"]: c["length"] for c in json.load(open("yeast/dataset.json"))["contigs"]}
details = json.load(open("yeast/dataset.json"))
cuts = 0
for line in gzip.open(sys.argv[1], "rt"):
    contig, start, end = line.split()
    if contig in contigs: cuts += sum(int(p) < contigs[contig] // 200 * 200 for p in (start, int(end) - 1))
rows = sum(details["rows"].values())
assert abs(details["tracks"][0]["mean"] * rows - cuts) < 1, (details["tracks"], rows, cuts)
PY
}
