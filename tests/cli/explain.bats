# bigdna explain on the simulated genome: a very small network, for behaviour, not skill.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_network --start-sites "$TEST_DATA/tss.bed"
  printf 'chr1\t20000\t20030\tfirst\nchr1\t30003\t30041\n' >regions.bed
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

rows() { grep -v '^#' "$1"; }
explain() { bigdna explain "$shared/run" "$@" --quiet; }
on_genome() { explain -R "$shared/regions.bed" -g "$genome" "$@"; }

@test "explain: a row per base and a column per feature; the same with two threads, from stdin, and as HDF5" {
  on_genome -o one.tsv -@ 1
  on_genome -@ 2 >two.tsv
  same_rows one.tsv two.tsv
  explain -R - -g "$genome" <"$shared/regions.bed" >piped.tsv
  same_rows one.tsv piped.tsv
  [ "$(rows one.tsv | wc -l)" = 68 ]
  [ "$(header one.tsv)" = "$(printf '#chrom\tstart\tend\tname\tbase\t'; sed 1d "$shared/run/model/features.tsv" |
    awk -F'\t' '{printf "%s%s%s", (NR > 1 ? "\t" : ""), $2 ($3 == "-" ? "" : "|" $3), ($6 == "." ? "" : "|" $6)}')" ]
  [ "$(rows one.tsv | cut -f4 | uniq | tr '\n' ' ')" = "first chr1:30,004-30,041 " ]
  [ "$(rows one.tsv | head -30 | cut -f5 | tr -d '\n')" = "$(samtools faidx "$genome" chr1:20001-20030 | sed 1d | tr -d '\n' | tr a-z A-Z)" ]
  on_genome -o rows.h5
  on_genome -o rows.tsv --substitutions changes.h5
  for name in feature_index feature_name feature_cell feature_assay feature_group feature_strand feature_column; do
    grep -qa $name rows.h5
    grep -qa $name changes.h5
  done
  grep -qa 'TSS|-' rows.h5
  [ "$(head -c4 rows.h5 | od -An -tx1 | tr -d ' ')" = 89484446 ]  # tests/peers/bases_network_test.py reads it
}

@test "explain: substitutions are what variants gives for the same alleles, and contributions their means" {
  awk -v OFS='\t' 'BEGIN {for (i = 0; i < 6; ++i) print "chr1", 20100 + 37 * i, 20101 + 37 * i}' >sites.bed
  explain -R sites.bed -g "$genome" -o own.tsv --substitutions changes.tsv
  { printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    rows changes.tsv | awk -F'\t' -v OFS='\t' '{print $1, $3, ".", $5, $6, ".", ".", "."}'; } >alleles.vcf
  bigdna variants "$shared/run" alleles.vcf -g "$genome" --effects LOGIT --strands average --precision fp32 --quiet -o effects.tsv
  python3 - own.tsv changes.tsv effects.tsv <<'PY'
import sys
read = lambda path, first, end=None: [[float(x) for x in line.split("\t")[first:end]] for line in open(path) if line[0] != "#"]
own, changes, effects = read(sys.argv[1], 5), read(sys.argv[2], 6), read(sys.argv[3], 9, -1)  # the last column is seen
assert len(changes) == len(effects) == 18 and len(changes[0]) == len(effects[0])
assert max(abs(a - b) for x, y in zip(changes, effects) for a, b in zip(x, y)) < 1e-5
assert max(abs(a) for x in changes for a in x) > 1e-3
for i, row in enumerate(own):
    for f, value in enumerate(row):
        assert abs(value + sum(changes[3 * i + k][f] for k in range(3)) / 4) < 2e-5
PY
}

@test "explain: a record is read as the genome around it would be" {
  explain -r chr1:30004-30041 -g "$genome" -o region.tsv
  samtools faidx "$genome" chr1:23023-37022 >record.fa
  explain record.fa --around 19 -o record.tsv
  diff <(rows region.tsv | cut -f5-) <(rows record.tsv | cut -f5-)
}

@test "explain: tracks, arrays for TF-MoDISco and pictures of one feature" {
  on_genome --features DNase -o rows.tsv
  on_genome --features DNase -o track.bedgraph
  diff <(rows rows.tsv | cut -f1-3,6) <(rows track.bedgraph)
  on_genome --features DNase -o track.bw
  [ "$(head -c4 track.bw | od -An -tx4 | tr -d ' ')" = 888ffc26 ]
  on_genome --features DNase --around 10 --modisco pair --pictures logos -o around.tsv
  # below a logo, what chromatin predicts for the bins around it
  svg=$(ls logos/1_*.svg)
  grep -q 'predicted probability of .*DNase.* in bins of 200 bp' "$svg"
  read -r from to <<<"$(grep -o '>[0-9]*</text>' "$svg" | tr -dc '0-9\n' | tail -2 | tr '\n' ' ')"
  [ $(((to - from + 1) % 200)) = 0 ]
  [ $((to - from)) -gt 2000 ]
  awk -v from="$from" -v to="$to" 'BEGIN {for (at = from - 1; at < to; at += 200) print "chr1\t" at "\t" at + 200}' >around.bed
  bigdna chromatin "$shared/run" around.bed -g "$genome" --features DNase --precision fp32 --quiet >around_predicted.tsv
  most=$(rows around_predicted.tsv | awk '$NF > m {m = $NF} END {printf "%.3g", m}')
  grep -q ">$most</text>" "$svg"
  python3 - <<'PY'
import ast, struct, zipfile
def load(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None and archive.namelist() == ["arr_0.npy"]
        data = archive.read("arr_0.npy")
    size = 10 + struct.unpack("<H", data[8:10])[0]
    assert size % 64 == 0
    assert ast.literal_eval(data[10:size].decode()) == {"descr": "<f4", "fortran_order": False, "shape": (2, 4, 20)}
    return struct.unpack("<160f", data[size:])
one_hot, values = (load(f"pair.{part}.npz") for part in ("sequences", "attributions"))
text = [float(line.split("\t")[5]) for line in open("around.tsv") if line[0] != "#"]
for n in range(2):
    for i in range(20):
        cells = [n * 80 + b * 20 + i for b in range(4)]
        assert sum(one_hot[c] for c in cells) == 1 and abs(sum(values[c] for c in cells)) < 1e-5
        assert abs(sum(one_hot[c] * values[c] for c in cells) - text[n * 20 + i]) < 1e-5
PY
  [ "$(ls logos | tr '\n' ' ')" = "1_first_DNase_SimCell.svg 2_chr1_30_004-30_041_DNase_SimCell.svg " ]
  [ "$(grep -c '<path' logos/1_first_DNase_SimCell.svg)" -gt 3 ]
  fails 1 "--modisco: chr1:30,004-30,041 has 38 explained bases, and the intervals before it 30" on_genome --features DNase --modisco other -o rows.tsv
  [ ! -e other.sequences.npz ]
}

@test "explain --beside: peaks and genes below a picture" {
  printf 'chr1\t20010\t20020\tpeak_a\nchr2\t1\t100000\tother\n' >peaks.bed
  {
    printf 'chr1\tx\tgene\t1\t90000\t.\t+\t.\tgene_id "G"; gene_name "GENE1";\n'
    printf '1\tx\ttranscript\t30001\t30050\t.\t+\t.\tgene_id "G"; gene_name "GENE1";\n'
    printf '1\tx\texon\t30010\t30020\t.\t+\t.\tgene_id "G"; gene_name "GENE1";\n'
  } >genes.gtf
  on_genome --features DNase -o plain.tsv --pictures plain
  on_genome --features DNase -o drawn.tsv --pictures drawn --beside peaks.bed --beside genes.gtf
  same_rows plain.tsv drawn.tsv
  boxes() {  # in a picture of $1, those of a track more than without
    local count=()
    for folder in drawn plain; do count+=("$(grep -o '<rect[^>]*fill="#0072b2"' $folder/$1 | wc -l)"); done
    echo $((count[0] - count[1]))
  }
  [ "$(boxes '1_*')" = 1 ]  # the peak; the gene lies elsewhere
  [ "$(boxes '2_*')" = 2 ]  # a transcript and its exon
  grep -q '>peak_a<' drawn/1_*
  grep -q '>GENE1<' drawn/2_*
  not grep -q '>other<' drawn/1_* drawn/2_*
  printf '1\t20010\t20020\ta<b> & "c"\n1\t20012\t20014\t.\n' >names.bed  # a name is text in the picture, and a point is none
  on_genome --features DNase -o t.tsv --pictures named --beside names.bed
  grep -q '>a&lt;b&gt; &amp; ' named/1_*
  not grep -q '>\.<' named/1_*
  printf 'chrQ\t20010\t20020\tq\n' >elsewhere.bed
  bigdna explain "$shared/run" -R "$shared/regions.bed" -g "$genome" --features DNase -o t.tsv --pictures other --beside elsewhere.bed 2>err
  grep -q "elsewhere.bed: has nothing on the contigs that are explained, so pictures show nothing of it (it has chrQ)" err
  printf 'chr1\tx\tgene\t1\t90000\t.\t+\t.\tgene_id "G";\n' >gene.gtf
  fails 1 "gene.gtf: has no transcripts or exons" on_genome --features DNase -o t.tsv --pictures p --beside gene.gtf
  fails 1 "none.bed: No such file" on_genome --features DNase -o t.tsv --pictures p --beside none.bed
  printf 'chr1\ta\texon\t1\t2\t.\tx\t.\t.\n' >bad.gtf
  fails 1 "bad.gtf:1: the strand (column 7) is 'x'" on_genome --features DNase -o t.tsv --pictures p --beside bad.gtf
  fails 2 "--beside requires --pictures" on_genome --features DNase -o t.tsv --beside peaks.bed
}

@test "variants --pictures: the strongest variants, reference beside alternative" {
  {
    printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    for position in 20010 20011 30020 30030 40000 419990; do
      ref=$(samtools faidx "$genome" chr1:$position-$position | sed 1d | tr a-z A-Z)
      printf 'chr1\t%d\t.\t%s\t%s,%s\t.\t.\t.\n' $position $ref "$(echo $ref | tr ACGT CGTA)" $ref$([ $ref = T ] && echo A || echo T)G
    done
  } >some.vcf
  pictures() { bigdna variants "$shared/run" some.vcf -g "$genome" --effects LOGIT,DIFF --pictures "$@" --quiet; }
  pictures logos --strongest 3 -o effects.tsv --table top.tsv -@ 1
  [ "$(sed '/^#/d' top.tsv | wc -l)" = 12 ]  # --strongest is about pictures alone
  pictures again --strongest 3 -o again.tsv -@ 2
  same_files logos again
  [ "$(ls logos | wc -l)" = 3 ]
  python3 - <<'PY'
import os, re
from xml.etree import ElementTree
header, *rows = [line.rstrip("\n").split("\t") for line in open("effects.tsv") if not line.startswith("##")]
columns = [i for i, name in enumerate(header) if name.startswith("LOGIT:")]
largest = sorted(((max(columns, key=lambda i: abs(float(row[i]))), row) for row in rows if row[8] == "."), key=lambda of: -abs(float(of[1][of[0]])))
assert len(largest) == 12 and abs(float(largest[0][1][largest[0][0]])) > 1e-3, largest
files = sorted(os.listdir("logos"))
for number, (column, row) in enumerate(largest[:3], 1):
    _, position, _, ref, alt = row[:5]
    feature = header[column].split(":", 1)[1]
    name = re.sub("[^A-Za-z0-9.]", "_", feature.replace("|+", "_plus").replace("|-", "_minus"))
    assert files[number - 1] == f"{number}_chr1_{position}_{ref}_{alt}_{name}.svg", (files, row)
    root = ElementTree.parse("logos/" + files[number - 1]).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any(text == f"chr1:{position} {ref}>{alt}, {feature}" for text in texts), texts
    said = [re.fullmatch(r"P \S+ to \S+, LOGIT ([^ ,]+)(, seen in training)?", text or "") for text in texts]
    assert [abs(float(match[1]) - float(row[column])) < 1e-2 * abs(float(row[column])) for match in said if match] == [True], texts
    assert sum(element.get("fill") == "#f5d9b8" for element in root.iter("{http://www.w3.org/2000/svg}rect")) == 2  # the bases of either allele
    assert ref in texts and alt in texts, texts
    letters = list(root.iter("{http://www.w3.org/2000/svg}path"))
    assert len(letters) >= 30, len(letters)
PY
  fails 2 "--strongest requires --pictures" bigdna variants "$shared/run" some.vcf -g "$genome" --strongest 3 --quiet
  fails 1 "$shared/run" bigdna variants "$shared/run" some.vcf -g "$genome" --pictures "$shared/run/model" --quiet
}

@test "explain: the gradient goes the way of mutagenesis" {
  on_genome --features DNase -o exact.tsv
  on_genome --features DNase --method gradient -o gradient.tsv -@ 1
  on_genome --features DNase --method gradient -o again.tsv -@ 2
  same_rows gradient.tsv again.tsv
  python3 - exact.tsv gradient.tsv <<'PY'
import sys
a, b = ([float(line.split("\t")[5]) for line in open(path) if line[0] != "#"] for path in sys.argv[1:])
product = lambda x, y: sum(i * j for i, j in zip(x, y))
assert product(a, b) / (product(a, a) * product(b, b)) ** 0.5 > 0.5
assert max(abs(x - y) for x, y in zip(a, b)) > 1e-3 * max(map(abs, a))
PY
  fails 2 "--substitutions needs --method mutagenesis" on_genome --method gradient --substitutions x.tsv
}

@test "explain: integrated gradients add up to what shuffled bases lack, and depend on the seed alone" {
  on_genome --features DNase --method integrated --shuffles 3 --steps 100 -o integrated.tsv -@ 1
  on_genome --features DNase --method integrated --shuffles 3 --steps 100 -o again.tsv -@ 2
  same_rows integrated.tsv again.tsv
  on_genome --features DNase --method integrated --shuffles 3 --steps 100 --seed 2 -o other.tsv
  not cmp -s <(rows integrated.tsv) <(rows other.tsv)
  bigdna explain "$shared/run" -R "$shared/regions.bed" -g "$genome" --features DNase --method integrated --steps 100 2>&1 >/dev/null |
    grep -q "contributions add up to the difference from the logit of shuffled bases within [01]\(\.[0-9]\)\? % of it"
  fails 2 "--steps: only for --method integrated" on_genome --steps 5
  fails 2 "--substitutions needs --method mutagenesis" on_genome --method integrated --substitutions x.tsv
}

@test "explain: k-mers of high contributions, as a script counts them" {
  awk -v OFS='\t' 'BEGIN {for (i = 0; i < 40; ++i) print "chr1", 20000 + 300 * i, 20060 + 300 * i}' >many.bed
  explain -R many.bed -g "$genome" --features DNase --method gradient --kmers kmers.tsv --kmer-length 4 -o rows.tsv
  python3 - <<'PY'
from math import comb
groups = {}
for line in open("rows.tsv"):
    if line[0] != "#":
        cells = line.rstrip("\n").split("\t")
        groups.setdefault(cells[3], []).append((cells[4], float(cells[5])))
def canonical(word): return min(word, word[::-1].translate(str.maketrans("ACGT", "TGCA")))
windows = [(sum(v for _, v in rows[i:i + 4]), name, i, canonical("".join(b for b, _ in rows[i:i + 4])))
           for name, rows in groups.items() for i in range(len(rows) - 3)]
assert len(windows) == 40 * 57
highest, taken = sorted(windows, reverse=True)[:23], []
for window in highest:
    if all(window[1] != other[1] or abs(window[2] - other[2]) >= 4 for other in taken):
        taken.append(window)
counts = {}
for window in taken:
    counts.setdefault(window[3], []).append(window[0])
found = {cells[1]: cells for cells in (line.rstrip("\n").split("\t") for line in open("kmers.tsv") if line[0] != "#")}
assert found.keys() == counts.keys()
for kmer, sums in counts.items():
    cells, n, marked = found[kmer], len(sums), sum(window[3] == kmer for window in windows)
    assert cells[0] == "DNase|SimCell" and cells[2:4] == [str(n), str(marked)]
    tail = sum(comb(marked, i) * comb(len(windows) - marked, len(taken) - i) for i in range(n, min(marked, len(taken)) + 1)) / comb(len(windows), len(taken))
    expected = [n / len(taken) / (marked / len(windows)), sum(sums) / n, tail, tail * len({window[3] for window in windows})]
    assert all(abs(float(x) - y) <= 1e-4 * abs(y) for x, y in zip(cells[4:], expected)), (cells, expected)
PY
  bigdna explain "$shared/run" -r chr1:20001-20060 -g "$genome" --features DNase --method gradient --kmers one.tsv -o rows.tsv 2>err
  grep -q -- "--kmers: one interval is too few to find enriched k-mers in, so the table has no rows" err
  [ "$(grep -vc '^##' one.tsv)" = 1 ]
}

@test "explain: --resume continues after a kill and --shard divides, with the same rows" {
  awk -v OFS='\t' 'BEGIN {for (i = 0; i < 25; ++i) print "chr1", 20000 + 300 * i, 20030 + 300 * i}' >many.bed
  for method in mutagenesis integrated; do
    many() { explain -R many.bed -g "$genome" --features DNase,TSS --method $method "$@"; }
    many -o whole.tsv
    killed_when "has_bytes 4000 $method.tsv.journal" bigdna explain "$shared/run" -R many.bed -g "$genome" --features DNase,TSS --method $method -o $method.tsv --resume -@ 1 --quiet
    [ ! -e $method.tsv ]
    printf 'torn' >>$method.tsv.journal
    bigdna explain "$shared/run" -R many.bed -g "$genome" --features DNase,TSS --method $method -o $method.tsv --resume 2>err
    grep -q "$method.tsv.journal: continues after [1-9][0-9]* intervals" err
    same_rows whole.tsv $method.tsv
    [ ! -e $method.tsv.journal ]
    touch -r whole.tsv $method.tsv
    many -o $method.tsv --resume  # is left alone
    [ ! $method.tsv -nt whole.tsv ]
    for part in 1 2 3; do many -o part$part.tsv --shard $part/3; done
    cat part1.tsv part2.tsv part3.tsv >joined.tsv
    same_rows whole.tsv joined.tsv
    [ "$(grep -c '^#chrom' joined.tsv)" = 1 ]
  done
  fails 1 "$method.tsv" many -o $method.tsv --resume --seed 5
  fails 2 "--shard cannot be used with bigWig, bedGraph, --modisco or --kmers" many --shard 1/2 --kmers k.tsv
  fails 2 "--shard cannot be used with bigWig, bedGraph" many --shard 1/2 -o part.bedgraph
  fails 2 "--shard cannot divide stdin or a pipe" explain -R - -g "$genome" --shard 1/2
  fails 2 "--resume needs regular files" many --resume
}

@test "explain: ends of contigs, N, long regions, empty ones" {
  length=$(awk '$1 == "chrM" {print $2}' "$genome.fai")
  printf 'chrM\t0\t5\nchrM\t%d\t%d\n' $((length - 5)) "$length" >ends.bed
  explain -R ends.bed -g "$genome" --around 10 >ends.tsv
  [ "$(rows ends.tsv | wc -l)" -lt 40 ]
  rows ends.tsv | awk -v end="$length" '$2 < 0 || $3 > end {bad = 1} END {exit bad}'
  printf '>r\n%s\n' "ACGTNNACGT" >n.fa
  explain n.fa >n.tsv
  [ "$(rows n.tsv | cut -f6 | grep -c '^\.$')" = 2 ]
  printf 'chr1\t20000\t80000\n' >long.bed
  bigdna explain "$shared/run" -R long.bed -g "$genome" --features DNase --method gradient -o long.tsv 2>said
  grep -q "1 interval reached past the 13400 bp that the model reads" said
  [ "$(rows long.tsv | wc -l)" = 13400 ]
  printf 'chr1\t20000\t20000\nchr1\t20000\t20010\n' >empty.bed
  bigdna explain "$shared/run" -R empty.bed -g "$genome" -o empty.tsv 2>said
  grep -q "empty.bed:1: the interval is empty (end = start) and is left out" said
  fails 1 "empty.bed:1" explain -R empty.bed -g "$genome" --strict
}

@test "explain: what cannot be done" {
  fails 2 "give FASTA, or -g GENOME" explain
  fails 2 "matches none" on_genome --features nothing
  fails 2 "-o x.bw holds one feature" on_genome -o x.bw
  fails 2 "a bigWig needs -g" explain "$TEST_DATA/records.fa" --features DNase -o x.bw
  printf 'chr1\t30000\t30010\nchr1\t20000\t20010\n' >unsorted.bed
  fails 1 "x.bw" explain -R unsorted.bed -g "$genome" --features DNase -o x.bw
  printf 'chr1\t30000\t30010\tone\nchr1\t30009\t30020\ttwo\n' >overlapping.bed
  fails 1 "x.bg: two overlaps an interval before it, and bedGraph has one number a base" \
    explain -R overlapping.bed -g "$genome" --features DNase -o x.bg
  fails 1 "past the end" explain -r chr1:99999999-100000010 -g "$genome"
  bigdna vocab "$TEST_DATA/genome.fa.gz" -o vocabulary --size 100 --quiet
  bigdna pretrain "$TEST_DATA/genome.fa.gz" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 64 --vocab vocabulary --steps 1 --batch 2 \
    --evaluation-tokens 100 -o tokens --quiet >/dev/null
  fails 1 "its head is 'pretraining', which does not predict" bigdna explain tokens -r chr1:1-100 -g "$genome"
  nothing_but unsorted.bed overlapping.bed vocabulary tokens
}

@test "explain: models that read tokens, by mutagenesis, on either strand" {
  bigdna vocab "$genome" -o vocabulary --size 100 --quiet
  bigdna pretrain "$genome" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 512 --vocab vocabulary --steps 1 --batch 2 \
    --evaluation-tokens 100 -o tokens --quiet >/dev/null
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 60 --downstream 20 --tss-distance 700 \
    --negatives shuffle --split-like tokens/model --validation chrX -o promoters --quiet
  bigdna finetune tokens promoters --steps 4 --evaluations 1 -o promoter --quiet >/dev/null
  printf 'chr1\t8154\t8155\tplus\t0\t+\nchr1\t8154\t8155\tminus\t0\t-\n' >sites.bed
  bigdna explain promoter -R sites.bed -g "$genome" -o sites.tsv --substitutions changes.tsv --quiet -@ 1
  bigdna explain promoter -R sites.bed -g "$genome" --quiet -@ 2 >two.tsv
  same_rows sites.tsv two.tsv
  [ "$(rows sites.tsv | awk '$4 == "plus" {print $2}' | sed -n '1p;$p' | tr '\n' ' ')" = "8094 8173 " ]
  [ "$(rows sites.tsv | awk '$4 == "minus" {print $2}' | sed -n '1p;$p' | tr '\n' ' ')" = "8135 8214 " ]
  bigdna explain promoter -R sites.bed -g "$genome" --around 3 --quiet >near.tsv  # of the start site, not of the interval's middle
  [ "$(rows near.tsv | awk '$4 == "plus" {print $2}' | sed -n '1p;$p' | tr '\n' ' ')" = "8151 8156 " ]
  [ "$(rows near.tsv | awk '$4 == "minus" {print $2}' | sed -n '1p;$p' | tr '\n' ' ')" = "8152 8157 " ]
  # a region that is shorter than the interval is read alone, as predict-promoter reads it, whatever lies beside it
  printf 'chr1\t8100\t8150\tshort\t0\t-\n' >short.bed
  bigdna explain promoter -R short.bed -g "$genome" --quiet >of_region.tsv
  samtools faidx -i --mark-strand no "$genome" chr1:8101-8150 >short.fa
  bigdna explain promoter short.fa --quiet >of_record.tsv
  [ "$(rows of_region.tsv | wc -l)" = 50 ]
  paste <(rows of_region.tsv | cut -f6) <(rows of_record.tsv | cut -f6 | tac) | awk '{if (($1 - $2)^2 > 1e-10) bad = 1; most += $1^2} END {exit bad || !most}'
  bases=$(samtools faidx "$genome" chr1:8101-8150 | sed 1d | tr -d '\n' | tr acgt ACGT)
  for base in A C G T; do printf '>%s\n%s%s%s\n' $base "${bases:0:20}" $base "${bases:21}"; done >forward.fa
  while read -r name && read -r text; do echo "$name"; echo "$text" | rev | tr ACGT TGCA; done <forward.fa >edited.fa
  bigdna predict-promoter promoter edited.fa --parts --precision fp32 --quiet >edited.tsv
  awk -F'\t' '!/^#/ {logit[$1] = $8 + $9 + $10; sum += logit[$1]} END {for (base in logit) print base, logit[base] - sum / 4}' edited.tsv >expected
  awk -F'\t' 'NR == FNR {split($0, f, " "); of[f[1]] = f[2]; next} $2 == 8120 {++n; if (!((of[$5] - $6)^2 < 4e-8)) bad = 1} END {exit bad || !n}' expected of_region.tsv
  # every base of a strand's 50th position, by predict-promoter
  for strand in + -; do
    [ $strand = + ] && start=8094 || start=8135
    samtools faidx "$genome" chr1:$((start + 1))-$((start + 80)) | sed 1d | tr -d '\n' | tr acgt ACGT >bases
    for base in A C G T; do
      printf '>%s\n' $base
      edited=$(cut -c1-49 bases)$base$(cut -c51- bases)
      if [ $strand = + ]; then echo "$edited"; else echo "$edited" | rev | tr ACGT TGCA; fi
    done >edited.fa
    bigdna predict-promoter promoter edited.fa --parts --precision fp32 --quiet >edited.tsv
    python3 - $((start + 49)) "$([ $strand = + ] && echo plus || echo minus)" <<'PY'
import sys
read = lambda path: [line.rstrip("\n").split("\t") for line in open(path) if line[0] != "#"]
logit = {row[0]: sum(map(float, row[7:10])) for row in read("edited.tsv")}
row = [row for row in read("sites.tsv") if row[1] == sys.argv[1] and row[3] == sys.argv[2]][0]
assert max(logit.values()) - min(logit.values()) > 1e-4
assert abs(float(row[5]) - (logit[row[4]] - sum(logit.values()) / 4)) < 2e-4, (row, logit)
changes = [row for row in read("changes.tsv") if row[1] == sys.argv[1] and row[3] == sys.argv[2]]
assert len(changes) == 3
for change in changes:
    assert abs(float(change[6]) - (logit[change[5]] - logit[change[4]])) < 2e-4
PY
  done
  fails 2 "--method mutagenesis is all that promoter has" bigdna explain promoter -R sites.bed -g "$genome" --method gradient
  fails 2 "a promoter model reads each region's own strand, or both if it was calibrated so" bigdna explain promoter -R sites.bed -g "$genome" --strands average
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 120 --downstream 20 --max-bins 200 --split-like tokens/model \
    --validation chrX --keep any -o chromatin_bins --quiet
  bigdna finetune tokens chromatin_bins --steps 2 --evaluations 1 -o chromatin --quiet >/dev/null
  bigdna explain chromatin -r chr1:30004-30013 -g "$genome" --features DNase -o forward.tsv --strands forward --quiet
  bigdna explain chromatin -r chr1:30004-30013 -g "$genome" --features DNase -o average.tsv --quiet
  [ "$(rows average.tsv | wc -l)" = 10 ]
  not same_rows forward.tsv average.tsv
  # of the mean of both strands' logits: p of the other strand is what average has beside forward
  bases=$(samtools faidx "$genome" chr1:29789-30128 | sed 1d | tr -d '\n' | tr acgt ACGT)  # the bin of 30008, 120 bp before and 20 behind it
  for base in A C G T; do printf '>%s\n%s%s%s\n' $base "${bases:0:217}" $base "${bases:218}"; done >edited.fa
  for strands in forward average; do bigdna predict chromatin edited.fa --strands $strands --precision fp32 --features DNase --quiet >$strands.p; done
  python3 - <<'PY'
import math
read = lambda path: [line.rstrip("\n").split("\t") for line in open(path) if line[0] != "#"]
logit = lambda p: math.log(p / (1 - p))
one, both = ({row[3]: float(row[-1]) for row in read(path)} for path in ("forward.p", "average.p"))
mean = {base: (logit(one[base]) + logit(2 * both[base] - one[base])) / 2 for base in "ACGT"}
row = [row for row in read("average.tsv") if row[1] == "30005"][0]
assert abs(float(row[5]) - (mean[row[4]] - sum(mean.values()) / 4)) < 2e-4, (row, mean)
PY
}
