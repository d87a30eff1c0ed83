# Tables as spreadsheets, R, pandas, editors and other systems write them: read for what they are, or an error with the place.
load helpers

table() { printf 'sequence,label\n'; awk -v n="${1:-40}" 'BEGIN { srand(1); for (i = 0; i < n; ++i) { s = ""; for (j = 0; j < 30; ++j) s = s substr("ACGT", int(rand() * 4) + 1, 1); print s "," i % 2 } }'; }

@test "numbers with decimal commas or thousands separators, and words for missing ones" {
  table | sed '1!s/,1$/,"1,5"/; 1!s/,0$/,"0,25"/' >t.csv
  fails 1 "t.csv:2: label '0,25' is not a number: decimal commas and thousands separators are not read" bigdna dataset table t.csv -o d
  table | sed '1!s/,\(.\)$/,\1.5/; 20s/,[^,]*$/,"1,234.5"/' >t.csv
  fails 1 "t.csv:20: label '1,234.5' is not a number" bigdna dataset table t.csv -o d
  fails 1 "t.csv:20: label '1,234.5' is not a number: decimal commas" bigdna dataset table t.csv -o d --label-type regression
  # null is a missing value in every column: the row has no label
  table | sed '20s/,.$/,null/' >t.csv
  bigdna dataset table t.csv -o d --quiet
  [ "$(grep -v '^#' d/dropped.tsv | grep -c no_label)" = 1 ]
  rm -r d
  table 60 | sed '30s/,.$/,high/' >t.csv
  fails 1 "t.csv:30: label 'high' is not a number, but 59 of 60 labels are" bigdna dataset table t.csv -o d
  bigdna dataset table t.csv -o d --label-type classes --quiet
  rm -r d t.csv
  table | sed 's/,/;/' >t.csv
  fails 1 "t.csv:1: the columns are separated by semicolons" bigdna dataset table t.csv -o d
  table | sed 's/,/|/' >t.csv
  fails 1 "t.csv:1: the columns are separated by bars" bigdna dataset table t.csv -o d
  nothing_but t.csv
}

@test "a missing sequence is an error, as an empty one" {
  local word
  for word in NA NaN nan null None N/A '#N/A' - . ''; do
    table | word=$word awk -F, 'NR == 7 { print ENVIRON["word"] "," $2; next } 1' >t.csv
    fails 1 "t.csv:7: the sequence is" bigdna dataset table t.csv -o d --invalid-bases n
  done
  table | sed 's/^[ACGT]*/chr1,5,9/; 1s/.*/chrom,start,end,label/; 3s/chr1/NA/' >t.csv
  fails 1 "t.csv:3: the contig is 'NA', a missing value" bigdna dataset table t.csv -o d
  printf '>a|1\nACGT\n>b|0\nNA\n' >t.fa
  fails 1 "t.fa:3: the sequence is 'NA', a missing value" bigdna dataset table t.fa -o d
}

@test "columns are chosen in the help's order, and two candidates are named" {
  table | awk -F, 'NR == 1 { print "y,seq,label,sequence"; next } { print "x," substr($1, 2) "," $2 "," $1 }' >t.csv
  run bigdna dataset table t.csv -o d
  [ "$status" -eq 0 ]
  [[ $output == *"t.csv:1: of the columns sequence, seq the first is read (--sequence-column chooses another)"* ]]
  [[ $output == *"t.csv:1: of the columns label, y the first is read (--label-columns chooses another)"* ]]
  grep -q '"longest": 30' d/dataset.json
  run bigdna dataset table t.csv -o d2 --sequence-column seq --label-columns label
  [ "$status" -eq 0 ]
  [[ $output != *"the first is read"* ]]
  grep -q '"longest": 29' d2/dataset.json
}

@test "a label's column whose name has a comma" {
  printf 'sequence\tbound, in K562\tsplit\n' >t.tsv
  for i in 1 2 3 4 5 6; do printf 'ACGTACGGT%sA\t%s\t%s\n' "$(printf 'AC%.0s' $(seq $i))" $((i % 2)) "$([ $i -lt 5 ] && echo train || echo test)" >>t.tsv; done
  bigdna dataset table t.tsv --label-columns "bound, in K562" -o d --quiet
  fails 1 "the columns are sequence, 'bound, in K562', split" bigdna dataset table t.tsv --label-columns bound -o e
}

@test "which word is 1 is said" {
  table | sed 's/,0$/,inactive/; s/,1$/,active/' >t.csv
  run bigdna dataset table t.csv -o d --label-type binary
  [ "$status" -eq 0 ]
  [[ $output == *"label: 1 is 'inactive', 0 is 'active'; models predict the probability of 'inactive'"* ]]
  grep -q '"positive": "inactive"' d/dataset.json
  grep -q '"negative": "active"' d/dataset.json
  grep -qP '^0\tlabel=inactive\t' d/features.tsv
  table >t.csv
  bigdna dataset table t.csv -o d --force --quiet
  grep -qP '^0\tlabel=1\t' d/features.tsv
}

@test "what systems and editors leave in folders is not read" {
  mkdir -p g/.ipynb_checkpoints g/__MACOSX g/.hidden
  table 60 >g/train.csv
  table 70 | sed '2,61d' >g/test.csv
  local name
  for name in ._train.csv .ipynb_checkpoints/train-checkpoint.csv __MACOSX/train.csv .hidden/x.csv .train.csv.swp '~$train.csv' 'train.csv~' '#train.csv#' .DS_Store; do
    echo junk >"g/$name"
  done
  bigdna dataset table g -o d --quiet
  grep -q '"rows_read": 70' d/dataset.json
}

@test "the same table twice" {
  mkdir g
  table >g/train.csv
  gzip -k g/train.csv
  fails 1 "g: train.csv and train.csv.gz are one table twice" bigdna dataset table g -o d
  rm g/train.csv.gz
  cp g/train.csv g/test.csv
  fails 1 "g/train.csv: holds the same rows and labels as g/test.csv" bigdna dataset table g -o d
  fails 1 "g/test.csv: holds the same rows and labels as g/train.csv" bigdna dataset table g/train.csv g/test.csv --splits train,test -o d
}

@test "what is no text is named, with the remedy" {
  table >t.csv
  python3 - <<'PY'
import gzip, tarfile, zipfile
text = open("t.csv").read()
with zipfile.ZipFile("t.xlsx", "w") as file:
    file.writestr("xl/workbook.xml", text)
open("utf16.csv", "w", encoding="utf-16").write(text)
open("utf16le.csv", "w", encoding="utf-16-le").write(text)
open("twice.csv.gz", "wb").write(gzip.compress(gzip.compress(text.encode())))
open("bzip.csv", "wb").write(b"BZh91AY&SY" + bytes(30))
open("xls.csv", "wb").write(b"\xd0\xcf\x11\xe0" + bytes(30))
open("p.csv", "wb").write(b"PAR1" + bytes(30))
with tarfile.open("t.csv.tar.gz", "w:gz") as file:
    file.add("t.csv")
PY
  mv t.csv.tar.gz tar.csv.gz
  cp t.xlsx zipped.csv
  gzip -c t.xlsx >zipped.csv.gz
  local file
  for file in "t.xlsx a zip archive or an Excel workbook; unpack it, or save the table as CSV" "zipped.csv a zip archive or an Excel workbook" \
    "zipped.csv.gz a zip archive" "utf16.csv UTF-16 text; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)" \
    "utf16le.csv not text (it has bytes 0; if it is UTF-16, convert it" "twice.csv.gz compressed with gzip twice" \
    "bzip.csv compressed with bzip2; gzip, bgzip and xz are read" "xls.csv an Excel workbook; save the table as CSV" "p.csv a Parquet file" \
    "tar.csv.gz a tar archive; unpack it first"; do
    fails 1 "${file%% *}: is ${file#* }" bigdna dataset table "${file%% *}" -o d
  done
  fails 1 "t.xlsx: is a zip archive" bigdna dataset promoter --promoters t.xlsx -g "$TEST_DATA/genome.fa.gz" -o d --quiet
  fails 1 "utf16.csv: is UTF-16 text" bigdna dataset chromatin --peaks utf16.csv -g "$TEST_DATA/genome.fa.gz" -o d --quiet
  fails 1 "utf16.csv: is UTF-16 text" bigdna vocab utf16.csv -o v --quiet
  printf '\xEB\xF2\x89\x87\x04' >peaks.bb
  printf '\x26\xFC\x8F\x88\x04' >peaks.bw
  printf 'BAM\1rest' | bgzip >peaks.bed
  printf 'CRAM\3\0rest' >peaks.cram
  printf 'BCF\2\2rest' | bgzip >peaks.narrowPeak
  for file in "peaks.bb a bigBed file; convert it to BED (bigBedToBed" "peaks.bw a bigWig file; it has values and no intervals" \
    "peaks.bed a BAM file; it has reads" "peaks.cram a CRAM file" "peaks.narrowPeak a BCF file; convert it to VCF"; do
    printf 'name\tfile\nA\t%s\n' "${file%% *}" >peaks.tsv
    fails 1 "${file%% *}: is ${file#* }" bigdna dataset chromatin --peaks peaks.tsv -g "$TEST_DATA/genome.fa.gz" -o d --quiet
    fails 1 "${file%% *}: is ${file#* }" bigdna dataset promoter --promoters "${file%% *}" -g "$TEST_DATA/genome.fa.gz" -o d --quiet
  done
  gzip -c t.csv >gzipped  # a wrong name is read for what it is
  mv gzipped t.csv
  bigdna dataset table t.csv -o d --quiet
}
