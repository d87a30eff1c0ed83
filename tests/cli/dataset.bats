# bigdna dataset promoter | chromatin
load helpers

@test "dataset promoter: every sequence is its interval, on its strand; splits do not touch" {
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 \
    --tss-distance 700 --negatives genomic,permute -o d --quiet
  nothing_but d
  # positives and genomic negatives equal bedtools getfasta -s of their intervals
  bgzip -dc "$TEST_DATA/genome.fa.gz" | awk '/^>/ {print; next} {print toupper($0)}' | sed '/^[^>]/y/RYSWKMBDHVU/NNNNNNNNNNT/' >genome.fa
  bgzip -dc d/regions.bed.gz | awk '!/^#/ && ($8 == "promoter" || $8 == "genomic")' >real.bed
  bedtools getfasta -s -nameOnly -tab -fi genome.fa -bed real.bed | sed 's/([+-])\t/\t/' | sort >expected
  bgzip -dc d/sequences.fa.gz | awk '/^>/ {name = substr($1, 2); next} {print name "\t" $0}' | grep -v permute | sort >found
  cmp expected found
  [ "$(wc -l <found)" -gt 300 ]
  # -400 .. +200 around each start site on its strand: the site is base 401 of every positive
  bgzip -dc d/regions.bed.gz | awk -v OFS='\t' '$8 == "promoter" {site = $6 == "+" ? $2 + 400 : $3 - 401; print $1, site, site + 1, $6}' | sort >sites
  comm -23 sites <(cut -f1-3,6 "$TEST_DATA/tss.bed" | sort) | no_lines
  # no interval of one split overlaps one of another, negatives lie 700 bp from every start site
  bgzip -dc d/regions.bed.gz | awk '!/^#/ {print > $7 ".bed"}'
  for pair in "train test" "train validation" "validation test"; do
    bedtools intersect -a ${pair% *}.bed -b ${pair#* }.bed | no_lines
  done
  awk '$8 == "genomic"' real.bed | bedtools window -w 700 -a - -b "$TEST_DATA/tss.bed" | no_lines
  # a positive's negatives are in its split
  bgzip -dc d/regions.bed.gz | awk '!/^#/ {split($4, part, "/"); print part[1], $7}' | sort -u | cut -d' ' -f1 | uniq -d | no_lines
}

@test "dataset promoter: stdin, BED3, a table of sites; the same bytes again" {
  options=(-g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 --quiet)
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" "${options[@]}" -o a
  bigdna dataset promoter --promoters - "${options[@]}" -o b <"$TEST_DATA/tss.bed"
  cut -f1,2,6 "$TEST_DATA/tss.bed" >table.txt
  bigdna dataset promoter --promoters table.txt "${options[@]}" -o c
  same_files a/regions.bed.gz b/regions.bed.gz
  same_files a/sequences.fa.gz b/sequences.fa.gz
  same_files <(bgzip -dc a/regions.bed.gz | cut -f1-3,5-8) <(bgzip -dc c/regions.bed.gz | cut -f1-3,5-8)
  cut -f1-3 "$TEST_DATA/tss.bed" >three.bed
  run bigdna dataset promoter --promoters three.bed -g "$TEST_DATA/genome.fa.gz" --recipe deepromoter -o d
  [ "$status" = 0 ]
  [[ $output == *"three.bed:1: 188 of 188 start sites have no strand (column 6) and are taken as +"* ]]
  bgzip -dc d/regions.bed.gz | awk '!/^#/ && $3 - $2 != 300' | no_lines
}

@test "dataset promoter: errors name the cause, and leave no output" {
  printf 'chr1\t5\t4\n' >bad.bed
  fails 1 "bad.bed:1: " bigdna dataset promoter --promoters bad.bed -g "$TEST_DATA/genome.fa.gz" -o d
  printf 'chr9\t5\t6\tx\t0\t+\n' >other.bed
  fails 1 "no start site lies on a contig of" bigdna dataset promoter --promoters other.bed -g "$TEST_DATA/genome.fa.gz" -o d
  fails 1 "missing.bed" bigdna dataset promoter --promoters missing.bed -g "$TEST_DATA/genome.fa.gz" -o d
  fails 2 "--negatives" bigdna dataset promoter --promoters bad.bed -g "$TEST_DATA/genome.fa.gz" -o d --negatives guess
  fails 2 "--negatives names genomic twice" bigdna dataset promoter --promoters no.bed -g no.fa -o d --negatives genomic,permute,genomic
  fails 1 "no.fa: No such file" bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g no.fa -o d --quiet
  [ ! -e d ]
  mkdir full
  touch full/file
  fails 1 "full: is not empty" bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" -o full
}

@test "start sites by RefSeq's accessions: dataset chromatin, whichever names the genome has" {
  gzip -dc "$TEST_DATA/genome.fa.gz" >genome.fa
  sed -E 's/^chr([0-9])/NC_00000\1.10/; s/^chrX/NC_000023.10/' "$TEST_DATA/tss.bed" >accessions.bed
  sed -E 's/^>chr([0-9])/>NC_00000\1.10/; s/^>chrX/>NC_000023.10/' genome.fa >accessions.fa
  options=(--keep all --upstream 0 --downstream 0 --test 0 --validation 0 --quiet)
  bigdna dataset chromatin --start-sites "$TEST_DATA/tss.bed" -g genome.fa "${options[@]}" -o one
  bigdna dataset chromatin --start-sites accessions.bed -g genome.fa "${options[@]}" -o two
  bigdna dataset chromatin --start-sites accessions.bed -g accessions.fa "${options[@]}" -o three
  same_files one/labels.safetensors two/labels.safetensors
  same_files one/labels.safetensors three/labels.safetensors
  printf 'chr9\t5\t6\tx\t0\t+\n' >other.bed
  fails 1 "other.bed: no peak lies on a contig that is used: peaks are on chr9, and genome.fa has chr1" \
    bigdna dataset chromatin --start-sites other.bed -g genome.fa "${options[@]}" -o four
}

@test "dataset chromatin: labels equal bedtools merge and coverage on every bin" {
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$TEST_DATA/genome.fa.gz" --keep all --max-n-fraction 1 --test 0 --validation 0 \
    --upstream 0 --downstream 0 -o d --quiet -@2
  bgzip -dc d/regions.bed.gz | grep -v '^#' | cut -f1-3 >bins.bed
  feature=0
  for file in tf.narrowPeak dhs.narrowPeak.gz hm.broadPeak; do
    if [[ $file == *.gz ]]; then gzip -dc "$TEST_DATA/$file"; else cat "$TEST_DATA/$file"; fi | sort -k1,1 -k2,2n | bedtools merge -i - |
      bedtools coverage -a bins.bed -b - | awk '{print ($(NF - 2) > 100) ? 1 : 0}' >expected.$feature
    feature=$((feature + 1))
  done
  python3 - <<'END' >found
import json, struct
with open("d/labels.safetensors", "rb") as file:
    size = struct.unpack("<Q", file.read(8))[0]
    header = json.loads(file.read(size))
    begin, end = header["labels"]["data_offsets"]
    data = file.read()[begin:end]
rows, width = header["labels"]["shape"]
assert width == 1 and len(data) == rows
for byte in data:
    print(*(byte >> feature & 1 for feature in range(3)))
END
  cmp found <(paste -d' ' expected.0 expected.1 expected.2)
  [ "$(grep -c 1 found)" -gt 500 ]
  # scores are the number of labels
  cmp <(bgzip -dc d/regions.bed.gz | grep -v '^#' | cut -f5) <(awk '{print $1 + $2 + $3}' found)
}

@test "dataset chromatin: bins with a TF label by default; threads change nothing" {
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$TEST_DATA/genome.fa.gz" --negatives 0.5 -o a --quiet -@1
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$TEST_DATA/genome.fa.gz" --negatives 0.5 -o b --quiet -@2
  for file in regions.bed.gz labels.safetensors features.tsv; do same_files a/$file b/$file; done
  golden dataset_chromatin_features cat a/features.tsv
}

@test "dataset chromatin: --negatives is a share of all bins, not rounded on each contig" {
  python3 -c 'import random
random.seed(1)
for i in range(7): print(f">c{i}\n" + "".join(random.choice("ACGT") for _ in range(4000)))' >small.fa
  for i in 0 1 2 3 4 5 6; do printf 'c%d\t400\t600\n' $i; done >small.bed
  printf 'file\tname\nsmall.bed\tA\n' >table.tsv
  for threads in 1 2; do
    bigdna dataset chromatin --peaks table.tsv -g small.fa --negatives 0.9 --keep any --test 0 --validation 0 --upstream 0 --downstream 0 -o d$threads --quiet -@$threads
  done
  [ "$(bgzip -dc d1/regions.bed.gz | grep -vc '^#')" = 13 ]  # 7 and 6.3
  same_files d1/regions.bed.gz d2/regions.bed.gz
}

@test "dataset chromatin: --negatives that one contig lacks come from the others; too few of them are a warning" {
  python3 -c 'import random
random.seed(1)
for name, bases in ("full", 2000), ("empty", 40000): print(f">{name}\n" + "".join(random.choice("ACGT") for _ in range(bases)))' >g.fa
  printf 'full\t0\t2000\nempty\t0\t200\n' >peaks.bed
  printf 'file\tname\npeaks.bed\tA\n' >table.tsv
  build() { bigdna dataset chromatin --peaks table.tsv -g g.fa --test 0 --validation 0 --upstream 0 --downstream 0 "$@"; }
  for threads in 1 2; do build --keep any --negatives 2 -o d$threads -@$threads 2>err; not grep negatives err; done
  [ "$(bgzip -dc d1/regions.bed.gz | awk '!/^#/ {++n[$5]} END {print n[1], n[0]}')" = "11 22" ]
  bgzip -dc d1/regions.bed.gz | grep -v '^#' | sort -c -k1,1r -k2,2n
  same_files d1/regions.bed.gz d2/regions.bed.gz
  same_files d1/labels.safetensors d2/labels.safetensors
  build --keep any --negatives 1e300 -o all 2>err
  grep -F "warning: --negatives 1e+300: contigs with peaks have only 199 bins without a label in the splits, for 11 bins with one" err
  [ "$(bgzip -dc all/regions.bed.gz | grep -vc '^#')" = 210 ]
  fails 2 "--negatives: --keep all has all bins without a label already" build --keep all --negatives 1 -o none
}

@test "dataset chromatin: errors name the cause, and leave no output" {
  printf 'file\tname\nno.bed\tA\n' >table.tsv
  fails 1 "table.tsv:2: no.bed: no such file" bigdna dataset chromatin --peaks table.tsv -g "$TEST_DATA/genome.fa.gz" -o d
  printf 'chr1\t10\t99999999\n' >far.bed
  printf 'file\tname\nfar.bed\tA\n' >table.tsv
  fails 1 "far.bed:1: end 99999999 is past the end of chr1" bigdna dataset chromatin --peaks table.tsv -g "$TEST_DATA/genome.fa.gz" -o d
  printf 'file\tname\tcell\nfar.bed\tA\tx\nfar.bed\tCT\xe9\tx\n' >latin.tsv
  fails 1 $'latin.tsv:3: the name \'CT\xe9\' is not UTF-8' bigdna dataset chromatin --peaks latin.tsv -g "$TEST_DATA/genome.fa.gz" -o d
  fails 2 "no feature of group TF" bigdna dataset chromatin --peaks table.tsv -g "$TEST_DATA/genome.fa.gz" -o d --keep tf
  [ ! -e d ]
}

@test "dataset chromatin: peaks or a bundle, and what goes with which" {
  fails 2 "give --peaks TSV, --start-sites FILE, --tracks TSV or --deepsea DIR" bigdna dataset chromatin -g "$TEST_DATA/genome.fa.gz" -o d
  fails 2 "--peaks cannot be used with --deepsea" bigdna dataset chromatin --deepsea b --peaks "$TEST_DATA/peaks.tsv" -g "$TEST_DATA/genome.fa.gz" -o d
  fails 2 "--deepsea cannot be used with --max-bins" bigdna dataset chromatin --deepsea b --max-bins 4 -g "$TEST_DATA/genome.fa.gz" -o d
  mkdir b
  fails 1 "b: has no train.mat, valid.mat or test.mat" bigdna dataset chromatin --deepsea b -g "$TEST_DATA/genome.fa.gz" -o d --quiet
  echo nonsense >b/test.mat
  fails 1 "b/test.mat: is not a MATLAB file" bigdna dataset chromatin --deepsea b -g "$TEST_DATA/genome.fa.gz" -o d --quiet
  [ ! -e d ]
}

@test "dataset chromatin: overlapping, unsorted and repeated peaks change nothing; a feature named twice is refused" {
  tac "$TEST_DATA/tf.narrowPeak" >turned.narrowPeak
  cat "$TEST_DATA/tf.narrowPeak" turned.narrowPeak >doubled.narrowPeak
  for file in "$TEST_DATA/tf.narrowPeak" "$PWD/turned.narrowPeak" "$PWD/doubled.narrowPeak"; do
    printf 'file\tname\n%s\tA\n' "$file" >table.tsv
    bigdna dataset chromatin --peaks table.tsv -g "$TEST_DATA/genome.fa.gz" --keep any -o d --force --quiet
    [[ -e first ]] || cp d/labels.safetensors first
    same_files first d/labels.safetensors
  done
  printf 'file\tname\n%s\tA\n%s\tA\n' "$TEST_DATA/tf.narrowPeak" "$TEST_DATA/hm.broadPeak" >table.tsv
  fails 1 "table.tsv:3: feature A (cell -, assay -) is named twice" bigdna dataset chromatin --peaks table.tsv -g "$TEST_DATA/genome.fa.gz" --keep any -o e --quiet
  [ ! -e e ]
}

@test "dataset chromatin: blanks around a table's fields; --exclude and BED files of splits are inputs; one that excludes nothing is pointed out" {
  printf 'file\tname\tgroup \n%s\tone\t TF \n' "$TEST_DATA/tf.narrowPeak" >peaks.tsv
  printf 'chr2\t0\t20000\n' >test.bed
  printf 'chr1\t0\t5000\n' >out.bed
  bigdna dataset chromatin --peaks peaks.tsv -g "$TEST_DATA/genome.fa.gz" --test test.bed --validation chrX --exclude out.bed -o made 2>log
  [ "$(tail -1 made/features.tsv | cut -f5)" = TF ]
  grep -q -- "--keep tf" log
  python3 -c 'import json; print([i["path"] for i in json.load(open("made/dataset.json"))["inputs"]])' >inputs
  for file in out.bed test.bed; do grep -q "$file" inputs; done
  printf 'NC_9\t0\t5000\n' >elsewhere.bed
  bigdna dataset chromatin --peaks peaks.tsv -g "$TEST_DATA/genome.fa.gz" --test chr2 --validation chrX --exclude elsewhere.bed -o again 2>log
  grep -q "warning: elsewhere.bed: none of its 1 interval lies on a contig that is used: it has NC_9 and others, the genome chr1 and others" log
}

peaks_of() { printf 'file\tname\n%s\tA\n' "$1" >of_one.tsv; bigdna dataset chromatin --peaks of_one.tsv -g "$TEST_DATA/genome.fa.gz" --keep any -o d --force "${@:2}"; }

@test "dataset chromatin: bedGraph of any name, tables that count from 1 and pairs are refused" {
  awk -v OFS='\t' 'BEGIN {for (i = 0; i < 100; ++i) print "chr1", 100 * i, 100 * i + 100, i % 7 ? 0 : 2.5}' >signal.bed
  fails 1 "signal.bed: bedGraph holds a signal, not peaks: call peaks of it first" peaks_of signal.bed
  bgzip -c signal.bed >signal.bg.gz
  fails 1 "signal.bg.gz: bedGraph holds a signal" peaks_of signal.bg.gz
  awk -v OFS='\t' '{print $1, $2 + 1, $3, $3 - $2, "*"}' "$TEST_DATA/tf.narrowPeak" >ranges.tsv
  fails 1 "ranges.tsv: column 4 is end - start + 1 in every record, so starts count from 1" peaks_of ranges.tsv
  { printf 'seqnames\tstart\tend\twidth\tstrand\n'; cat ranges.tsv; } >granges.tsv
  fails 1 "granges.tsv:1: start 'start' is not a number (a header line of R's GRanges, whose starts count from 1" peaks_of granges.tsv
  sed '1s/^/#/' granges.tsv >hash.tsv
  fails 1 "hash.tsv: column 4 is end - start + 1 in every record" peaks_of hash.tsv
  { printf '# This file is generated by MACS version 2.2.7\n\n'; sed '1s/.*/#chr\tstart\tend\tlength\tabs_summit/' granges.tsv; } >peaks.xls
  fails 1 "peaks.xls: column 4 is end - start + 1 in every record" peaks_of peaks.xls
  awk -v OFS='\t' '{print $1, $2, $3, $1, $2 + 300, $3 + 300, "pair", 0, "+", "-"}' "$TEST_DATA/tf.narrowPeak" >pairs.bedpe
  fails 1 "pairs.bedpe:1: columns 4 to 6 are a second interval: pairs (BEDPE) are not read" peaks_of pairs.bedpe
  [ ! -e d ]
}

@test "dataset chromatin: fragments, a copy of a file, blocks are pointed out; strands are not read" {
  awk -v OFS='\t' 'BEGIN {for (i = 0; i < 900; ++i) print "chr1", 5000 + 60 * i, 5180 + 60 * i, "ACGTACGTAC", 1}' >fragments.bed
  peaks_of fragments.bed 2>err
  grep "warning: fragments.bed: 899 of 900 intervals overlap another one: are these reads, fragments or a signal?" err
  awk -v OFS='\t' '{print $1, $2, $3, 9.5, 2, $1 ":" $2 "-" $3}' "$TEST_DATA/tf.narrowPeak" >seacr.bed
  peaks_of seacr.bed 2>err
  not grep "warning: seacr.bed" err
  cp d/labels.safetensors seacr
  peaks_of "$TEST_DATA/tf.narrowPeak" --quiet
  same_files seacr d/labels.safetensors
  printf 'file\tname\ttab\nseacr.bed\tA\tx\n%s\tB\ty\n' "$TEST_DATA/tf.narrowPeak" >twice.tsv
  bigdna dataset chromatin --peaks twice.tsv -g "$TEST_DATA/genome.fa.gz" --keep any -o e 2>err
  grep "warning: twice.tsv: A and B have the same peaks (seacr.bed and $TEST_DATA/tf.narrowPeak)" err
  awk -v OFS='\t' '{print $1, $2, $3, "g" NR, 0, ".", $2, $3, 0, 2, "1,1,", "0," $3 - $2 - 1 ",", 1, 2, 3}' "$TEST_DATA/tf.narrowPeak" >peaks.gappedPeak
  peaks_of peaks.gappedPeak 2>err
  grep "blocks (columns 10 to 12, as in gappedPeak), which are not read: the whole record is the peak" err
  same_files seacr d/labels.safetensors
}

@test "dataset chromatin: fields of the table are counted and unquoted" {
  cp "$TEST_DATA/tf.narrowPeak" "$TEST_DATA/hm.broadPeak" .
  printf 'file\tname\tcell\tgroup\ntf.narrowPeak\tJUN\t(rep 1)\tK562\tTF\n' >more.tsv
  fails 1 "more.tsv:2: 5 fields, but the header has 4" bigdna dataset chromatin --peaks more.tsv -g "$TEST_DATA/genome.fa.gz" -o d
  printf 'file\tname\tcell\tgroup\ntf.narrowPeak\tJUN\n' >fewer.tsv
  fails 1 "fewer.tsv:2: 2 fields, but the header has 4" bigdna dataset chromatin --peaks fewer.tsv -g "$TEST_DATA/genome.fa.gz" -o d
  printf '"file","name","group"\ntf.narrowPeak,"CTCF, rep 1","TF"\n#hm.broadPeak,X,HM\nhm.broadPeak,"H3K27ac",HM\n' >quoted.csv
  bigdna dataset chromatin --peaks quoted.csv -g "$TEST_DATA/genome.fa.gz" -o d 2>err
  grep "quoted.csv: 1 row that begins with # is left out" err
  [ "$(tail -n 2 d/features.tsv | cut -f2,5)" = "$(printf 'CTCF, rep 1\tTF\nH3K27ac\tHM')" ]
  grep -- "--keep tf" err
}
