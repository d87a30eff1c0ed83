# bigdna finetune, evaluate and predict: every type of label, a very small model, for behaviour, not skill.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_encoder
  small_tables
  for name in binary classes several numbers; do bigdna finetune pre $name --steps 6 --evaluations 2 -o ${name}_run --quiet >$name.out; done
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}
value() { awk -F'\t' -v m="$2" -v n="$3" '$1 == m && $3 == n {print $4}' "$1"; }
rows() { grep -v '^#' "$1"; }

@test "finetune (table): the metrics of each type of label, beside k-mers and a constant" {
  metrics() { awk -F'\t' '$1 == "bigdna" {print $3}' "$shared/$1.out" | tr '\n' ' '; }
  [ "$(metrics binary)" = "rows positives accuracy f1 f1_macro mcc auroc auprc " ]
  [ "$(metrics classes)" = "rows accuracy f1_macro mcc auroc auprc " ]
  [ "$(metrics several)" = "rows f1_macro f1_micro auroc auprc " ]
  [ "$(metrics numbers)" = "rows pearson spearman r2 " ]  # two numbers: no mean of rmse
  for name in binary classes several numbers; do
    same_rows "$shared/$name.out" "$shared/${name}_run/metrics.tsv"
    [ "$(value "$shared/$name.out" kmers rows)" = 48 ]
  done
  # the labels depend on GC content, which k-mers of one base show, and the mean state of an encoder
  for pair in binary:auroc classes:mcc numbers:pearson; do
    [ "$(echo "$(value "$shared/${pair%:*}.out" bigdna ${pair#*:}) $(value "$shared/${pair%:*}.out" kmers ${pair#*:})" | awk '{print ($1 > $2 - 0.05)}')" = 1 ]
  done
  [ "$(value "$shared/binary.out" kmers auroc | awk '{print ($1 > 0.95)}')" = 1 ]
  [ "$(value "$shared/classes.out" kmers mcc | awk '{print ($1 > 0.7)}')" = 1 ]
  [ "$(value "$shared/numbers.out" kmers pearson | awk '{print ($1 > 0.9)}')" = 1 ]
  # the null: a constant prediction separates nothing
  [ "$(value "$shared/binary.out" constant auroc)" = 0.500000 ]
  [ "$(value "$shared/classes.out" constant mcc)" = 0.000000 ]
  [ "$(value "$shared/numbers.out" constant pearson)" = NA ]
  grep -q '"link": "softmax"' "$shared/classes_run/model/bigdna.json"
  grep -q '"link": "linear"' "$shared/numbers_run/model/bigdna.json"
  [ "$(sed '/^##/d' "$shared/classes_run/model/features.tsv" | cut -f2 | tr '\n' ' ')" = "name low middle rich " ]
}

@test "evaluate (table) says the same again; differences are the methods' own" {
  for name in binary classes several numbers; do
    bigdna evaluate "$shared/${name}_run" "$shared/$name" --quiet --features f.tsv --scores s.tsv --json e.json >e.tsv
    same_rows "$shared/$name.out" e.tsv
    [ "$(rows s.tsv | wc -l)" = 48 ]
    [ "$(grep '^##resampled=' e.tsv) $(of_json e.json resampled)" = '##resampled=examples "examples"' ]  # they lie nowhere on a genome
    same_rows <(rows s.tsv | cut -f4) <(bgzip -dc "$shared/$name/regions.bed.gz" | awk '!/^#/ && $7 == "test"' | cut -f4)
  done
  awk -F'\t' '$3 == "r2" {v[$1] = $4} END {d = v["bigdna"] - v["kmers"] - v["bigdna-kmers"]; exit !(d * d < 4e-12)}' e.tsv
  rows f.tsv | cut -f2 | sort -u | diff - <(printf 'share\ntwice\n')
  bigdna evaluate "$shared/numbers_run" "$shared/numbers" --split validation --no-baseline --compare "$shared/numbers_run" --quiet >two.tsv
  awk -F'\t' '$1 ~ /^bigdna-/ && $4 != "0.000000"' two.tsv | no_lines
  fails 1 "its labels are multilabel, but the labels of the model $shared/numbers_run are regression" bigdna evaluate "$shared/numbers_run" "$shared/several" --quiet
  fails 2 "--upstream has no effect on $shared/binary, which is a table dataset" bigdna finetune "$shared/pre" "$shared/binary" --upstream 9 -o d --quiet
  printf '>x\nACGT\n' >x.fa
  fails 1 "its head is 'table', not 'promoter'" bigdna predict-promoter "$shared/binary_run" x.fa
}

@test "the verdict is one sentence: on stderr, in the table, in JSON and in the report, as the paired interval says" {
  for name in binary numbers; do
    bigdna evaluate "$shared/${name}_run" "$shared/$name" --json e.json >e.tsv 2>err
    verdict=$(sed -n 's/^##verdict=//p' e.tsv)
    [[ $(tail -1 err) == *"verdict: $verdict" ]]
    [ "$(of_json e.json 'verdicts[0]["text"]')" = "\"$verdict\"" ]
    [ "$(sed -n 's/^##verdict=//p' "$shared/${name}_run/metrics.tsv")" = "$verdict" ]
    bigdna info "$shared/${name}_run" | grep -qF "  held-out rows       $verdict"
    python3 - e.json <<'PY'
import json, sys
evaluation = json.load(open(sys.argv[1]))
[verdict] = evaluation["verdicts"]
assert evaluation["rows_seen_in_training"] == 0
difference = evaluation["differences"]["bigdna-" + verdict["than"]][verdict["metric"]]
assert verdict["difference"] == difference
expected = "worse" if difference["high"] < 0 else "better" if difference["low"] > 0 else "no better"
assert verdict["standing"] == expected, verdict
PY
    bigdna report e.tsv -o report.html --quiet
    grep -qF "\"verdicts\":[\"$verdict\"]" report.html
  done
  # without intervals there is none; without baselines there is chance; test rows that training has read are counted
  bigdna evaluate "$shared/binary_run" "$shared/binary" --resamples 0 --quiet >none.tsv
  grep -q '^##verdict=no verdict: .*, without an interval$' none.tsv
  bigdna evaluate "$shared/binary_run" "$shared/binary" --no-baseline --quiet >chance.tsv
  grep -q '^##verdict=.* than chance .*; no other baseline was measured$' chance.tsv
  { cat "$shared/binary.csv"; sed -n 's/^r0,\(.*\),train,/again,\1,test,/p' "$shared/binary.csv"; } >leaky.csv
  bigdna dataset table leaky.csv -o leaky --quiet
  bigdna evaluate "$shared/binary_run" leaky --quiet >leaky.tsv
  grep -q '^##verdict=.*; 1 of these 49 examples was in the training data, which flatters the model$' leaky.tsv
}

@test "tables of binary labels have the curves and calibration of promoters; --report writes what finetune does" {
  for name in binary several numbers; do
    bigdna evaluate "$shared/${name}_run" "$shared/$name" --report "report/${name}_run" --quiet >/dev/null
    for file in report/"${name}_run"/*; do  # the same but for the command
      other=$shared/${name}_run/${file##*/}
      case $file in
        *.tsv) same_rows "$file" "$other" ;;
        *.gz) same_rows <(bgzip -dc "$file") <(bgzip -dc "$other") ;;
        *.svg) same_files "$file" "$other" ;;
        *_mqc.json) diff <(sed "s/ ([^\"]*, ${name}_ run)\"/\"/" "$file") <(sed "s/ ([^\"]*, ${name}_ run)\"/\"/" "$other") ;;
      esac
    done
  done
  files() { ls "report/$1_run" | tr '\n' ' '; }
  [ "$(files binary)" = "bigdna_mqc_versions.yml calibration.svg calibration.tsv metrics.json metrics.tsv pr.svg roc.svg scores.tsv.gz table_general_mqc.json table_metrics_mqc.json table_pr_mqc.json table_roc_mqc.json " ]
  [ "$(files several)" = "bigdna_mqc_versions.yml features.tsv metrics.json metrics.tsv scores.tsv.gz table_general_mqc.json table_metrics_mqc.json " ]
  [ "$(files numbers)" = "bigdna_mqc_versions.yml features.tsv metrics.json metrics.tsv scores.tsv.gz table_general_mqc.json table_metrics_mqc.json " ]
  [ "$(rows report/binary_run/calibration.tsv | awk -F'\t' '$1 == "bigdna" {rows += $4; ones += $5} END {print rows, ones}')" = "48 $(value "$shared/binary.out" bigdna positives)" ]
  # MultiQC keeps one set of columns for all files of one id
  for name in binary several numbers; do of_json "report/${name}_run/table_general_mqc.json" '[id, sorted(key for column in pconfig for key in column)]'; done >ids
  [ "$(cut -d, -f1 ids | tr '\n' ' ')" = '["bigdna_table_binary_general" ["bigdna_table_multilabel_general" ["bigdna_table_regression_general" ' ]
  [ "$(grep -c '_auprc",.*_auroc",.*_mcc",.*_pearson",.*_r2"' ids)" = 3 ]
  # the area under the curve that MultiQC draws is the AUROC
  of_json report/binary_run/table_roc_mqc.json 'sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for c in [sorted((float(x), y) for x, y in data["kmers (report, binary_ run)"].items())] for a, b in zip(c, c[1:]))' >area
  all_rows "(\$1 - $(value "$shared/binary.out" kmers auroc))^2 < 1e-3" <area
}

@test "explain: models of tables, by mutagenesis: what predict gives for edited sequences, on either strand" {
  printf 'chr1\t30000\t30100\tforward\t0\t+\nchr1\t30000\t30100\tbackward\t0\t-\n' >regions.bed
  samtools faidx "$genome" chr1:30001-30100 | sed 1d | tr -d '\n' | tr acgt ACGT >bases
  for name in binary classes several numbers; do
    bigdna explain "$shared/${name}_run" -R regions.bed -g "$genome" --around 3 -o rows.tsv --substitutions changes.tsv --quiet -@ 1
    bigdna explain "$shared/${name}_run" -R regions.bed -g "$genome" --around 3 --quiet -@ 2 >two.tsv
    same_rows rows.tsv two.tsv
    python3 - write >edited.fa <<'PY'
rows = [line.rstrip("\n").split("\t") for line in open("changes.tsv") if line[0] != "#"]
bases = open("bases").read()
complement = lambda text: text[::-1].translate(str.maketrans("ACGT", "TGCA"))
print(f">ref_forward\n{bases}\n>ref_backward\n{complement(bases)}")
for chrom, start, end, name, ref, alt, *_ in rows:
    at = int(start) - 30000
    assert bases[at] == ref and 47 <= at < 53
    changed = bases[:at] + alt + bases[at + 1:]
    print(f">{start}_{alt}_{name}\n{changed if name == 'forward' else complement(changed)}")
PY
    bigdna predict "$shared/${name}_run" edited.fa --precision fp32 --quiet -o predicted.tsv
    python3 - $name <<'PY'
import math, sys
read = lambda path: [line.rstrip("\n").lstrip("#").split("\t") for line in open(path) if not line.startswith("##")]
header, *predicted = read("predicted.tsv")
named, *changes = read("changes.tsv")
explained, *rows = read("rows.tsv")
features = named[6:]
assert features == explained[5:] and len(changes) == 36 and len(rows) == 12
numbers = sys.argv[1] == "numbers"
value = float if numbers else lambda p: math.log(float(p) / (1 - float(p)))
rounding = lambda p: 0 if numbers else 1e-6 / (float(p) * (1 - float(p)))  # probabilities have six decimals
of, errors = ({row[header.index("name")]: [f(row[header.index(feature)]) for feature in features] for row in predicted} for f in (value, rounding))
for f in range(len(features)):
    largest = max(abs(of[name][f] - of["ref_forward"][f]) for name in of if name.endswith("forward"))
    allowed = 1e-3 * largest + max(error[f] for error in errors.values())
    assert largest > 20 * allowed, (features, largest)
    effects = {}
    for chrom, start, end, name, ref, alt, *effect in changes:
        expected = of[f"{start}_{alt}_{name}"][f] - of[f"ref_{name}"][f]
        assert abs(float(effect[f]) - expected) < allowed, (features[f], start, alt, name, effect[f], expected)
        effects.setdefault((start, name), []).append(expected)
    for row in rows:
        assert abs(float(row[5 + f]) + sum(effects[row[1], row[3]]) / 4) < allowed, row
PY
  done
  printf '>short\nACGTACGTAC\n' >short.fa
  bigdna explain "$shared/binary_run" short.fa --around 50 -o short.tsv 2>err
  [ "$(rows short.tsv | wc -l)" = 10 ]
  not grep "the model reads" err
  bigdna explain "$shared/binary_run" short.fa --strands average -o both.tsv --quiet
  not same_rows short.tsv both.tsv
  fails 2 "--method mutagenesis is all that" bigdna explain "$shared/binary_run" short.fa --method gradient
}

@test "evaluate --header: names without #, or none, above the same rows; the folder of --report keeps its ## lines" {
  for header in hash plain none; do
    bigdna evaluate "$shared/several_run" "$shared/several" --no-baseline --features f.$header.tsv --scores s.$header.tsv.gz --header $header --quiet >e.$header.tsv
    gzip -dk s.$header.tsv.gz
  done
  for table in e f s; do
    head -1 $table.hash.tsv | grep -q '^##bigdna_version'
    same_files <(sed '/^##/d; s/^#//' $table.hash.tsv) $table.plain.tsv
    same_files <(sed 1d $table.plain.tsv) $table.none.tsv
    [ "$(wc -l <$table.none.tsv)" -gt 1 ]
  done
  python3 -c 'import csv; assert "auroc" in {row["metric"] for row in csv.DictReader(open("e.plain.tsv"), delimiter="\t")}'
  bigdna evaluate "$shared/several_run" "$shared/several" --no-baseline --report folder --header plain --quiet >again.tsv
  same_files e.plain.tsv again.tsv
  head -1 folder/metrics.tsv | grep -q '^##bigdna_version'
  gzip -dc folder/scores.tsv.gz | head -1 | grep -q '^##bigdna_version'
  fails 2 "--header" bigdna evaluate "$shared/several_run" "$shared/several" --header csv
}

@test "evaluate (table): columns in another order are matched by name; one that the other lacks is named" {
  awk -F, -v OFS=, '{print $1, $2, $3, $5, $4}' "$shared/numbers.csv" >turned.csv
  bigdna dataset table turned.csv --label-columns twice,share -o turned --quiet
  bigdna evaluate "$shared/numbers_run" turned --no-baseline --compare "$shared/numbers_run" --features turned.tsv --quiet >/dev/null
  bigdna evaluate "$shared/numbers_run" "$shared/numbers" --no-baseline --compare "$shared/numbers_run" --features given.tsv --quiet >/dev/null
  same_files <(rows turned.tsv | cut -f2- | sort) <(rows given.tsv | cut -f2- | sort)
  sed '1s/twice/thrice/' turned.csv >other.csv
  bigdna dataset table other.csv --label-columns thrice,share -o other --quiet
  fails 1 "the model $shared/numbers_run: lacks the feature thrice (cell -, assay -) of the dataset other" bigdna evaluate "$shared/numbers_run" other --quiet
}

@test "evaluate (table): a dataset that is all for testing" {
  for name in binary numbers; do
    columns=$([ $name = numbers ] && echo share,twice || echo label)
    cut -d, -f1,2,4- "$shared/$name.csv" >$name.csv
    bigdna dataset table $name.csv --label-columns $columns --test all -o $name --quiet
    bgzip -dc $name/regions.bed.gz | awk '!/^#/ && $7 != "test"' | no_lines
    bigdna dataset table "$shared/$name.csv" --label-columns $columns --test all -o given --force --quiet  # also where the table says otherwise
    same_files <(bgzip -dc given/regions.bed.gz | cut -f7 | sort | uniq -c) <(bgzip -dc $name/regions.bed.gz | cut -f7 | sort | uniq -c)
    bigdna evaluate "$shared/${name}_run" $name --no-baseline >e.tsv 2>err
    grep -q "warning: 144 of 240 examples are in the model's training data" err
    [ "$(value e.tsv bigdna rows)" = 240 ]
    fails 1 "$name: the train split is empty" bigdna finetune "$shared/pre" $name -o run --quiet
  done
  fails 2 "--validation 0.2: --test all leaves nothing to validate on" bigdna dataset table binary.csv --test all --validation 0.2 -o d --quiet
}

@test "evaluate (table): a mean over labels leaves out those of one class; small and large numbers keep their digits" {
  awk -F, -v OFS=, '$3 == "test" {$4 = 1; $5 = NR % 3 == 0 ? 1 : 0} 1' "$shared/several.csv" >ones.csv
  bigdna dataset table ones.csv --label-columns gc,at -o ones --quiet
  bigdna evaluate "$shared/several_run" ones --no-baseline --features f.tsv --json e.json --quiet >e.tsv
  [ "$(awk -F'\t' '$2 == "gc" && $5 == "auprc" {print $6}' f.tsv)" = 1.000000 ]
  [ "$(value e.tsv bigdna auprc)" = "$(awk -F'\t' '$2 == "at" && $5 == "auprc" {print $6}' f.tsv)" ]
  python3 -c 'import json; e = json.load(open("e.json"))["methods"]["bigdna"]["auprc"]; assert e["low"] <= e["value"] <= e["high"] < 1, e'
  bigdna evaluate "$shared/numbers_run" "$shared/numbers" --no-baseline --features n.tsv --quiet >/dev/null
  all_rows '$6 ~ /^[1-9]\.[0-9]*e-0[5-9]$/' '$2 == "twice" && $5 == "rmse"' <n.tsv
}

@test "evaluate: outputs that cannot be written, or lie in a folder that is read, are refused before anything is scored" {
  cp -r "$shared/binary" binary
  fails 1 "binary/dataset.json: is inside the input folder binary; choose another output path" bigdna evaluate "$shared/binary_run" binary --json binary/dataset.json
  fails 1 "is inside the input folder $shared/binary_run/model" bigdna evaluate "$shared/binary_run" binary --scores "$shared/binary_run/model/s.tsv"
  for option in --json --scores --features; do
    fails 1 "none/file: No such file or directory" bigdna evaluate "$shared/binary_run" binary $option none/file
  done
  same_files binary "$shared/binary"
  touch file
  mkdir bins  # says that it is a chromatin dataset, and has nothing else
  sed 's/"task": "table"/"task": "chromatin"/' binary/dataset.json >bins/dataset.json
  fails 2 "stdout: two outputs would be written to it" bigdna evaluate no_model binary --features -
  fails 2 "stdout: two outputs would be written to it" bigdna evaluate no_model bins --picture -
  fails 1 "file/report: Not a directory" bigdna evaluate no_model binary --report file/report
  fails 1 "none/p.svg: No such file" bigdna evaluate no_model bins --picture none/p.svg
  fails 2 "--picture has no effect on binary, which is a table dataset" bigdna evaluate no_model binary --picture p.svg
  fails 1 "no_dataset/dataset.json: No such file or directory" bigdna evaluate no_model no_dataset
  rm file
  nothing_but binary bins
}

@test "predict: one row per record; FASTA, CSV, xz and stdin, one thread and two, in the labels' own units" {
  awk -F, 'NR > 1 {print ">" $1 "\n" $2}' "$shared/numbers.csv" >all.fa
  bigdna predict "$shared/numbers_run" all.fa --quiet -@1 >fasta.tsv
  header fasta.tsv | cut -f1-6,7- | diff - <(printf '#chrom\tstart\tend\tname\tscore\tstrand\tshare\ttwice\n')
  bigdna predict "$shared/numbers_run" "$shared/numbers.csv" --quiet -@2 >csv.tsv
  xz -c "$shared/numbers.csv" | bigdna predict "$shared/numbers_run" - --quiet >stdin.tsv
  same_rows fasta.tsv csv.tsv stdin.tsv
  [ "$(rows fasta.tsv | wc -l)" = 240 ]
  # as finetune's scores of the test rows, in thousands and in millionths
  bgzip -dc "$shared/numbers_run/scores.tsv.gz" | awk -F'\t' '!/^#/ {print $9, $10}' >scores
  rows fasta.tsv | awk -F'\t' 'NR % 5 == 0 {print $7, $8}' | paste -d' ' - scores | awk '{d = $1 / $3 - 1; e = $2 / $4 - 1; exit_ = exit_ || d * d > 1e-9 || e * e > 1e-9; big += $1 > 100; small += $2 < 1e-5} END {exit !(NR == 48 && !exit_ && big == 48 && small == 48)}'
  # classes are probabilities that add up to 1
  bigdna predict "$shared/classes_run" all.fa --quiet | all_rows '($7 + $8 + $9 - 1)^2 <= 1e-10'
  [ "$(bigdna predict "$shared/classes_run" all.fa --features rich --quiet | sed '/^##/d' | sed -n 1p | cut -f7-)" = rich ]
  # both strands of a sequence, averaged, are those of its reverse complement
  awk -F, 'NR > 1 {print ">" $1; print $2}' "$shared/numbers.csv" | awk '/^>/ {print; next} {cmd = "echo " $0 " | rev | tr ACGT TGCA"; cmd | getline line; close(cmd); print line}' | sed -n 1,40p >reverse.fa
  head -40 all.fa >forward.fa
  bigdna predict "$shared/numbers_run" forward.fa --strands average --quiet >a.tsv
  bigdna predict "$shared/numbers_run" reverse.fa --strands average --quiet >b.tsv
  same_rows a.tsv b.tsv
}

@test "an output called like another column has one of its own name; report knows numbers and parts by their names" {
  awk -F, -v OFS=, 'NR == 1 {$4 = "score"; $5 = "seen"} NR > 1 {$4 /= 1000; $5 = $5 == "NA" ? "NA" : $5 * 1e6 / 1000} 1' "$shared/numbers.csv" >named.csv
  bigdna dataset table named.csv --label-columns score,seen -o named --quiet
  bigdna train named --networks 0 --encoder "$shared/pre" -o run --quiet >/dev/null
  bigdna predict run named.csv --parts --quiet -o p.tsv
  header p.tsv | tr '\t' '\n' | sort | uniq -d | no_lines
  [ "$(header p.tsv | cut -f5-8 | tr '\t' ' ')" = 'score strand score|0 seen|1' ]
  grep -qx '##prediction=number' p.tsv
  awk -F, 'NR == 2 {print ">" $1 "\n" $2}' named.csv >one.fa
  bigdna explain run one.fa --around 5 --quiet -o e.tsv
  [ "$(header e.tsv | cut -f4- | tr '\t' ' ')" = 'name base score|0 seen|1' ]
  # all predictions lie between 0 and 1, and are no probabilities
  rows p.tsv | awk -F'\t' '$7 <= 0 || $7 >= 1 {bad = 1} END {exit bad}'
  bigdna report p.tsv -o r.html
  not grep -q 'share of rows from 0.5 on\|kmers:score' r.html
  grep -q '"score|0"' r.html
  # VCF names them by their labels
  printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t20001\t.\t%s\tA,C,G,T\t.\t.\t.\n' "$(samtools faidx "$genome" chr1:20001-20001 | sed 1d)" >v.vcf
  bigdna variants run v.vcf -g "$genome" --quiet -o out.vcf
  bigdna report out.vcf -o v.html
  grep -q '"score|0"' v.html
  not grep -q 'prediction of ref of' v.html
}

@test "the word that is 1 names the column of predictions, and another word is not evaluated" {
  bigdna predict "$shared/binary_run" "$shared/binary.csv" -o p.tsv --quiet
  [[ $(grep -v '^##' p.tsv | head -1) == *$'\tlabel=1' ]]
  awk -F, -v OFS=, 'NR > 1 {$4 = $4 == "1" ? "active" : "inactive"} 1' "$shared/binary.csv" >words.csv
  bigdna dataset table words.csv -o words --label-type binary --quiet
  grep -qP '^0\tlabel=inactive\t' words/features.tsv
  fails 1 "label" bigdna evaluate "$shared/binary_run" words --quiet
  printf 'id,sequence\na,ACGTACGT\nb,NA\n' >missing.csv
  fails 1 "missing.csv:3: the sequence is 'NA', a missing value" bigdna predict "$shared/binary_run" missing.csv --quiet
  printf '>a\nACGTACGT\n>b\nnan\n' >missing.fa
  fails 1 "the sequence is 'NAN', a missing value" bigdna predict "$shared/binary_run" missing.fa --quiet
}

@test "predict --parts: columns that add up to each kind of output, one thread and two, as arrays of HDF5" {
  for name in binary classes several numbers; do
    bigdna train "$shared/$name" --networks 0 --encoder "$shared/pre" --no-baseline -o ${name}_sum --quiet >/dev/null
    bigdna predict ${name}_sum "$shared/$name.csv" --parts --precision fp32 --quiet -@1 >$name.1
    bigdna predict ${name}_sum - --parts --precision fp32 --quiet -@2 <"$shared/$name.csv" >$name.2
    same_rows $name.1 $name.2
  done
  python3 - <<'END'
import math
for name in ("binary", "classes", "several", "numbers"):
    lines = [line.rstrip("\n").split("\t") for line in open(name + ".1") if not line.startswith("##")]
    outputs = len([name for name in lines[0][6:] if ":" not in name])
    names, terms = lines[0][6:6 + outputs], (len(lines[0]) - 6) // outputs - 1
    assert lines[0][6:] == [part + output for part in ("", "kmers:", "encoder:", "kernel:")[:1 + terms] for output in names], lines[0]
    assert terms >= 2
    assert len(lines) == 241
    used = 0
    for line in lines[1:]:
        values = list(map(float, line[6:]))
        answers, kmers, *others = (values[i * outputs:][:outputs] for i in range(1 + terms))
        sums = [w + sum(more) for w, *more in zip(kmers, *others)]
        used += any(map(any, others))
        if name == "numbers":
            expected = sums
        elif name == "classes":
            total = sum(map(math.exp, sums))
            expected = [math.exp(s) / total for s in sums]
        else:
            expected = [1 / (1 + math.exp(-s)) for s in sums]
        for answer, other in zip(answers, expected):
            assert abs(answer - other) < max(3e-6, 1e-4 * abs(other)) if name != "numbers" else abs(answer / other - 1) < 1e-4, (name, line)
    assert used > 200 or name == "classes", (name, used)
END
  bigdna predict binary_sum "$shared/binary.csv" --parts -o x.h5 --quiet
  for name in kmers encoder; do grep -aq $name x.h5; done
}

@test "predict: regions, shards, --resume, ensembles; promoter and chromatin models too" {
  printf 'chr1\t20000\t20120\tA\t7\t+\nchr1\t30000\t30100\tB\t8\t-\n' >regions.bed
  bigdna predict "$shared/binary_run" -R regions.bed -g "$genome" --quiet >regions.tsv
  [ "$(rows regions.tsv | cut -f1-6)" = "$(cat regions.bed)" ]
  bedtools getfasta -s -nameOnly -fi <(bgzip -dc "$genome") -bed regions.bed 2>/dev/null >cut.fa || { bgzip -dc "$genome" >g.fa; bedtools getfasta -s -nameOnly -fi g.fa -bed regions.bed >cut.fa; }
  same_rows <(rows regions.tsv | cut -f7) <(bigdna predict "$shared/binary_run" cut.fa --quiet | grep -v '^#' | cut -f7)
  awk -F, 'NR > 1 {print ">" $1 "\n" $2}' "$shared/binary.csv" >all.fa
  bigdna predict "$shared/binary_run" all.fa --quiet >whole.tsv
  for part in 1 2 3; do bigdna predict "$shared/binary_run" all.fa --shard $part/3 --quiet; done >parts.tsv
  same_rows whole.tsv parts.tsv
  bigdna predict "$shared/binary_run" all.fa --resume -o out.tsv --quiet
  same_rows whole.tsv out.tsv
  run bigdna predict "$shared/binary_run" all.fa --resume -o out.tsv
  [ "$status" = 0 ]
  bigdna predict "$shared/binary_run" all.fa --ensemble "$shared/binary_run" --quiet >twice.tsv
  same_rows whole.tsv twice.tsv
  fails 1 "cannot be averaged with" bigdna predict "$shared/binary_run" all.fa --ensemble "$shared/numbers_run" --quiet
  fails 1 "its head is 'pretraining', which does not predict" bigdna predict "$shared/pre/model" all.fa --quiet
  fails 2 "give sequences (FASTA, CSV or TSV), or -g GENOME with -R BED or -r REGION" bigdna predict "$shared/binary_run" --quiet
  printf 'a,b\n1,2\n' >no.csv
  printf 'name,sequence\n,ACGTACGTAC\n' >unnamed.csv
  bigdna predict "$shared/binary_run" unnamed.csv --quiet | grep -q '^row1'
  printf '>a\nACGTACGTAC\n' >a.fa
  fails 2 "--sequence-column bases: only for tables" bigdna predict "$shared/binary_run" a.fa --sequence-column bases --quiet
  fails 1 "no.csv:1: neither FASTA nor a table with a column sequence (--sequence-column)" bigdna predict "$shared/binary_run" no.csv --quiet
  printf 'sequence\nACGT\nAC!T\n' >bad.csv
  fails 1 "bad.csv:3: sequence row2, position 3: '!' is not a nucleotide" bigdna predict "$shared/binary_run" bad.csv -o bad.tsv --quiet
  [ ! -e bad.tsv ]
}

@test "losses: class weights, Huber's, the head of transformers; the same again with --resume" {
  bigdna finetune "$shared/pre" "$shared/classes" --steps 3 --class-weights balanced --evaluations 1 --no-baseline -o balanced --quiet >balanced.out
  grep -q '"class_weights"' balanced/model/bigdna.json
  not diff balanced.out "$shared/classes.out"
  bigdna finetune "$shared/pre" "$shared/numbers" --steps 3 --loss huber --evaluations 1 --no-baseline --head classification --pool cls -o huber --quiet >huber.out
  bigdna finetune "$shared/pre" "$shared/numbers" --steps 3 --evaluations 1 --no-baseline --head classification --pool cls -o mse --quiet >mse.out
  not diff huber.out mse.out
  bigdna finetune "$shared/pre" "$shared/numbers" --steps 3 --evaluations 1 --no-baseline --head classification --pool cls -o mse --resume --quiet >again.out
  same_rows mse.out again.out
  # a training split with one class
  awk -F, 'NR == 1 || $3 != "train" || $4 == 1' "$shared/binary.csv" >one.csv
  bigdna dataset table one.csv -o one --quiet
  fails 1 "one: the train split has no negatives, so there is nothing to learn" bigdna finetune "$shared/pre" one -o d --quiet
}

@test "variants: a table's model by its own outputs, as predict on edited sequences" {
  edited() { python3 "$BIGDNA_SOURCE_DIR/tests/cli/edited_fasta.py" "$@"; }
  edited random "$genome" 2 60 >some.vcf
  for name in binary classes several numbers; do
    length=$(python3 -c "import json; d = json.load(open('$shared/${name}_run/model/bigdna.json')); print(d['upstream'] + d['downstream'])")
    edited around "$genome" some.vcf "$length" e
    for strands in forward average; do
      bigdna predict "$shared/${name}_run" e.fa --precision fp32 --strands $strands --quiet -o e.tsv
      bigdna variants "$shared/${name}_run" some.vcf -g "$genome" --strands $strands --quiet -o out.tsv
      edited compare out.tsv e.tsv >compared
      cat compared
      # predictions have six digits, and numbers are about 500
      sed 's/.* //' compared | all_rows "\$1 <= $([ $name = numbers ] && echo 2e-3 || echo 2e-6)"
      # and there is something to compare
      awk -F'\t' '!/^#/ && $10 != "." {if ($10 * $10 > most) most = $10 * $10} END {exit !(most > 1e-6)}' out.tsv
    done
  done
  bigdna variants "$shared/classes_run" some.vcf -g "$genome" --features rich --quiet -o out.tsv -@1
  [ "$(header out.tsv | cut -f10-)" = "$(printf 'DIFF:rich\tLOGIT:rich\tSAR:rich\tseen')" ]
  bigdna variants "$shared/numbers_run" some.vcf -g "$genome" --features share --quiet >out.vcf
  grep -q '^##INFO=<ID=BIGDNA_DIFF_share,Number=A,Type=Float,Description="prediction of alt - prediction of ref of share' out.vcf
  not grep -q BIGDNA_LOGIT out.vcf
  fails 2 "predicts numbers, not probabilities" bigdna variants "$shared/numbers_run" some.vcf -g "$genome" --effects LOGIT
  fails 1 "its labels are of another type" bigdna variants "$shared/classes_run" some.vcf -g "$genome" --ensemble "$shared/numbers_run"
  # the log-odds of a class are those of its probability
  bigdna variants "$shared/classes_run" some.vcf -g "$genome" --features low --effects LOGIT --quiet -o out.tsv
  # (predict writes six decimals, and the log-odds of a small probability magnify what they round)
  sed '/^##/d' out.tsv >effects
  bigdna predict "$shared/classes_run" e.fa --precision fp32 --quiet | awk -F'\t' 'NR == FNR {effect[FNR - 2] = $10; next}
    !/^#/ {split($1, name, "|"); odds[name[1], name[2]] = log($7 / (1 - $7)); slack[name[1]] += 1e-6 / ($7 * (1 - $7))}
    END {for (i in effect) if (((i, "ref") in odds) && effect[i] != ".") {
           d = effect[i] - (odds[i, "left"] + odds[i, "right"]) / 2 + odds[i, "ref"]
           if (d * d > slack[i] * slack[i]) {print i, d, slack[i]; exit 1}
           ++n
           if (effect[i] * effect[i] > 100 * slack[i] * slack[i]) ++clear
         }
         print n, clear; exit !(n > 20 && clear > 5)}' effects -
}

@test "finetune --epochs 0 fits the head alone: the encoder stays as it is" {
  grep -v ,validation, "$shared/binary.csv" >all_steps.csv  # without validation the last step is kept
  bigdna dataset table all_steps.csv --validation 0 -o all_steps --quiet
  run_of() { bigdna finetune "$shared/pre" all_steps --no-baseline --precision fp32 -o "$@" --quiet >/dev/null; }
  run_of plain --epochs 0
  [ ! -e plain/metrics.jsonl ]
  [ ! -e plain/checkpoints ]
  run_of again --epochs 0 -@1
  ranks 2 bigdna finetune "$shared/pre" all_steps --epochs 0 --no-baseline --precision fp32 -o ranked --quiet -@1 >/dev/null
  same_files plain/model/model.safetensors again/model/model.safetensors ranked/model/model.safetensors
  run_of trained --steps 3
  python3 - "$shared/pre/model" plain/model trained/model <<'PY'
import json, struct, sys
def encoder(folder):
    data = open(folder + "/model.safetensors", "rb").read()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    return {name: data[8 + size:][slice(*entry["data_offsets"])] for name, entry in header.items() if "encoder." in name or "embeddings." in name}
before, plain, trained = map(encoder, sys.argv[1:])
assert before and before.keys() == plain.keys()
assert plain == before and trained != before
PY
  fails 2 "--learning-rate has no effect without training" bigdna finetune "$shared/pre" "$shared/binary" --epochs 0 --learning-rate 1e-3 -o d --quiet
  fails 2 "--class-weights has no effect on labels of the type binary, only on classes" bigdna finetune "$shared/pre" "$shared/binary" --class-weights balanced -o d --quiet
  fails 2 "--loss has no effect on labels of the type binary, only on regression" bigdna finetune "$shared/pre" "$shared/binary" --loss huber -o d --quiet
  fails 2 "--positive-weight has no effect on labels of the type classes" bigdna finetune "$shared/pre" "$shared/classes" --positive-weight 2 -o d --quiet
  fails 2 "--random-head has no effect on --head classification" bigdna finetune "$shared/pre" "$shared/binary" --head classification --random-head -o d --quiet
  fails 2 "this head is never fitted" bigdna finetune "$shared/pre" "$shared/binary" --epochs 0 --random-head -o d --quiet
  for option in --reverse-complement "--batch 8" "--freeze 1" "--patience 1" "--dropout 0.1" "--positive-weight 2"; do
    # shellcheck disable=SC2086
    fails 2 "${option% *} has no effect without training" bigdna finetune "$shared/pre" "$shared/binary" --epochs 0 $option -o d --quiet
  done
  fails 2 "--head-rate 0 leaves nothing to train" bigdna finetune "$shared/pre" "$shared/binary" --freeze 1 --steps 1 --head-rate 0 -o d --quiet
  fails 2 "--freeze 2: the model has 1 layer" bigdna finetune "$shared/pre" "$shared/binary" --freeze 2 -o d --quiet
}
