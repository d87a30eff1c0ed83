# bigdna dataset table: formats, label types, splits, leakage, and what is wrong with a file.
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  [[ -e $BATS_FILE_TMPDIR/t.csv ]] || python3 - >"$BATS_FILE_TMPDIR/t.csv" <<'PY'
import random
random.seed(1)
print("sequence,label")
for i in range(60):
    print("".join(random.choice("ACGT") for _ in range(40 + i)) + f",{i % 2}")
PY
  cp "$BATS_FILE_TMPDIR/t.csv" t.csv
}
table() { bigdna dataset table "$@"; }
rows() { bgzip -dc "$1/regions.bed.gz" | grep -v '^#'; }
# The table that a dataset was made from: sequence, label, split of every row, sorted
back() {
  paste <(bgzip -dc "$1/sequences.fa.gz" | grep -v '^>') <(rows "$1" | cut -f5) <(rows "$1" | cut -f7) | sort
}

@test "CSV, TSV, gzip, xz, stdin, CRLF, a byte order mark, quotes: the same dataset" {
  golden dataset-table bigdna dataset table t.csv -o csv
  tr , '\t' <t.csv >t.tsv
  gzip -k t.csv
  xz -k t.csv
  { printf '\xEF\xBB\xBF'; sed 's/$/\r/' t.csv; } >dos.csv
  awk -F, '{print "\"" $1 "\",\"" $2 "\""}' t.csv >quoted.csv
  awk -F, 'NR > 1 {print ">row" NR - 1 "|" $2 "\n" substr($1, 1, 30) "\n" substr($1, 31)}' t.csv >t.fa
  for file in t.tsv t.csv.gz t.csv.xz dos.csv quoted.csv t.fa; do
    table $file -o "of_$file" --quiet -@1
    for part in regions.bed.gz sequences.fa.gz labels.safetensors leakage.tsv features.tsv; do same_files csv/$part "of_$file/$part"; done
  done
  table - -o stdin --quiet <t.csv
  table - -o stdin_xz --quiet -@2 <t.csv.xz
  same_files csv/labels.safetensors stdin/labels.safetensors stdin_xz/labels.safetensors
  same_files csv/sequences.fa.gz stdin/sequences.fa.gz stdin_xz/sequences.fa.gz
  # and back: the same rows
  same_files <(back csv | cut -f1,2) <(tail -n +2 t.csv | tr , '\t' | sort)
  head -c -20 t.csv.xz >short.csv.xz
  fails 1 "short.csv.xz: truncated or damaged xz data" table short.csv.xz -o d --quiet
}

@test "label types are recognised, and can be forced" {
  type() { grep -o '"label_type": "[a-z]*"' "$1/dataset.json" | cut -d'"' -f4; }
  label_with() { awk -F, -v OFS=, "NR > 1 {\$2 = $1} 1" t.csv; }
  label_with 'NR % 3' >classes.csv
  label_with 'NR % 3 == 0 ? "exon" : "intron"' >words.csv
  label_with 'NR / 7' >numbers.csv
  label_with 'NR % 5 ? NR / 7 : "NA"' >missing.csv
  label_with 'NR % 3 == 0 ? "\"liver,brain\"" : "brain"' >several.csv
  label_with 'NR % 2 ? "Negative" : "positive"' >signs.csv
  awk -F, -v OFS=, 'NR == 1 {print $0, "more"} NR > 1 {print $0, NR % 2}' t.csv >two.csv
  for pair in classes:classes words:classes numbers:regression missing:regression several:multilabel signs:binary; do
    table ${pair%:*}.csv -o ${pair%:*} --quiet
    [ "$(type ${pair%:*})" = ${pair#*:} ]
  done
  label_with 'NR == 3 ? "01" : NR % 2' >zeros.csv
  bigdna dataset table zeros.csv -o zeros 2>err
  grep -F "warning: zeros.csv:5: the labels '01' and '1' are one label, 1" err
  table two.csv --label-columns label,more -o two --quiet
  [ "$(type two)" = multilabel ]
  table two.csv --label-columns label,more --label-type regression -o two_numbers --quiet
  [ "$(type two_numbers)" = regression ]
  table t.csv --label-type classes -o forced --quiet
  [ "$(cut -f2 forced/features.tsv | tr '\n' ' ')" = "name 0 1 " ]
  [ "$(cut -f2 several/features.tsv | tr '\n' ' ')" = "name brain liver " ]
  # a comma in the names of classes
  label_with 'NR % 3 == 0 ? "\"promoter, strong\"" : NR % 3 == 1 ? "\"promoter, weak\"" : "enhancer"' >names.csv
  table names.csv -o names 2>err
  grep "names.csv: column label: its 3 different texts, such as 'promoter, .*', are read as lists of 4 labels (--label-type classes" err
  table names.csv --label-type classes -o names_classes 2>err
  [ "$(cut -f2 names_classes/features.tsv | tail -n +2 | tr '\n' '/')" = "enhancer/promoter, strong/promoter, weak/" ]
  label_with 'NR % 3 == 0 ? "\"liver,brain\"" : NR % 3 == 1 ? "brain" : "liver"' >lists_of_two.csv
  table lists_of_two.csv -o lists_of_two 2>err
  not grep "are read as lists" err
  rows missing | awk '$5 == "NA"' | no_lines
  [ "$(grep -c no_label missing/dropped.tsv)" = 12 ]
  # what other programs print for a value is the value, and what is hardly a name is an error with its line
  label_with 'NR % 2 ? "tensor(0)" : "tensor(1)"' >tensors.csv
  label_with 'sprintf("np.float64(%g)", NR / 8)' >scalars.csv
  table tensors.csv -o tensors --quiet
  table scalars.csv -o scalars --quiet
  [ "$(type tensors) $(type scalars)" = "binary regression" ]
  for wrong in "NR % 2 ? \"101\" : \"011\"|2: label '011|is a string of 0 and 1" "NR % 2 ? 1.5 : \"inf\"|2: label 'inf|is not a finite number" \
    "NR % 7 \" nM\"|2: label '2 nM|signs and units next to it are not read" "NR == 9 ? \"#DIV/0!\" : \"a\"|9: label '#DIV/0!|is the error of a spreadsheet's cell" \
    "NR % 3 ? NR % 2 : \"unknown\"|3: label 'unknown|is not a number, but" "NR % 3 ? \"a\" : NR % 2 ? \"a&b\" : \"b\"|3: label 'a&b|joins labels by '&'"; do
    IFS='|' read -r values where cause <<<"$wrong"
    label_with "$values" >wrong.csv
    fails 1 "wrong.csv:$where" table wrong.csv -o d --quiet
    fails 1 "$cause" table wrong.csv -o d --quiet
    [[ $wrong == *DIV* ]] || table wrong.csv --label-type classes -o named --force --quiet
  done
  awk -F, -v OFS=, 'NR == 1 {print $0, "fold", "set"} NR > 1 {print $0, NR % 5, NR % 3 ? "train" : "Test"}' t.csv >set.csv
  table set.csv -o set --label-columns label 2>err
  grep -q "warning: set.csv: column set holds a split in every row (Test ...), and is not read: --split-column set reads it" err
  table set.csv -o set --label-columns label --split-column set --force 2>err
  not grep -q "is not read" err
  fails 1 "numbers.csv:2: label '0.285714' is neither 0 nor 1" table numbers.csv --label-type binary -o d --quiet
  fails 1 "words.csv:2: label 'intron' is not a number" table words.csv --label-type regression -o d --quiet
  sed '9s/,.*/,1.2.3/' numbers.csv >typo.csv
  fails 1 "typo.csv:9: label '1.2.3' is not a number" table typo.csv -o d --quiet
  label_with 1 >same.csv
  fails 1 "same.csv: every row has the label 1, so there is nothing to learn" table same.csv -o d --quiet
  [ ! -e d ]
}

@test "labels as other programs write them: lists, and words for missing values" {
  outputs() { cut -f2 "$1/features.tsv" | tail -n +2 | tr '\n' ' '; }
  quoted() { awk -v FS=, -v OFS=, "NR > 1 {\$2 = \"\\\"\" ($1) \"\\\"\"} 1" t.csv; }
  quoted 'sprintf("[%d, %d]", NR % 2, NR % 3 == 0)' >python.csv
  quoted 'sprintf("[%d %d]", NR % 2, NR % 3 == 0)' >numpy.csv
  quoted 'sprintf("%d,%d,1", NR % 2, NR % 3 == 0)' >vector.csv
  for name in python numpy vector; do table $name.csv -o $name --quiet; done
  [ "$(outputs python)" = "label1 label2 " ]
  same_files python/labels.safetensors numpy/labels.safetensors
  [ "$(outputs vector)" = "label1 label2 label3 " ]
  quoted "NR % 2 ? \"['a', 'b']\" : NR % 3 ? \"['b']\" : \"[]\"" >names.csv
  table names.csv -o names --quiet
  [ "$(outputs names)" = "a b " ]
  [ "$(rows names | awk -F'\t' '$5 == "."' | wc -l)" = 10 ]
  quoted 'NR % 3 ? NR % 2 ? "promoter" : "enhancer" : NR % 2 ? "nan" : "<NA>"' >missing.csv
  table missing.csv -o missing 2>err
  grep -q "rows whose label is missing are left out: '<NA>' (10 rows), 'nan' (10 rows); --label-type classes takes such a word for a name" err
  [ "$(outputs missing)" = "enhancer promoter " ]
  [ "$(grep -c no_label missing/dropped.tsv)" = 20 ]
  table missing.csv -o forced --label-type classes --quiet
  [ "$(outputs forced)" = "<NA> enhancer nan promoter " ]
  sed '7s/\[/[[/' python.csv >nested.csv
  fails 1 "nested.csv:7: label '[[" table nested.csv -o d --quiet
  quoted 'NR % 3 ? NR % 2 ? "a" : "b" : "a|b"' >bars.csv
  fails 1 "bars.csv:3: label 'a|b' joins labels by '|': lists are joined by commas or semicolons" table bars.csv -o d --quiet
}

@test "splits: as given by column, file name, folder or --splits; else by group or sequence" {
  awk -F, -v OFS=, 'NR == 1 {print $0, "set"} NR > 1 {print $0, NR % 5 == 0 ? "test" : NR % 5 == 1 ? "dev" : "train"}' t.csv >column.csv
  table column.csv --split-column set -o column --quiet
  mkdir GUE
  for split in train dev test; do { head -1 t.csv; grep ",$split\$" column.csv | sed 's/,[a-z]*$//'; } >GUE/$split.csv; done
  table GUE -o folder --quiet
  same_files <(back column) <(back folder)
  cp GUE/dev.csv b.csv; cp GUE/test.csv c.csv; cp GUE/train.csv a.csv
  table a.csv b.csv c.csv --splits train,valid,test -o splits --quiet
  same_files <(back column) <(back splits)
  mkdir -p benchmark/train benchmark/test  # genomic_benchmarks' folders: SPLIT/CLASS.csv
  for split in train test; do
    for label in 0 1; do
      awk -F, -v l=$label 'NR == 1 {print "id,sequence"} NR > 1 && $2 == l {print NR "," $1}' GUE/$split.csv >benchmark/$split/$([ $label = 1 ] && echo positive || echo negative).csv
    done
  done
  table benchmark --validation 0 -o benchmark.d --quiet
  same_files <(back column | grep -v validation) <(back benchmark.d)
  # without splits: the sequence decides, so the order of the rows does not; a group stays together
  { head -1 t.csv; tail -n +2 t.csv | tac; } >tac.csv
  table t.csv -o drawn --quiet
  table tac.csv -o tac --quiet
  same_files <(back drawn) <(back tac)
  [ "$(rows drawn | cut -f7 | sort | uniq -c | awk '{print $2 $1}' | tr '\n' ' ')" = "test9 train45 validation6 " ]
  awk -F, -v OFS=, 'NR == 1 {print $0, "g"} NR > 1 {print $0, "g" int(NR / 5)}' t.csv >groups.csv
  table groups.csv --group-column g -o groups --quiet
  [ "$(rows groups | cut -f7,8 | sort -u | wc -l)" = "$(rows groups | cut -f8 | sort -u | wc -l)" ]
  # a split that was asked for and has no row
  fails 2 "--test chr8: rows without a position in a genome can only be split by a fraction" table t.csv --test chr8 -o d --quiet
  sed '7s/train/tset/' column.csv >unknown.csv
  fails 1 "unknown.csv:7: set 'tset' is not a split" table unknown.csv --split-column set -o d --quiet
  fails 2 "--splits names 2 splits for 1 table" table t.csv --splits train,test -o d --quiet
  fails 2 "--splits tset: is not a split" table t.csv --splits tset -o d --quiet
  fails 1 "GUE/x.csv: neither its name nor its folder's names a split" bash -c 'cp t.csv GUE/x.csv; bigdna dataset table GUE -o d --quiet'
}

@test "intervals: BED with a header and CSV are cut from the genome, on their strand; splits are territories" {
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 -o p --quiet
  bgzip -dc p/regions.bed.gz >p.bed  # its header names chrom, start, end, name, label, strand and split
  table p.bed -g "$TEST_DATA/genome.fa.gz" -o bed --quiet
  same_files p/sequences.fa.gz bed/sequences.fa.gz
  same_files <(grep -v '^#' p.bed | cut -f1-7) <(rows bed)
  awk -v OFS=, 'NR == 1 {print "id,region,start,end,strand,label"} NR > 1 {print $4, $1, $2, $3, $6, $5}' p.bed >p.csv
  table p.csv -g "$TEST_DATA/genome.fa.gz" -o csv --quiet
  bgzip -dc csv/regions.bed.gz | awk '!/^#/ {print > $7 ".bed"}'
  for pair in "train test" "train validation" "validation test"; do
    bedtools intersect -a ${pair% *}.bed -b ${pair#* }.bed | no_lines
  done
  { head -2 p.csv; printf 'far,chr1,999999990,999999999,+,1\nno,chr99,1,2,+,0\n'; tail -n +3 p.csv; } >more.csv
  table more.csv -g "$TEST_DATA/genome.fa.gz" -o more --quiet
  grep -q $'far\t.\t+\tcontig_end' more/dropped.tsv
  grep -q $'no\t.\t+\tcontig_not_in_genome' more/dropped.tsv
  fails 2 "p.csv:2: is an interval, so -g must name the genome to cut it from" table p.csv -o d --quiet
  sed '4s/,chr[0-9X]*,[0-9]*/,chr1,x/' p.csv >bad.csv
  fails 1 "bad.csv:4: start 'x' is not a number" table bad.csv -g "$TEST_DATA/genome.fa.gz" -o d --quiet
  sed '4s/,chr[0-9X]*,[0-9]*,[0-9]*/,chr1,9,9/' p.csv >bad.csv
  fails 1 "bad.csv:4: the interval is empty (end = start)" table bad.csv -g "$TEST_DATA/genome.fa.gz" -o d --quiet
  sed '4s/,chr[0-9X]*,[0-9]*,[0-9]*/,chr1,9,8/' p.csv >bad.csv
  fails 1 "bad.csv:4: end 8 is not after start 9" table bad.csv -g "$TEST_DATA/genome.fa.gz" -o d --quiet
}

@test "chr1 and 1 are one contig, in the spelling that comes first" {
  python3 - >mixed.csv <<'PY'
import random
random.seed(2)
print("sequence,chrom,start,end,label")
for i in range(400):
    start = random.randrange(200_000)
    print("".join(random.choice("ACGT") for _ in range(30)) + f",{('chr1', '1')[i % 2]},{start},{start + 30},{i % 3 % 2}")
PY
  sed 's/,1,/,chr1,/' mixed.csv >one.csv
  run bigdna dataset table mixed.csv -o mixed
  [[ $output == *"contig 1 is called chr1 in earlier rows"* ]]
  table one.csv -o one --quiet
  same_files mixed/regions.bed.gz one/regions.bed.gz
  same_files mixed/leakage.tsv one/leakage.tsv
}

@test "blank lines before the table, columns in any case, options without effect" {
  { printf '\n\n'; cat t.csv; } >blank.csv
  table t.csv -o plain --quiet
  table blank.csv -o blank --quiet
  awk -F, 'NR > 1 {print "\n>row" NR - 1 "|" $2 "\n" $1}' t.csv >blank.fa
  table blank.fa -o blank_fa --quiet
  for part in regions.bed.gz sequences.fa.gz labels.safetensors; do same_files plain/$part blank/$part blank_fa/$part; done
  awk -F, -v OFS=, 'NR == 1 {print $0, "LABEL"} NR > 1 {print $0, 1 - $2}' t.csv >cases.csv
  table t.csv --label-columns Label --sequence-column SEQUENCE -o any --quiet
  same_files plain/labels.safetensors any/labels.safetensors
  table cases.csv --label-columns LABEL -o exact --quiet
  not diff plain/labels.safetensors exact/labels.safetensors
  sed '1s/$/,split/; 2,$s/$/,train/' t.csv >given.csv
  run bigdna dataset table given.csv --test 0.3 --split-gap 5 -o given
  [ "$status" = 0 ]
  [[ $output == *"warning: --test has no effect: given.csv gives the splits"* ]]
  sed '3,9s/train$/dev/' given.csv >given_dev.csv
  bigdna dataset table given.csv --validation 0.3 -o given_drawn 2>drawn
  not grep 'no effect' drawn
  bigdna dataset table given_dev.csv --validation 0.3 -o given_dev 2>ignored
  grep 'warning: --validation has no effect: given_dev.csv has validation examples' ignored
  [[ $output == *"warning: --split-block and --split-gap have no effect: the rows are not split by territories"* ]]
}

@test "leaks: counted on either strand, listed, removed by --drop-leaks" {
  first=$(sed -n 2p t.csv | cut -d, -f1)
  reverse=$(sed -n 3p t.csv | cut -d, -f1 | rev | tr ACGT TGCA)
  { cat t.csv; } | awk -v OFS=, 'NR == 1 {print $0, "split"} NR > 1 {print $0, NR < 40 ? "train" : "dev"}' >leaky.csv
  printf '%s,0,test\n%s,0,test\nACGTACGTACGTTTTT,1,test\n' "$first" "$reverse" >>leaky.csv
  run bigdna dataset table leaky.csv -o leaky
  [[ $output == *"warning: 2 test examples have the sequence of an example in training or validation, on either strand, 1 of them with another label"* ]]
  [ "$(awk '$10 != "." {print $1 $10}' leaky/leakage.tsv | tail -n +2 | tr '\n' ' ')" = "row61row1 row62row2 " ]
  table leaky.csv -o clean --drop-leaks --quiet
  [ "$(rows clean | awk '$7 == "test"' | wc -l)" = 1 ]
  [ "$(grep -c in_another_split clean/dropped.tsv)" = 2 ]
}

@test "leaks and repeats: each row that repeats another of its split counts, and each that has another label anywhere in an earlier one" {
  twin=ACGTACGTACGGTTGCATTTAGGA
  { echo sequence,label,split
    printf '%s,%s,train\n' $twin 0 $twin 1 GGGTACGTACGGTTGCATTTAGGA 0
    printf '%s,0,test\n' $twin $twin $twin; } >twins.csv
  run bigdna dataset table twins.csv -o twins
  [[ $output == *"3 rows repeat a sequence of their own split, 1 of them with another label"* ]]
  [[ $output == *"warning: 3 test examples have the sequence of an example in training or validation, on either strand, 3 of them with another label"* ]]
}

@test "test rows whose intervals overlap one of training, by groups or given splits, are a warning" {
  printf 'chrom\tstart\tend\tlabel\tsplit\nchr1\t21000\t21100\t0\ttrain\nchr1\t21200\t21300\t1\ttrain\nchr1\t21050\t21150\t0\ttest\nchr1\t21300\t21400\t1\ttest\n' >overlap.tsv
  run bigdna dataset table overlap.tsv -g "$TEST_DATA/genome.fa.gz" -o overlap
  [[ $output == *"warning: 1 of 2 test examples overlaps the interval of a training example (overlap/leakage.tsv: distance 0)"* ]]
  sed 4d overlap.tsv >apart.tsv
  run bigdna dataset table apart.tsv -g "$TEST_DATA/genome.fa.gz" -o apart
  [[ $output != *overlap* ]]
}

@test "errors in a table name the line, and leave no output" {
  sed '5s/,.*//' t.csv >ragged.csv
  fails 1 "ragged.csv:5: 1 field, but the header has 2" table ragged.csv -o d --quiet
  sed '5s/,/,"/' t.csv >open.csv
  fails 1 "open.csv:5: the quote that begins field 2 is never closed" table open.csv -o d --quiet
  sed '5s/^..../ACZT/' t.csv >letters.csv
  fails 1 "letters.csv:5: sequence row4, position 3: 'Z' is not a nucleotide" table letters.csv -o d --quiet
  table letters.csv --invalid-bases n -o with_n --quiet
  sed '5s/^[ACGT]*//' t.csv >empty.csv
  fails 1 "empty.csv:5: the sequence is empty" table empty.csv -o d --quiet
  fails 1 "t.csv:1: no column is called 'bases' (--sequence-column); the columns are sequence, label" table t.csv --sequence-column bases -o d --quiet
  fails 1 "t.csv:1: no column is called 'activity' (--label-columns)" table t.csv --label-columns activity -o d --quiet
  cut -d, -f1 t.csv >unlabelled.csv
  fails 1 "unlabelled.csv:1: no column label (--label-columns); the columns are sequence" table unlabelled.csv -o d --quiet
  { sed '1s/$/,g/; 2,$s/$/,x/' t.csv; printf 'ACGT,1,"g\t0"\n'; } >tab.csv
  fails 1 $'tab.csv:62: the group \'g\t0\' contains a tab or a line end' table tab.csv --group-column g -o d --quiet
  printf '>a|1\nACGT\n>b\nACGT\n' >no.fa
  fails 1 "no.fa:3: no label after a | in the header" table no.fa -o d --quiet
  : >nothing.csv
  fails 1 "nothing.csv: is empty (a header line was expected)" table nothing.csv -o d --quiet
  head -1 t.csv >header.csv
  fails 1 "header.csv: has a header but no rows" table header.csv -o d --quiet
  mkdir none
  fails 1 "none: the folder has no table (.csv, .tsv, .bed, .fa; .gz, .xz)" table none -o d --quiet
  fails 1 "missing.csv: No such file" table missing.csv -o d --quiet
  [ ! -e d ]
}

# What is wrong with a file is one line, and leaves no output; golden: all of these lines, in this order.
malformed() {
  local file
  for file in "$@"; do
    if bigdna dataset table $file -o d --quiet 2>one; then echo "$file: was accepted"; fi
    [ "$(wc -l <one)" = 1 ] || echo "$file: not one line"
    [ ! -e d ] || { echo "$file: output was left"; rm -r d; }
    cat one >&2
  done
}

@test "malformed files: one line each, with file and line" {
  dos() { { printf '\xEF\xBB\xBF'; sed 's/$/\r/' "$1"; } >"$2"; }
  sed '5s/,.*//' t.csv >short_row.csv
  sed '6s/$/,1/' t.csv >long_row.csv
  sed '5s/,/,"/' t.csv >open_quote.csv
  sed '7s/^/"/; 7s/,/"A,/' t.csv >behind_quote.csv
  sed '8s/,/"",/' t.csv >inner_quote.csv
  awk -F, -v OFS=, 'NR > 1 {$2 = NR == 9 ? "1.2.3" : NR / 7} 1' t.csv >label.csv
  sed 's/$/,train/; 1s/train/split/; 4s/train/tarin/' t.csv >split.csv
  sed '5s/^..../ACZT/' t.csv >letters.csv
  sed '5s/^[ACGT]*//' t.csv >empty_sequence.csv
  sed '1s/sequence/bases/' t.csv >no_sequence.csv
  sed '1s/label/outcome/' t.csv >no_label.csv
  sed '1s/label/sequence/' t.csv >same_name.csv
  sed '1s/label//' t.csv >no_name.csv
  dos short_row.csv short_row.dos.csv
  dos label.csv label.dos.csv
  dos split.csv split.dos.csv
  dos letters.csv letters.dos.csv
  dos no_label.csv no_label.dos.csv
  tr , '\t' <label.csv >label.tsv
  gzip -c label.csv >label.csv.gz
  awk -F, 'NR > 1 {print ">row" NR - 1 "|" (NR == 4 ? "high" : NR / 7) "\n" $1}' t.csv >label.fa
  dos label.fa label.dos.fa
  printf 'chrom,start,end,label\nchr1,10,20,1\nchr1,30,x,0\n' >end.csv
  printf 'chrom,start,end,strand,label\nchr1,10,20,+,1\nchr1,30,40,?,0\n' >strand.csv
  golden dataset-table-malformed malformed {short_row,long_row,open_quote,behind_quote,inner_quote,label,split,letters,empty_sequence,no_sequence,no_label,same_name,no_name}.csv \
    {short_row,label,split,letters,no_label}.dos.csv label.tsv label.csv.gz label.fa label.dos.fa end.csv strand.csv
}

@test "the real files: GUE's promoters and factors, there and back" {
  data=$BIGDNA_DATA
  [ -e "$data/promoters/GUE" ] || skip "no real data: $data"
  for task in promoters/GUE/prom_300_tata chromatin/GUE_tf/tf4; do
    table "$data/$task.train.csv.xz" "$data/$task.dev.csv.xz" -o d --quiet --force
    for split in train:train dev:validation; do
      same_files <(back d | awk -v s=${split#*:} '$3 == s' | cut -f1,2) <(xz -dc "$data/$task.${split%:*}.csv.xz" | tail -n +2 | tr , '\t' | sort)
    done
  done
  grep -q '"validation": 358' d/dataset.json  # what an independent count found, too
  table "$data/promoters/genomic_benchmarks_human_nontata_promoters" -g "$data/genomes/hg38.chr1_first1Mb.fa.gz" -o benchmark --quiet
  [ "$(rows benchmark | cut -f1-3,6 | sort)" = "$(gzip -dc "$data"/promoters/genomic_benchmarks*/*.csv.gz |
    awk -F, -v OFS='\t' '$2 == "chr1" && $4 <= 1000000 {print $2, $3, $4, $5}' | sort)" ]
}

@test "the real files: saturation mutagenesis, 29 assays as groups, there and back" {
  measured=$BIGDNA_DATA/variants/MPRA_satmut_kircher2019_GRCh37_GRCh38.elements.tsv.gz
  [ -e "$measured" ] || skip "no real data: $measured"
  python3 "$BIGDNA_SOURCE_DIR/tests/bench/tables/mpra_table.py" "$measured" >mpra.csv
  table mpra.csv --label-columns effect --group-column element --label-type regression -o d --quiet
  rows d >rows
  bgzip -dc d/sequences.fa.gz >d.fa
  python3 - d/labels.safetensors rows d.fa mpra.csv <<'PY'
import array, collections, csv, json, struct, sys
data = open(sys.argv[1], "rb").read()
size, = struct.unpack("<Q", data[:8])
entry = json.loads(data[8:8 + size])["labels"]
values = array.array("f", data[8 + size:][slice(*entry["data_offsets"])])
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[2])]
sequences = ["".join(record.split("\n")[1:]) for record in open(sys.argv[3]).read().split(">")[1:]]
source = list(csv.DictReader(open(sys.argv[4])))
single = lambda text: struct.unpack("f", struct.pack("f", float(text)))[0]
expected = sorted((row["sequence"], single(row["effect"]), row["element"]) for row in source)
assert expected == sorted((s, v, row[7]) for s, v, row in zip(sequences, values, rows, strict=True))
assert expected == sorted((s, single(row[4]), row[7]) for s, row in zip(sequences, rows, strict=True))
splits = collections.defaultdict(set)
for row in rows:
    splits[row[7]].add(row[6])
assert len(splits) == 29 and all(len(of) == 1 for of in splits.values()) and set.union(*splits.values()) == {"train", "validation", "test"}
PY
}

@test "missing labels beside 0 and 1 are dropped, and leave the labels binary" {
  python3 -c "
import random
random.seed(1)
print('sequence,label')
for i in range(60): print(''.join(random.choices('ACGT', k=50)), ['0', '1', '1', '0', 'NA', ''][i % 6], sep=',')" >t.csv
  bigdna dataset table t.csv -o d 2>err
  grep 'labels: binary' err
  grep 'dropped: no_label 20' err
}

@test "missing labels in several columns and in lists: all or none of a row's" {
  awk -F, -v OFS=, 'NR == 1 {print "sequence,t1,t2"; next} {print $1, $2, NR == 9 ? "NA" : NR % 3 == 0}' t.csv >some.csv
  fails 1 "some.csv:9: t2 is missing, but other labels of the row are not" table some.csv --label-columns t1,t2 -o d --quiet
  fails 1 "some.csv:9: t2 is missing" table some.csv --label-columns t1,t2 --label-type multilabel -o d --quiet
  sed '9s/,[01],NA/,,NA/' some.csv >all.csv
  bigdna dataset table all.csv --label-columns t1,t2 -o all 2>err
  grep 'labels: multilabel, 2 outputs' err
  grep 'dropped: no_label 1' err
  awk -F, -v OFS=, 'NR > 1 {$2 = NR % 4 == 0 ? "NA" : NR % 4 == 1 ? "" : NR % 4 == 2 ? "a;b" : "b"} 1' t.csv >lists.csv
  bigdna dataset table lists.csv -o lists 2>err
  grep 'labels: multilabel, 2 outputs' err
  grep 'dropped: no_label 15' err
  [ "$(rows lists | cut -f5 | sort | uniq -c | awk '{print $2, $1}')" = $'. 15\na,b 15\nb 15' ]
}

@test "validation rows that are drawn from given training rows share no bases with these" {
  python3 - <<'PY'
import random
random.seed(2)
with open("g.fa", "w") as genome:
    for name in "chr1", "chr2":
        print(f">{name}\n" + "".join(random.choice("ACGT") for _ in range(6_000_000 if name == "chr1" else 100_000)), file=genome)
with open("given.csv", "w") as table:
    print("chrom,start,end,label,split", file=table)
    for start in range(0, 5_990_000, 1000):
        print(f"chr1,{start},{start + 4000},{start // 1000 % 2},train", file=table)
    for start in range(0, 90_000, 5000):
        print(f"chr2,{start},{start + 4000},{start // 5000 % 2},test", file=table)
PY
  bigdna dataset table given.csv -g g.fa --validation 0.3 -o d --quiet
  for split in train validation; do rows d | awk -v s=$split '$7 == s' >$split.bed; done
  [ "$(wc -l <validation.bed)" -gt 900 ]
  bedtools intersect -u -a validation.bed -b train.bed | no_lines
  [ "$(awk '$7 == "between_splits"' d/dropped.tsv | wc -l)" -ge 6 ]  # three or more on either side of each border
  [ "$(cat train.bed validation.bed | wc -l)" = "$((5990 - $(grep -c between_splits d/dropped.tsv)))" ]
}

@test "R's tables and 1-based tables with a width are read like the BED that they stand for" {
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 -o p --quiet
  bgzip -dc p/regions.bed.gz | awk -v OFS='\t' 'NR == 1 {print "chrom", "start", "end", "name", "label", "strand"} NR > 1 {print $1, $2, $3, $4, $5, $6}' >bed.tsv
  r() { awk -v OFS=, -v header="$1" 'NR == 1 {print header} NR > 1 {print $1, $2 + 1, $3, $3 - $2, "\"" $6 "\"", $4, $5}' bed.tsv; }
  r '"seqnames","start","end","width","strand","name","label"' >r.csv
  r 'chrom,start,end,Length,strand,name,label' >closed.csv
  cut -d, -f1-3,5- r.csv >narrow.csv
  table bed.tsv -g "$TEST_DATA/genome.fa.gz" -o bed --quiet
  for file in r closed narrow; do
    bigdna dataset table $file.csv -g "$TEST_DATA/genome.fa.gz" -o $file 2>$file.err
    same_files bed/regions.bed.gz $file/regions.bed.gz
    same_files bed/sequences.fa.gz $file/sequences.fa.gz
  done
  # featureCounts' SAF and HOMER's annotatePeaks.pl
  for first in GeneID 'PeakID (cmd=annotatePeaks.pl x)'; do
    awk -v OFS='\t' -v first="$first" 'NR == 1 {print first, "Chr", "Start", "End", "Strand", "label"} NR > 1 {print $4, $1, $2 + 1, $3, $6, $5}' bed.tsv >saf.tsv
    bigdna dataset table saf.tsv -g "$TEST_DATA/genome.fa.gz" --force -o saf 2>saf.err
    grep 'warning: saf.tsv: positions are read as 1-based and closed: ' saf.err
    same_files <(bgzip -dc bed/sequences.fa.gz | grep -v '>') <(bgzip -dc saf/sequences.fa.gz | grep -v '>')
  done
  grep 'r.csv: positions are read as 1-based and closed: the column width is end - start + 1 in every row' r.err
  grep 'closed.csv: positions are read as 1-based and closed: the column Length' closed.err
  grep 'warning: narrow.csv: positions are read as 1-based and closed: a table of R has the column seqnames (call seqnames chrom' narrow.err
  awk -F, -v OFS=, 'NR == 5 {$4 += $2; $2 = 0} 1' r.csv >zero.csv
  fails 1 "zero.csv:5: start 0, but positions are 1-based: the column width is end - start + 1" table zero.csv -g "$TEST_DATA/genome.fa.gz" -o d --quiet
  awk -F, -v OFS=, 'NR > 1 {--$4} 1' closed.csv >half_open.csv  # a width of half-open intervals
  table half_open.csv -g "$TEST_DATA/genome.fa.gz" -o half_open --quiet
  [ "$(rows half_open | sed -n 1p | cut -f2)" = "$(($(rows bed | sed -n 1p | cut -f2) + 1))" ]
}

@test "sequences beside intervals tell how positions count; those of another length are a warning" {
  random() { python3 -c 'import random, sys; random.seed(int(sys.argv[1])); print("".join(random.choice("ACGT") for _ in range(int(sys.argv[2]))))' $@; }
  for i in $(seq 40); do printf '1\t%d\t%d\t%s\t%d\n' $((1000 * i)) $((1000 * i + 199)) "$(random $i 200)" $((i % 2)); done |
    sed '1i chrom\tstart\tend\tsequence\tlabel' >t.tsv
  bigdna dataset table t.tsv --test 0 --validation 0 -o closed 2>err
  grep 't.tsv: positions are read as 1-based and closed: the length of the sequence is end - start + 1 in every row' err
  bgzip -dc closed/regions.bed.gz | awk '!/^#/ && $3 - $2 != 200' | no_lines
  awk -v OFS='\t' 'NR == 5 {$3 += 50} 1' t.tsv >other.tsv
  bigdna dataset table other.tsv --test 0 --validation 0 -o other 2>err
  grep -F 'warning: other.tsv:2: the sequence has 200 bp, and its interval 199 bp, as in 40 rows of 40: the sequence is used' err
}

@test "rows that are mostly N are dropped, intervals and sequences" {
  { echo ">chr1"; head -c 1000 /dev/zero | tr '\0' N; cut -d, -f1 t.csv | tail -n +2 | tr -d '\n'; echo; } >gap.fa
  { echo chrom,start,end,label,name; for i in {0..40}; do echo "chr1,$((900 + 40 * i)),$((1000 + 40 * i)),$((i % 2)),r$i"; done; } >gap.csv
  bigdna dataset table gap.csv -g gap.fa --test all -o gap 2>err
  grep 'dropped: too_many_n 2 (dropped.tsv)' err
  [ "$(awk '$7 == "too_many_n" {print $4}' gap/dropped.tsv | tr '\n' ' ')" = "r0 r1 " ]
  [ "$(rows gap | wc -l)" = 39 ]
  { cat t.csv; echo NNNNNNACGT,1; echo NNNNNACGTA,0; } >n.csv
  table n.csv -o n --quiet
  [ "$(grep -c too_many_n n/dropped.tsv)" = 1 ]
  [ "$(rows n | wc -l)" = 61 ]
}

@test "rows without a group are a group each; a group that is too large is named" {
  awk -F, -v OFS=, 'NR == 1 {print $0, "g"} NR > 1 {print $0, NR % 3 == 0 ? "" : NR % 3 == 1 ? "NA" : "g" int(NR / 6)}' t.csv >groups.csv
  bigdna dataset table groups.csv --group-column g -o groups 2>err
  grep '40 of 60 rows have no group (g is empty or a missing value), and each is a group of its own' err
  not grep 'were requested' err
  rows groups >rows
  [ "$(grep -c $'\trow[0-9]*$' rows)" = 40 ]
  [ "$(cut -f8 rows | sort -u | wc -l)" = 50 ]
  # blanks around a group's name, or a split's, say nothing
  awk -F, -v OFS=, 'NR == 1 {print $0, "g"} NR > 1 {print $0, NR % 2 ? "a " : " a"}' t.csv | sed '2,20s/ a$/b/; s/$/,train /; 1s/train /split/; 3s/train /test/' >blanks.csv
  bigdna dataset table blanks.csv --group-column g --validation 0 -o blanks --quiet
  [ "$(rows blanks | cut -f8 | sort -u | tr '\n' ' ')" = "a b " ]
  [ "$(rows blanks | cut -f7 | sort -u | tr '\n' ' ')" = "test train " ]
  awk -F, -v OFS=, 'NR == 1 {print $0, "g"} NR > 1 {print $0, NR < 50 ? "large" : "g" NR}' t.csv >large.csv
  for seed in {1..30}; do bigdna dataset table large.csv --group-column g --seed $seed -o large --force 2>>errors || true; done
  grep "warning: the test split has [0-9]* % of the examples, where 15 % were requested: the group 'large' has 80 % of them" errors
  awk -F, 'NR > 1 {print ">row" NR "|" $2 "\n" $1}' t.csv >t.fa
  fails 1 "t.fa: is FASTA, which has no columns (--group-column g)" table t.fa --group-column g -o d --quiet
  fails 1 "t.fa: is FASTA, which has no columns (--split-column s)" table t.fa --split-column s -o d --quiet
}

@test "classes and labels that no training example has are named" {
  awk -F, -v OFS=, 'NR == 1 {print $0, "split"} NR > 1 {$2 = NR < 40 ? (NR % 2 ? "exon" : "intron") : (NR % 2 ? "Exon" : "intron"); print $0, NR < 40 ? "train" : NR < 50 ? "dev" : "test"}' t.csv >classes.csv
  run bigdna dataset table classes.csv -o classes
  [[ $output == *"warning: no training example has 1 of the 3 classes ('Exon'), which 11 examples of other splits have: do they have other names in training?"* ]]
  sed 's/Exon/exon/' classes.csv >same.csv
  bigdna dataset table same.csv --label-type classes -o same 2>err
  not grep 'no training example' err
  awk -F, -v OFS=, 'NR == 1 {print $1, "a", "b", "split"} NR > 1 {print $1, NR % 2, (NR > 55), (NR < 50 ? "train" : "test")}' t.csv >labels.csv
  run bigdna dataset table labels.csv --label-columns a,b -o labels
  [[ $output == *"warning: no training example has 1 of the 2 labels ('b'), which 6 examples of other splits have"* ]]
}

@test "a folder of SPLIT/CLASS/NAME.csv: the folder below the split is the class" {
  for split in train test; do
    for label in 0 1; do
      mkdir -p deep/$split/class$label
      for part in 0 1; do
        awk -F, -v l=$label -v p=$part -v s=$split 'NR == 1 {print "sequence"} NR > 1 && $2 == l && int(NR / 2) % 2 == p && (NR < 40) == (s == "train") {print $1}' t.csv >deep/$split/class$label/part$part.csv
      done
    done
  done
  table deep --label-type classes -o deep.d --quiet
  [ "$(cut -f2 deep.d/features.tsv | tr '\n' ' ')" = "name class0 class1 " ]
  same_files <(back deep.d | cut -f1,2) <(awk -F, -v OFS='\t' 'NR > 1 {print $1, "class" $2}' t.csv | sort)
}

@test "groups that given splits divide are counted" {
  awk -F, -v OFS=, 'NR == 1 {print $0, "g", "split"} NR > 1 {print $0, "g" int(NR / 7), NR % 3 ? "train" : "test"}' t.csv >shared.csv
  bigdna dataset table shared.csv --group-column g -o d 2>err
  grep "warning: 20 of 20 test examples belong to 9 groups (as 'g0') with training or validation examples, because the splits were given" err
  awk -F, -v OFS=, 'NR == 1 {print $0, "g", "split"} NR > 1 {print $0, "g" NR % 12, NR % 12 % 3 ? "train" : "test"}' t.csv >apart.csv
  bigdna dataset table apart.csv --group-column g -o d --force 2>err
  not grep 'because the splits were given' err
}
