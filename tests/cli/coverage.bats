# bigdna coverage: counts against samtools, bedtools and MACS3, every kind of file, bad input.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  python3 - <<'PY'
# Reads of a random genome: gaps N and D, insertions, clips, pairs, and reads of every flag that leaves one out.
import random
random.seed(7)
lengths = {"chr1": 20000, "chr2": 7000, "chrM": 600}
genome = {name: "".join(random.choice("ACGT") for _ in range(length)) for name, length in lengths.items()}
with open("genome.fa", "w") as out:
    for name, bases in genome.items(): print(f">{name}\n{bases}", file=out)
with open("sizes.tsv", "w") as out:
    for name, length in lengths.items(): print(name, length, sep="\t", file=out)
cigars = ["50M", "5S45M", "45M5S", "3H50M", "20M3D30M", "20M200N30M", "10M2I38M", "5S10M4D10M150N20M1I14M", "25=1X24="]
def parts(cigar):
    number = ""
    for c in cigar:
        if c.isdigit(): number += c
        else: yield int(number), c; number = ""
def span(cigar): return sum(n for n, c in parts(cigar) if c in "MDN=X")
def read_length(cigar): return sum(n for n, c in parts(cigar) if c in "MIS=X")
lines = []
def add(name, flag, contig, start, mapq, cigar, mate="*", mate_start=-1, length=0):
    n = read_length(cigar)
    lines.append([name, flag, contig, start + 1, mapq, cigar, mate, mate_start + 1, length, genome[contig][start:start + n].ljust(n, "A"), "I" * n])
def some_contig(): return random.choices(list(lengths), [10, 4, 1])[0]
for i in range(1500):  # single reads
    contig, cigar = some_contig(), random.choice(cigars)
    flag = random.choice([0, 16]) | random.choices([0, 0x100, 0x800, 0x200, 0x400], [8, 1, 1, 1, 2])[0]
    add(f"s{i}", flag, contig, random.randrange(lengths[contig] - span(cigar) + 1), random.choice([0, 10, 30, 60]), cigar)
for i in range(1500):  # pairs
    contig, length = some_contig(), random.randint(60, 400)
    start, dup = random.randrange(lengths[contig] - length), 0x400 if random.random() < 0.2 else 0
    first = random.random() < 0.5
    left, right = random.choice(["50M", "5S45M", "20M3D27M"]), "50M"
    other = start + length - span(right)
    proper = 2 if random.random() < 0.8 else 0
    add(f"p{i}", 1 | proper | 32 | (64 if first else 128) | dup, contig, start, 60, left, "=", other, length)
    add(f"p{i}", 1 | proper | 16 | (128 if first else 64) | dup, contig, other, 60, right, "=", start, -length)
for i in range(40): lines.append([f"u{i}", 4, "*", 0, 0, "*", "*", 0, 0, "ACGT", "IIII"])
random.shuffle(lines)
with open("reads.sam", "w") as out:
    print("@HD\tVN:1.6", file=out)
    for name, length in lengths.items(): print(f"@SQ\tSN:{name}\tLN:{length}", file=out)
    for line in lines: print(*line, sep="\t", file=out)
PY
  samtools view -b -o unsorted.bam reads.sam
  samtools sort -o sorted.bam reads.sam
  cp genome.fa reference.fa
  samtools view -C -T reference.fa -o reads.cram sorted.bam
  samtools view -C -T reference.fa --output-fmt-option multi_seq_per_slice=1 -o contigs.cram sorted.bam
  rm reference.fa*
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  reads=$BATS_FILE_TMPDIR sizes=$BATS_FILE_TMPDIR/sizes.tsv real=$BIGDNA_DATA/coverage
}

count() { bigdna coverage --chrom-sizes "$sizes" -o - --quiet "$@" | sed '/^#/d'; }
# What is counted by default, as BAM: no secondary, supplementary, unmapped, duplicate read, or one that failed.
kept() { samtools view -b -F "${1:-0xF04}" "$reads/sorted.bam"; }
# Runs of equal depth, from a table of positions (1-based) and depths.
runs() { awk -v OFS='\t' '$3 > 0 {if ($1 == c && $2 - 1 == e && $3 == d) e = $2; else {if (c) print c, s, e, d; c = $1; s = $2 - 1; e = $2; d = $3}} END {print c, s, e, d}'; }
real_data() { [ -e "$1" ] || skip "no real data: $1"; }

@test "coverage: aligned bases, as samtools depth and bedtools genomecov -split count them" {
  count "$reads/sorted.bam" >ours
  samtools depth -G 0xF04 "$reads/sorted.bam" | runs >samtools
  kept | bedtools genomecov -ibam - -bg -split >bedtools
  [ "$(wc -l <ours)" -gt 3000 ]
  same_files ours samtools bedtools
  count "$reads/sorted.bam" --min-mapq 30 >ours
  samtools depth -Q 30 -G 0xF04 "$reads/sorted.bam" | runs >samtools
  same_files ours samtools
  count "$reads/sorted.bam" --duplicates keep >ours
  samtools depth -g 0x400 -G 0x800 "$reads/sorted.bam" | runs >samtools
  same_files ours samtools
}

@test "coverage: strands, 5' and 3' ends, as bedtools genomecov counts them" {
  for strand in + -; do
    count "$reads/sorted.bam" --strand $strand >ours
    kept | bedtools genomecov -ibam - -bg -split -strand $strand >bedtools
    same_files ours bedtools
  done
  count "$reads/sorted.bam" --count starts >ours
  count "$reads/sorted.bam" --count cuts >cuts
  kept | bedtools genomecov -ibam - -bg -5 >bedtools
  same_files ours cuts bedtools
  count "$reads/sorted.bam" --count ends --strand - >ours
  kept | bedtools genomecov -ibam - -bg -3 -strand - >bedtools
  same_files ours bedtools
}

@test "coverage: fragments of pairs, their cuts and midpoints" {
  count "$reads/sorted.bam" --unit fragments >ours
  kept | samtools view -b -f 2 | bedtools genomecov -ibam - -bg -pc >bedtools
  same_files ours bedtools
  kept | samtools view -f 2 | awk -v OFS='\t' '$9 > 0 {print $3, $4 - 1, $4 - 1 + $9}' >fragments.bed
  awk -v OFS='\t' '{print $1, $2 + 4, $2 + 5; print $1, $3 - 6, $3 - 5}' fragments.bed | awk '$2 >= 0' | sort -k1,1 -k2,2n |
    bedtools genomecov -i - -g "$sizes" -bg >expected
  count "$reads/sorted.bam" --unit fragments --count cuts --shift 4,-5 >ours
  count fragments.bed --count cuts --shift 4,-5 >of_bed
  same_files expected ours of_bed
  awk -v OFS='\t' '{m = $2 + int(($3 - $2) / 2); print $1, m, m + 1}' fragments.bed | sort -k1,1 -k2,2n | bedtools genomecov -i - -g "$sizes" -bg >expected
  count fragments.bed --count midpoints >of_bed
  count "$reads/sorted.bam" --count midpoints --unit fragments >ours
  same_files expected ours of_bed
  awk '$3 - $2 >= 180 && $3 - $2 <= 247' fragments.bed | bedtools genomecov -i - -g "$sizes" -bg >expected
  count "$reads/sorted.bam" --unit fragments --fragment-length 180-247 >ours
  same_files expected ours
}

@test "coverage: reads that are extended and moved, in BAM and BED" {
  kept | bedtools bamtobed -i - >reads.bed
  awk -v OFS='\t' '{s = $6 == "-" ? $3 - 9 - 150 : $2 + 7; e = s + 150; if (s < 0) s = 0; max = $1 == "chr1" ? 20000 : $1 == "chr2" ? 7000 : 600;
    if (e > max) e = max; if (s < e) print $1, s, e}' reads.bed | sort -k1,1 -k2,2n | bedtools genomecov -i - -g "$sizes" -bg >expected
  count "$reads/sorted.bam" --extend 150 --shift 7,-9 >of_bam
  count reads.bed --extend 150 --shift 7,-9 >of_bed
  same_files expected of_bam of_bed
  kept | bedtools bamtobed -split -i - >/dev/null
  kept | bedtools bamtobed -bed12 -i - >spliced.bed
  kept | bedtools genomecov -ibam - -bg -ignoreD -split >expected
  count spliced.bed >of_bed12
  same_files expected of_bed12
}

@test "coverage: SAM, unsorted BAM, CRAM without its reference, stdin; one thread and two" {
  count "$reads/sorted.bam" -@1 >expected
  count "$reads/sorted.bam" -@2 >two
  count "$reads/reads.sam" >sam
  count "$reads/unsorted.bam" >unsorted
  gzip -c "$reads/reads.sam" >reads.sam.gz
  count reads.sam.gz >zipped
  count - <"$reads/unsorted.bam" >stdin
  cp "$reads/reads.cram" .
  REF_PATH=nowhere REF_CACHE=nowhere count reads.cram >cram
  same_files expected two sam unsorted zipped stdin cram
  bigdna coverage "$reads/sorted.bam" --chrom-sizes "$sizes" -o one.bw -@1 --quiet
  bigdna coverage "$reads/unsorted.bam" -g "$reads/genome.fa" -o two.bw -@2 --quiet
  same_files one.bw two.bw
  count one.bw >of_bigwig
  sed 's/^chr//' expected >plain.bedgraph
  count plain.bedgraph >of_bedgraph
  same_files expected of_bigwig of_bedgraph
}

@test "coverage: a CRAM with several contigs in a slice needs its reference for lengths of fragments alone" {
  export REF_PATH=nowhere REF_CACHE=nowhere
  count "$reads/sorted.bam" >expected
  count "$reads/contigs.cram" >ours
  count "$reads/contigs.cram" --count cuts --min-mapq 30 >cuts
  count "$reads/sorted.bam" --count cuts --min-mapq 30 >expected_cuts
  same_files expected ours
  same_files expected_cuts cuts
  for option in "-o out.bw --unit fragments" "-o out.bw --count midpoints" "-o out.bw --fragment-length 1-200" "--table out.tsv"; do
    fails 1 "contigs.cram: cannot be decoded: its reference, which lengths of fragments need, is not found (give -g); or" \
      bigdna coverage "$reads/contigs.cram" --chrom-sizes "$sizes" --quiet $option
  done
  [ ! -e out.bw ]
  [ ! -e out.tsv ]
  for file in sorted.bam contigs.cram; do
    bigdna coverage "$reads/$file" -g "$reads/genome.fa" --unit fragments -o "$file.bw" --table "$file.tsv" --quiet
    sed '/^##/d' "$file.tsv" | cut -f3- >"$file.rows"
  done
  bigdna coverage "$reads/contigs.cram" -g "$reads/genome.fa" --unit fragments -o two.bw -@2 --quiet
  same_files sorted.bam.bw contigs.cram.bw two.bw
  same_files sorted.bam.rows contigs.cram.rows
}

@test "coverage: what has no base is left out" {
  printf 'chr1\t5\t5\nchr1\t10\t20\n' >empty.bed
  [ "$(bigdna coverage empty.bed --chrom-sizes "$sizes" --scale cpm -o - 2>err | sed '/^#/d')" = $'chr1\t10\t20\t1000000' ]
  grep -q "1 counted; left out: no_bases 1" err
  (samtools view -H "$reads/sorted.bam"; printf 'a\t0\tchr1\t9\t60\t30N\t*\t0\t0\t*\t*\nb\t0\tchr1\t9\t60\t4M\t*\t0\t0\tACGT\t*\n') >gap.sam
  [ "$(bigdna coverage gap.sam --chrom-sizes "$sizes" --scale cpm -o - --table q.tsv 2>err | sed '/^#/d')" = $'chr1\t8\t12\t1000000' ]
  grep -q "1 counted; left out: no_bases 1" err
  [ "$(column counted q.tsv)$(column no_bases q.tsv)" = 11 ]
}

@test "coverage: BEDPE of bedtools, sums over bins, several files, scales" {
  kept | samtools view -b -f 2 | samtools sort -n - | bedtools bamtobed -bedpe -i - >pairs.bedpe
  count "$reads/sorted.bam" --unit fragments >expected
  count pairs.bedpe >ours
  same_files expected ours
  count "$reads/sorted.bam" --bin 50 >bins
  count "$reads/sorted.bam" >bases
  awk -v OFS='\t' '{for (i = $2; i < $3; ++i) sum[$1 "\t" int(i / 50)] += $4} END {for (key in sum) {split(key, k, "\t"); print k[1], k[2] * 50, sum[key]}}' bases | sort -k1,1 -k2,2n >expected
  [ "$(tail -1 bins | cut -f1-3)" = $'chrM\t550\t600' ]
  cut -f1,2,4 bins | diff - expected
  count "$reads/sorted.bam" --scale 0.5 >half
  count "$reads/sorted.bam" "$reads/reads.sam" --scale 0.25 >both
  same_files half both
  counted=$(kept | samtools view -c)
  count "$reads/sorted.bam" --scale cpm >cpm
  paste bases cpm | all_rows "(\$8 - \$4 * 1e6 / $counted)^2 < 1e-4"
}

@test "coverage: barcodes choose fragments, counts are duplicates" {
  printf 'chr1\t100\t200\tAA-1\t3\nchr1\t150\t250\tCC-1\t1\nchr2\t0\t10\tAA-1\t2\nchr1\t100\t120\tGG-1\t1\n' >fragments.tsv
  printf 'barcode,group\nAA-1,b\nCC-1,t\n' >groups.csv
  [ "$(count fragments.tsv)" = $'chr1\t100\t120\t2\nchr1\t120\t150\t1\nchr1\t150\t200\t2\nchr1\t200\t250\t1\nchr2\t0\t10\t1' ]
  [ "$(count fragments.tsv --duplicates keep --barcodes groups.csv --barcode-group b)" = $'chr1\t100\t200\t3\nchr2\t0\t10\t2' ]
  [ "$(count fragments.tsv --barcodes groups.csv --count cuts --strand -)" = $'chr1\t199\t200\t1\nchr1\t249\t250\t1\nchr2\t9\t10\t1' ]
  printf 'barcode\tgroup\nAA\tb\n' >other.tsv
  fails 1 "fragments.tsv: none of its barcodes is in other.tsv: the file has AA-1, the table AA" bigdna coverage fragments.tsv --chrom-sizes "$sizes" -o - --barcodes other.tsv --quiet
  fails 1 "groups.csv: has no barcode of group x (b, t)" bigdna coverage fragments.tsv --chrom-sizes "$sizes" -o - --barcodes groups.csv --barcode-group x --quiet
  fails 1 "barcodes are only in fragment files" bigdna coverage "$reads/sorted.bam" --chrom-sizes "$sizes" -o - --barcodes groups.csv --quiet
  # 10x's barcodes.tsv has no header line
  sed 's/AA-1/ACGTAA-1/; s/CC-1/ACGTCC-1/' fragments.tsv >ten.tsv
  printf 'ACGTAA-1\nACGTCC-1\n' >barcodes.tsv
  [ "$(count ten.tsv --duplicates keep --barcodes barcodes.tsv)" = $'chr1\t100\t150\t3\nchr1\t150\t200\t4\nchr1\t200\t250\t1\nchr2\t0\t10\t2' ]
}

@test "coverage: tables whose starts count from 1 are no intervals and no signal" {
  for more in '"*"' '' '30'; do  # as R writes GRanges, without their strand, and with a summit as MACS does
    printf 'chr1\t101\t200\nchr1\t301\t350\n' | awk -v OFS='\t' "{print \$0, \$3 - \$2 + 1${more:+, $more}}" >ranges.tsv
    fails 1 "ranges.tsv: column 4 is end - start + 1 in every record, so starts count from 1" bigdna coverage ranges.tsv --chrom-sizes "$sizes" -o - --quiet
  done
  printf 'chr1\t100\t200\t100\nchr1\t300\t350\t51\n' >signal.bedGraph
  [ "$(count signal.bedGraph)" = $'chr1\t100\t200\t100\nchr1\t300\t350\t51' ]
}

@test "coverage: the table of quality" {
  awk -v OFS='\t' 'BEGIN {print "chr1", 5000, 5001, "a", 0, "+"; print "chr1", 12000, 12001, "b", 0, "-"}' >tss.bed
  printf 'chr1\t4900\t5100\n' >peaks.bed
  awk -v OFS='\t' 'BEGIN {for (i = 0; i < 101; ++i) for (k = 0; k < 4; ++k) print "chr1", 4950 + i, 4990 + i, ".", 60, "+"; for (i = 3000; i < 3101; ++i) print "chr1", i, i + 40, ".", 60, "+";
    for (i = 6900; i < 7001; ++i) print "chr1", i, i + 40, ".", 60, "+"}' >reads.bed
  bigdna coverage reads.bed --chrom-sizes "$sizes" --table q.tsv --start-sites tss.bed --peaks peaks.bed --quiet
  [ "$(column in_peaks q.tsv)" = 0.666667 ]
  [ "$(column enrichment q.tsv)" = 4 ]
  # 1900 to 2000 bp to the left of this site there is no contig
  printf 'chr2\t300\t301\ta\t0\t+\n' >end.bed
  awk -v OFS='\t' 'BEGIN {for (i = 250; i < 351; ++i) for (k = 0; k < 4; ++k) print "chr2", i, i + 40, ".", 60, "+"; for (i = 2200; i < 2301; ++i) print "chr2", i, i + 40, ".", 60, "+"}' >near_end.bed
  bigdna coverage near_end.bed --chrom-sizes "$sizes" --table q.tsv --start-sites end.bed --quiet
  [ "$(column enrichment q.tsv)" = 4 ]
  bigdna coverage "$reads/sorted.bam" --chrom-sizes "$sizes" --table q.tsv --quiet
  [ "$(column records q.tsv)" = "$(samtools view -c "$reads/sorted.bam")" ]
  [ "$(column mapped q.tsv)" = "$(samtools view -c -F 0xB04 "$reads/sorted.bam")" ]
  [ "$(column duplicates q.tsv)" = "$(samtools view -c -F 0xB04 -f 0x400 "$reads/sorted.bam")" ]
  [ "$(column counted q.tsv)" = "$(samtools view -c -F 0xF04 "$reads/sorted.bam")" ]
  [ "$(column unmapped q.tsv)" = 40 ]
  kept | samtools view -f 2 | awk '$9 > 0 {print $9}' | sort -n >lengths
  [ "$(column fragment_50 q.tsv)" = "$(sed -n "$((($(wc -l <lengths) + 1) / 2))p" lengths)" ]
}
column() { sed '/^##/d' "$2" | awk -F '\t' -v name="$1" 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == name) c = i} NR == 2 {print $c}'; }

@test "coverage: another assembly, by names and by lengths" {
  sed 's/20000/20001/' "$sizes" >other.tsv
  for file in sorted.bam reads.cram reads.sam; do
    fails 1 "$file: is of another assembly: it has chr1 (20000 bp), and other.tsv has chr1 (20001 bp)" bigdna coverage "$reads/$file" --chrom-sizes other.tsv -o out.bw --quiet
  done
  printf 'I\t20000\n' >names.tsv
  fails 1 "sorted.bam: none of its contigs (chr1 ...) is in names.tsv (I ...)" bigdna coverage "$reads/sorted.bam" --chrom-sizes names.tsv -o out.bw --quiet
  bigdna coverage "$reads/sorted.bam" --chrom-sizes "$sizes" -o a.bw --quiet
  fails 1 "a.bw: is of another assembly: it has chr1 (20000 bp)" bigdna coverage a.bw --chrom-sizes other.tsv -o out.bw --quiet
  printf 'chr1\t1\t9\nchr1\t19990\t20001\n' >past.bed
  fails 1 "past.bed:2: end 20001 is past the end of chr1 (20000 bp)" bigdna coverage past.bed --chrom-sizes "$sizes" -o out.bw --quiet
  fails 1 "past.bed: no record lies on a contig of names.tsv" bigdna coverage past.bed --chrom-sizes names.tsv -o out.bw --quiet
  nothing_but other.tsv names.tsv a.bw past.bed
  # 1 is chr1
  sed 's/^chr//' "$sizes" >plain.tsv
  bigdna coverage "$reads/sorted.bam" --chrom-sizes plain.tsv -o - --quiet | sed '/^#/d; s/^/chr/' >plain
  count "$reads/sorted.bam" >ours
  same_files plain ours
}

@test "coverage: truncated and damaged files" {
  bigdna coverage "$reads/sorted.bam" --chrom-sizes "$sizes" -o a.bw --quiet
  for file in "$reads/sorted.bam" "$reads/reads.cram" a.bw; do
    for left in 28 2000 $(($(stat -c %s "$file") / 2)) $(($(stat -c %s "$file") - 4)); do
      head -c "$left" "$file" >cut
      fails 1 "cut: is " bigdna coverage cut --chrom-sizes "$sizes" -o out.bw --quiet
    done
  done
  head -c 5000 "$reads/sorted.bam" | fails_on_stdin "stdin: is truncated"
  fails_on_stdin "stdin: a bigWig file needs random access: name a file on disk" <a.bw
  gzip -c a.bw >a.bw.gz
  fails 1 "a.bw.gz: is a bigWig file; it has values and no intervals; call peaks, or read it, not compressed, as a track" bigdna coverage a.bw.gz --chrom-sizes "$sizes" -o out.bw --quiet
  rm a.bw.gz
  gzip -c "$sizes" | head -c 30 >cut.gz
  fails 1 "cut.gz: truncated" bigdna coverage cut.gz --chrom-sizes "$sizes" -o out.bw --quiet
  fails 1 "cut.gz: truncated" bigdna coverage a.bw --chrom-sizes cut.gz -o out.bw --quiet
  nothing_but a.bw cut cut.gz
}
fails_on_stdin() {
  local rc=0
  bigdna coverage - --chrom-sizes "$sizes" -o out.bw --quiet 2>err || rc=$?
  [ "$rc" = 1 ]
  grep -qF "$1" err
  rm err
}

@test "coverage: what a file cannot be asked for" {
  printf 'chr1\t1\t9\t1,5\nchr1\t9\t12\t2,5\n' >comma.bedgraph
  fails 1 "comma.bedgraph:1: value '1,5' is not a finite number (decimal commas are not read)" bigdna coverage comma.bedgraph --chrom-sizes "$sizes" -o out.bw --quiet
  printf 'chr1\t1\t9\t0.5\nchr1\t9\t12\t-2\n' >signed.bedgraph
  fails 1 "signed.bedgraph: has 1 values above 0 and 1 below" bigdna coverage signed.bedgraph --chrom-sizes "$sizes" -o out.bw --quiet
  printf 'chr1\t5\t9\t1\nchr1\t1\t3\t2\n' >unsorted.bedgraph
  fails 1 "unsorted.bedgraph:2: the interval overlaps or precedes the one before it" bigdna coverage unsorted.bedgraph --chrom-sizes "$sizes" -o out.bw --quiet
  head -1 signed.bedgraph >a.bedgraph
  fails 1 "a.bedgraph: holds a signal in bedGraph: count can only be coverage" bigdna coverage a.bedgraph --chrom-sizes "$sizes" -o out.bw --count cuts --quiet
  fails 1 "shift, extend, fragment_length and min_mapq are for reads" bigdna coverage a.bedgraph --chrom-sizes "$sizes" -o out.bw --extend 9 --quiet
  bigdna coverage a.bedgraph --chrom-sizes "$sizes" -o - 2>err | grep -qx $'chr1\t1\t9\t0.5'
  grep -q "1 of 1 value is no whole number: the file holds a scaled signal" err
  printf 'chr1\t1\t9\tNA\nchr1\t9\t12\t3\n' >missing.txt  # by its first line no intervals with names
  fails 1 "missing.txt:1: value 'NA' is not a finite number" bigdna coverage missing.txt --chrom-sizes "$sizes" -o out.bw --quiet
  for i in {0..19}; do printf 'chr1\t%s\t%s\t%s\n' $((50 * i + 1)) $((50 * i + 50)) $i; done >from1.bedgraph
  bigdna coverage from1.bedgraph --chrom-sizes "$sizes" -o from1.bw 2>err
  grep -q "from1.bedgraph: 19 of 19 records begin one base behind the end of the one before, and none at it: do starts count from 1" err
  awk -v OFS='\t' '{ $2--; print }' from1.bedgraph >from0.bedgraph
  bigdna coverage from0.bedgraph --chrom-sizes "$sizes" -o from0.bw 2>err
  not grep -q "starts count from 1" err
  printf 'chr1\t1\t9\nchr1\t20\t30\n' >fragments.bed
  fails 1 "extend is for reads: fragments have their own length" bigdna coverage fragments.bed --chrom-sizes "$sizes" -o out.bw --extend 9 --quiet
  fails 1 "strand is not known for such fragments" bigdna coverage fragments.bed --chrom-sizes "$sizes" -o out.bw --strand + --quiet
  printf 'chr1\t1\t9\t.\t.\t+\n' >reads.bed
  fails 1 "a record has no mapping quality" bigdna coverage reads.bed --chrom-sizes "$sizes" -o out.bw --min-mapq 3 --quiet
  printf 'chr1\t1\t9\t.\t.\t+\nchr1\t1\t9\t.\t.\n' >short.bed
  fails 1 "short.bed:2: 5 columns; the first record has at least 6" bigdna coverage short.bed --chrom-sizes "$sizes" -o out.bw --quiet
  fails 1 "is not a line of BED, BEDPE, a fragment file or bedGraph" bigdna coverage "$TEST_DATA/peaks.tsv" --chrom-sizes "$sizes" -o out.bw --quiet
  printf 'chrom\tstart\tend\tbarcode\tcount\nchr1\t1\t9\tAA\t1\n' >headed.tsv
  fails 1 "headed.tsv:1: is not a line of BED, BEDPE, a fragment file or bedGraph (it looks like a header: begin it with #, or remove it)" bigdna coverage headed.tsv --chrom-sizes "$sizes" -o out.bw --quiet
  samtools view -h -F 1 "$reads/sorted.bam" >single.sam
  fails 1 "single.sam: no read is in a proper pair" bigdna coverage single.sam --chrom-sizes "$sizes" -o out.bw --unit fragments --quiet
  fails 1 "https://example.org/a.bw: No such file or directory" bigdna coverage https://example.org/a.bw --chrom-sizes "$sizes" -o out.bw --quiet
  : >empty
  fails 1 "empty: is empty" bigdna coverage empty --chrom-sizes "$sizes" -o out.bw --quiet
  [ ! -e out.bw ]
  fails 2 "give --chrom-sizes TSV or --genome FASTA" bigdna coverage reads.bed -o out.bw --quiet
  fails 2 "give --output FILE or --table FILE" bigdna coverage reads.bed --chrom-sizes "$sizes" --quiet
  fails 2 "--shift: '4' is not of the form PLUS,MINUS" bigdna coverage reads.bed --chrom-sizes "$sizes" -o out.bw --shift 4 --quiet
  fails 2 "extend is for reads" bigdna coverage reads.bed --chrom-sizes "$sizes" -o out.bw --extend 4 --unit fragments --quiet
  bigdna coverage reads.bed --chrom-sizes "$sizes" -o out.bw --extend 50 --count ends 2>err || [ $? = 2 ]
  [ "$(grep -o 'bigdna coverage: ' err | wc -l)" = 1 ]
  fails 2 "files of this suffix cannot be used here" bigdna coverage reads.bed --chrom-sizes "$sizes" -o out.bed --quiet
  fails 1 "is the input a.bedgraph itself" bigdna coverage a.bedgraph --chrom-sizes "$sizes" -o a.bedgraph --quiet
}

@test "coverage: only mitochondria, nothing that is counted, fragments in the form of reads, one heap: warnings" {
  samtools view -h "$reads/sorted.bam" | awk '/^@/ || $3 == "chrM"' >m.sam
  bigdna coverage m.sam --chrom-sizes "$sizes" -o m.bw 2>err
  grep -q "warning: m.sam: all counted reads or fragments are mitochondrial" err
  samtools view -h "$reads/sorted.bam" | awk '/^@/ || $3 == "*"' >u.sam
  bigdna coverage u.sam --chrom-sizes "$sizes" -o u.bw 2>err
  grep -q "warning: u.sam: alignments (BAM, CRAM or SAM): 0 counted; left out: unmapped 40: the track is 0 everywhere" err
  bigdna coverage u.bw --chrom-sizes "$sizes" -o - 2>err | sed '/^#/d' | no_lines
  grep -q "warning: u.bw: all values are 0" err
  awk -v OFS='\t' 'BEGIN {for (i = 0; i < 200; ++i) print "chr1", i, i + 40 + i, ".", 1, "+"}' >f.bed
  bigdna coverage f.bed --chrom-sizes "$sizes" --count cuts -o f.bw 2>err
  grep -q "warning: f.bed: its records are 40 to 239 bp long, all on strand +: if they are fragments" err
  printf 'chr1\t5000000\nchr2\t9000\n' >large.tsv
  bigdna coverage f.bed --chrom-sizes large.tsv -o f.bw 2>err
  grep -q "warning: f.bed: 100.0 % of the counted reads or fragments are in chr1:1-10,000" err
}

@test "coverage: MACS3's pile-ups of real reads, to the last base" {
  real_data "$real/CTCF_SE_ChIP_chr22_50k.bed.gz"
  sizes=$BIGDNA_DATA/liftover/chrom_sizes/human.hg19.genome
  count "$real/CTCF_SE_ChIP_chr22_50k.bed.gz" --extend 200 >single
  count "$real/CTCF_PE_ChIP_chr22_50k.bedpe.gz" >paired
  for name in SE_ChIP.macs3_pileup_extsize200 PE_ChIP.macs3_pileup; do
    zcat "$real/CTCF_$name.bdg.gz" | awk -v OFS='\t' '$4 > 0 {print $1, $2, $3, $4 + 0}' >$name
  done
  same_files single SE_ChIP.macs3_pileup_extsize200
  same_files paired PE_ChIP.macs3_pileup
}

@test "coverage: real bigWig files of both strands, real fragments with barcodes" {
  real_data "$real/K562.PROseq.hg19.chr21.plus.bw"
  sizes=$BIGDNA_DATA/liftover/chrom_sizes/human.hg19.genome
  [ "$(count "$real/K562.PROseq.hg19.chr21.plus.bw" | awk '{s += $4 * ($3 - $2)} END {print s}')" = 1549575 ]
  bigdna coverage "$real/K562.PROseq.hg19.chr21.minus.bw" --chrom-sizes "$sizes" -o - 2>err >minus
  [ "$(sed '/^#/d' minus | awk '{s += $4 * ($3 - $2)} END {print s}')" = 1403768 ]
  grep -q "all values are below 0, as in tracks of the minus strand; their magnitudes are used" err
  sizes=$BIGDNA_DATA/liftover/chrom_sizes/sacCer3.chrom.sizes
  count "$real/yeast_500k_SRR1822137.frag.gz" --duplicates keep --count cuts >fragments
  count "$real/yeast_500k_SRR1822137.bedpe.gz" --count cuts >pairs
  same_files fragments pairs
}

@test "coverage: signs of TLEN do not matter, and soft-clipped bases in it are no part of a fragment" {
  bases=$(printf 'A%.0s' {1..50})
  # Older bowtie2 gives both reads of a pair one sign where they cover the same bases.
  for sign in - ''; do
    printf "@SQ\tSN:chr1\tLN:20000\na\t99\tchr1\t1001\t42\t50M\t=\t1001\t${sign}50\t$bases\t*\na\t147\tchr1\t1001\t42\t50M\t=\t1001\t${sign}50\t$bases\t*\n" >sign.sam
    printf "b\t99\tchr1\t2001\t42\t50M\t=\t2101\t150\t$bases\t*\nb\t147\tchr1\t2101\t42\t50M\t=\t2001\t-150\t$bases\t*\n" >>sign.sam
    [ "$(count sign.sam --unit fragments)" = $'chr1\t1000\t1050\t1\nchr1\t2000\t2150\t1' ]
  done
  # bowtie2 --local counts soft-clipped bases: 9 on the left here, and 5 on the right, which only MC tells.
  for mate in '' $'\tMC:Z:45M5S'; do
    printf "@SQ\tSN:chr1\tLN:20000\n@PG\tID:x\tPN:bowtie2\na\t163\tchr1\t5008\t44\t9S41M\t=\t5069\t120\t$bases\t*$mate\na\t83\tchr1\t5069\t44\t45M5S\t=\t5008\t-120\t$bases\t*\n" >clips.sam
    bigdna coverage clips.sam --chrom-sizes "$sizes" -o - --unit fragments 2>err | sed '/^#/d' >out
    [ "$(cat out)" = $'chr1\t5007\t'"$([ -n "$mate" ] && echo 5113 || echo 5118)"$'\t1' ]
    if [ -z "$mate" ]; then grep -q "warning: clips.sam: TLEN of 1 pairs includes soft-clipped bases" err; else not grep TLEN err; fi
  done
  printf "@SQ\tSN:chr1\tLN:20000\na\t99\tchr1\t19901\t42\t5S45M\t=\t19956\t110\t$bases\t*\na\t147\tchr1\t19956\t42\t45M5S\t=\t19901\t-110\t$bases\t*\n" >end.sam
  [ "$(count end.sam)" = $'chr1\t19900\t19945\t1\nchr1\t19955\t20000\t1' ]
  [ "$(count end.sam --unit fragments)" = $'chr1\t19900\t20000\t1' ]
}

@test "coverage: columns behind a signal, BEDPE without mates, counts in column 5" {
  printf 'chr1\t100\t200\t3\t\nchr1\t200\t300\t5\t\n' >tab.bedGraph
  [ "$(count tab.bedGraph)" = $'chr1\t100\t200\t3\nchr1\t200\t300\t5' ]
  for values in '1.5\t2.5' '1\t2'; do  # of bedtools unionbedg
    printf "chr1\t100\t200\t$values\n" >two.bg
    fails 1 "two.bg:1: columns 4 and 5 are numbers, so this is neither a fragment file" bigdna coverage two.bg --chrom-sizes "$sizes" -o - --quiet
  done
  printf 'chr1\t100\t100\t66.7\t2\t1\n' >bismark.cov
  fails 1 "bismark.cov: has numbers in columns 5 and 6, as BEDPE has, but column 4 is never a contig" bigdna coverage bismark.cov --chrom-sizes "$sizes" -o - --quiet
  printf 'chr1\t500\t501\tx\t250\t+\nchr1\t510\t511\ty\t3\t+\n' >ctss.bed
  bigdna coverage ctss.bed --chrom-sizes "$sizes" --count starts -o out.bw 2>err
  grep -q "warning: ctss.bed: every record is 1 bp long and column 5 differs between records. Each counts once" err
  printf 'chr1\t510\t511\ty\t3\t+\n' >>ctss.bed  # two reads of one place
  bigdna coverage ctss.bed --chrom-sizes "$sizes" --count starts -o out.bw 2>err
  not grep "every record is 1 bp" err
}

@test "coverage: a table of barcodes without a header keeps its first one" {
  for names in "s1_AAACGAAAGCGCAATG-1 s1_CCACGAAAGCGCAATG-1" "PBMC#AAACGAAAGC-1 PBMC#CCACGAAAGC-1" "AAACGAAA-1-0 CCACGAAA-1-0" "cell_1 cell_22"; do
    read -r one two <<<"$names"
    printf "chr1\t100\t200\t$one\t1\nchr1\t300\t400\t$two\t1\n" >fr.tsv
    printf "$one\tB\n$two\tB\n" >bc.tsv
    [ "$(count fr.tsv --barcodes bc.tsv --barcode-group B)" = $'chr1\t100\t200\t1\nchr1\t300\t400\t1' ]
    printf "barcode\tgroup\n$one\tB\n$two\tB\n" >bc.tsv
    [ "$(count fr.tsv --barcodes bc.tsv --barcode-group B)" = $'chr1\t100\t200\t1\nchr1\t300\t400\t1' ]
  done
}
