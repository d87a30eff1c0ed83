# bigdna report: one HTML file of what bigdna wrote, on very small runs. tests/peers/report_test.py opens such files in a browser.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  cp "$TEST_DATA/genome.fa.gz" .
  chmod u+w genome.fa.gz
  bigdna pretrain genome.fa.gz --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 24 --batch 2 --hold-out chr2,chr3 \
    --evaluation-tokens 1000 -o pre --quiet -@1
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g genome.fa.gz --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like pre/model --validation chrX -o starts --quiet
  bigdna finetune pre starts --steps 24 --evaluations 2 -o promoter --quiet -@1 >/dev/null
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g genome.fa.gz --upstream 200 --downstream 200 --max-bins 300 --split-like pre/model \
    --validation chrX --keep any -o bins --quiet
  bigdna finetune pre bins --steps 4 --evaluations 2 -o chromatin --quiet -@1 >/dev/null
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/edited_fasta.py" random genome.fa.gz 1 40 >random.vcf
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$BATS_FILE_TMPDIR/genome.fa.gz
}

# The data of a report, as report.js reads them.
data() {
  python3 -c 'import re, sys; sys.stdout.write(re.search(r"""<script type="application/json" id="data">(.*?)</script>""", open(sys.argv[1]).read(), re.S)[1])' "$1" >data.json
}
# "KIND: TITLE" of the sections of the I-th item.
sections() { data "$1" && python3 -c 'import json, sys; [print(s["kind"] + ": " + s["title"]) for s in json.load(open("data.json"))["items"][int(sys.argv[1])]["sections"]]' "${2:-0}"; }
# Item I of r.html has the section "KIND: TITLE".
holds() { sections r.html "$1" >sections && grep -qx "$2" sections; }
# An expression over the data, and over rows(TITLE, I): the rows of a section, as objects.
of_report() {
  data "$1" && python3 - "${@:2}" <<'PY'
import json, sys
report = json.load(open("data.json"))
items = report["items"]
def rows(title, item=0):
    section, = (s for s in items[item]["sections"] if s["title"] == title)
    return [dict(zip(section["columns"], row)) for row in section["rows"]]
print(json.dumps(eval(sys.argv[1])))
PY
}

@test "report: the metrics, curves and learning curves of a run are those of its files" {
  bigdna report "$shared/promoter" -o r.html
  sections r.html | diff - <(printf '%s\n' 'intervals: Metrics of the test examples' 'intervals: The model minus each other method' 'lines: ROC' \
    'lines: Precision and recall' 'matrix: Confusion matrix' 'calibration: Calibration' 'histogram: Distribution of the scores' 'lines: Validation' 'lines: Training loss' 'lines: Learning rate')
  table=$shared/promoter/metrics.tsv
  number() { awk -F'\t' -v m="$1" -v n="$2" -v f="$3" '$1 == m && $3 == n {print $f + 0}' "$table"; }
  [ "$(of_report r.html 'items[0]["headline"]["rows"][0][1:]')" = "[$(number bigdna auroc 4), $(number bigdna auroc 5), $(number bigdna auroc 6)]" ]
  [ "$(of_report r.html 'items[0]["headline"]["rows"][1][:2]')" = "[\"kmers\", $(number kmers auroc 4)]" ]
  [ "$(of_report r.html 'items[0]["headline"]["null"]')" = 0.5 ]
  # the area under the drawn curve is the AUROC, and the confusion matrix that of the threshold
  of_report r.html 'sum((b["false positive rate"] - a["false positive rate"]) * (a["recall"] + b["recall"]) / 2 for a, b in zip(c, c[1:])) if (c := [r for r in rows("ROC") if r["method: AUROC"].startswith("bigdna:") and not r["at the threshold"]]) else 0' \
    | all_rows "(\$1 - $(number bigdna auroc 4))^2 < 1e-4"
  [ "$(of_report r.html '[r["examples"] for r in rows("Confusion matrix") if r["method"] == "bigdna"]')" = \
    "[$(number bigdna true_positives 4), $(number bigdna false_negatives 4), $(number bigdna false_positives 4), $(number bigdna true_negatives 4)]" ]
  [ "$(of_report r.html 'all(abs(r["threshold"] - float(sys.argv[2])) < 2e-6 for r in rows("Confusion matrix") if r["method"] == "bigdna")' "$(number bigdna threshold 4)")" = true ]
  # also without the metrics beside them
  cp "$shared/promoter/scores.tsv.gz" .
  bigdna report scores.tsv.gz -o alone.html
  [ "$(of_report alone.html '[r["examples"] for r in rows("Confusion matrix")]')" = "$(of_report r.html '[r["examples"] for r in rows("Confusion matrix")]')" ]
  [ "$(of_report r.html '"over resampled blocks of the genome." in items[0]["sections"][0]["note"]')" = true ]
  [ "$(of_report r.html 'sum(r["examples"] for r in rows("Calibration") if r["method"] == "bigdna")')" = "$(number bigdna rows 4)" ]
  [ "$(of_report r.html '[[r["step"] for r in rows("Validation") if r["series"] == "AUROC"], items[0]["sections"][7]["options"]["kept"]]')" = "[[0, 12, 24], $(of_json "$shared/promoter/run.json" 'best_step')]" ]
}

@test "report: the bytes depend on the inputs alone, and nothing is asked of a network" {
  export SOURCE_DATE_EPOCH=86400
  bigdna report "$shared/promoter" "$shared/pre" --author 'A. Name' -o a.html
  bigdna report "$shared/promoter" "$shared/pre" --author 'A. Name' -o - -@2 >b.html
  cmp a.html b.html
  grep -q "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'" a.html
  not grep -i '<script src\|<link rel="stylesheet\|@import\|<img' a.html
  [ "$(wc -c <a.html)" -lt 3000000 ]
  [ "$(of_report a.html '[report["author"], report["date"]]')" = '["A. Name", "1970-01-02"]' ]
  SOURCE_DATE_EPOCH=soon fails 1 "SOURCE_DATE_EPOCH is 'soon'" bigdna report "$shared/pre" -o bad.html
  [ ! -e bad.html ]
}

@test "report: pretraining, datasets, corpora, vocabularies and models" {
  bigdna report "$shared/pre" "$shared/starts" "$shared/bins" "$shared/pre/corpus" "$shared/pre/vocabulary" "$shared/pre/model" -o r.html
  holds 0 'lines: Held-out sequence: bits per base of masked tokens'
  [ "$(of_report r.html '[round(row[1], 4) for row in items[0]["headline"]["rows"] if row[0] == "model, held out"]')" = "[$(of_json "$shared/pre/run.json" 'round(held_out["held_out_bpc"], 4)')]" ]
  [ "$(of_report r.html 'sum(r["examples"] for r in rows("Examples of each split", 1))')" = "$(bgzip -dc "$shared/starts/regions.bed.gz" | grep -vc '^#')" ]
  [ "$(of_report r.html '[sum(value for r in rows("Positives of each feature", 2) for name, value in r.items() if name.endswith(": positives"))]')" = \
    "[$(bgzip -dc "$shared/bins/regions.bed.gz" | awk '!/^#/ {n += $5} END {print n}')]" ]
  [ "$(of_report r.html '[r["tokens"] for r in rows("Tokens and unknown bases", 3)]')" = "$(of_json "$shared/pre/corpus/corpus.json" '[training["tokens"], validation["tokens"]]' | sed 's/,/, /')" ]
  [ "$(of_report r.html 'sum(r["pieces"] for r in rows("Lengths of the pieces", 4))')" = 195 ]
  holds 5 'regions: Where the sequence lies'
}

@test "report: predictions and variants; TSV and VCF say the same" {
  bigdna chromatin "$shared/chromatin" "$TEST_DATA/regions.bed" -g "$genome" -o p.tsv.gz --quiet
  bigdna variants "$shared/chromatin" "$shared/random.vcf" -g "$genome" -o v.tsv --quiet
  bigdna variants "$shared/chromatin" "$shared/random.vcf" -g "$genome" -o v.vcf.gz --quiet
  bcftools view --no-version v.vcf.gz -Ob -o v.bcf
  bigdna report p.tsv.gz v.tsv v.vcf.gz v.bcf -o r.html
  holds 0 'tracks: Along the genome'
  [ "$(of_report r.html 'sum(r["rows"] for r in rows("Rows on each contig"))')" = "$(bgzip -dc p.tsv.gz | grep -vc '^#')" ]
  strongest='[[r["position"], r["alt"], r["feature"], round(r["DIFF"], 5)] for r in rows("Alleles with the largest effects", ITEM)]'
  of_report r.html "${strongest/ITEM/1}" >tsv
  for item in 2 3; do of_report r.html "${strongest/ITEM/$item}" | diff tsv -; done
  # what --top leaves out is not an effect of 0
  bigdna variants "$shared/chromatin" "$shared/random.vcf" -g "$genome" --top 1 -o top.vcf --quiet
  bigdna report top.vcf -o top.html
  [ "$(of_report top.html 'sum(r["alleles in the file"] for r in rows("Effects on each feature")) == int(dict(items[0]["facts"])["Alleles with a score"])')" = true ]
  [ "$(of_report top.html 'min(r["mean absolute effect"] for r in rows("Effects on each feature")) >= min(abs(r["DIFF"]) for r in rows("Alleles with the largest effects"))')" = true ]
  [ "$(of_report top.html 'all("With --top 1: " in s["note"] for s in items[0]["sections"][:2])')" = true ]
  # the first of them is the largest effect of the table
  largest=$(sed '/^##/d' v.tsv | awk -F'\t' 'NR == 1 {for (i = 10; i <= NF; ++i) is[i] = $i ~ /^DIFF:/; next} $9 == "." {for (i in is) if (is[i] && $i * $i > most * most) most = $i} END {printf "%.5f\n", most}')
  [ "$(python3 -c 'import json; print("%.5f" % json.load(open("tsv"))[0][3])')" = "$largest" ]
}

@test "report: what was measured is drawn below what was predicted" {
  printf '#chrom\tstart\tend\tname\tscore\tstrand\tx\n' >p.tsv
  printf 'chr1\t%s\t%s\t.\t.\t.\t0.5\n' 0 200 200 400 400 600 800 1000 >>p.tsv
  printf '1\t199\t201\n1\t700\t900\n2\t0\t500\n' >peaks.bed
  printf 'chr1\t5000\n' >sizes
  printf 'chr1\t100\t150\t2\nchr1\t150\t250\t5\nchr1\t999\t1000\t3\n' >signal.bedgraph
  bigdna coverage signal.bedgraph --chrom-sizes sizes -o signal.bw --quiet
  bigdna report p.tsv --measured peaks.bed --measured signal.bw -o r.html
  [ "$(of_report r.html '[r["peaks.bed"] for r in rows("Along the genome")]')" = '[1, 1, 0, 1]' ]
  [ "$(of_report r.html '[r["signal.bw"] for r in rows("Along the genome")]')" = '[5, 5, null, 3]' ]
  [ "$(of_report r.html '[s["options"].get("measured") for s in items[0]["sections"] if s["kind"] == "tracks"]')" = '[["peaks.bed", "signal.bw"]]' ]
  bigdna report p.tsv --measured CTCF=peaks.bed -o named.html
  [ "$(of_report named.html 'items[0]["sections"][0]["options"]["measured"]')" = '["CTCF"]' ]
  bigdna report p.tsv --measured - -o stdin.html <peaks.bed
  [ "$(of_report stdin.html '[row[-1] for row in items[0]["sections"][0]["rows"]]')" = '[1, 1, 0, 1]' ]
  bigdna report p.tsv --measured p.tsv -o all.html 2>err
  grep -q "p.tsv: its peaks cover every bar of the predictions" err
  printf 'chr9\t1\t5\n' >elsewhere.bed
  fails 1 "elsewhere.bed: has nothing on the contigs of the predictions" bigdna report p.tsv --measured elsewhere.bed -o bad.html
  fails 1 "signal.bedgraph: column 4 is a number in every line, as in bedGraph" bigdna report p.tsv --measured signal.bedgraph -o bad.html
  head -c 100 signal.bw >cut.bw
  fails 1 "cut.bw: " bigdna report p.tsv --measured cut.bw -o bad.html
  fails 1 "there are no predictions along a genome" bigdna report "$shared/starts" --measured peaks.bed -o bad.html
  [ ! -e bad.html ]
}

@test "report: rows that begin at one place are drawn as one bar, and a page says which" {
  printf '#chrom\tstart\tend\tname\tbase\talt\tx\n' >s.tsv
  printf 'chr1\t5\t6\tr\tA\t%s\n' $'C\t-0.3' $'G\t0.1' $'T\t.' >>s.tsv
  printf 'chr1\t6\t7\tr\tA\tC\t0.2\n' >>s.tsv
  bigdna report s.tsv -o r.html
  [ "$(of_report r.html '[r["x"] for r in rows("Along the genome")]')" = "[-0.3, 0.2]" ]
  of_report r.html 'items[0]["sections"][0]["note"]' | grep -q "Each bar is the value farthest from 0 of the rows that begin at the same base"
}

@test "report: predictions of more contigs or records than a picture has bins" {
  # 1000 outputs: 120 bins
  {
    printf '#chrom\tstart\tend\tname\tscore\tstrand'
    printf '\tf%s' {1..1000}
    echo
  } >head.tsv
  numbers=$(printf '\t0.%s' {101..1100})
  for rows in 1 2; do
    cp head.tsv contigs$rows.tsv
    for contig in {1..150}; do
      for ((row = 0; row < rows; ++row)); do printf 'scaffold%s\t%s\t%s\t.\t.\t.%s\n' $contig $((200 * row)) $((200 * row + 200)) "$numbers"; done
    done >>contigs$rows.tsv
    bigdna report contigs$rows.tsv -o r$rows.html
  done
  [ "$(of_report r1.html '[len(rows("Records")), items[0]["sections"][0]["note"]]')" = '[120, "The first 120 of 150 records."]' ]
  [ "$(of_report r2.html '[dict(items[0]["facts"])["Rows"], [s["title"] for s in items[0]["sections"]]]')" = '["300", ["Each output", "Distribution of the predictions"]]' ]
}

@test "report: a page of many rows, names that a spreadsheet would run, a model called constructor" {
  [ -x "$(command -v node)" ] || skip "no node"
  node - "$BIGDNA_SOURCE_DIR"/lib/report/{page,report}.js <<'JS'
const assert = require('assert'), fs = require('fs'), vm = require('vm');
const [page, report] = process.argv.slice(2).map((path) => fs.readFileSync(path, 'utf8'));
const names = vm.runInNewContext(page + report.match(/const kOrigin[^]*?\nconst factName.*/)[0] + '; ({extent, csv, methodName, factName})');
assert.deepEqual([...names.extent(Array.from({length: 500000}, (_, i) => i))], [0, 499999]);
const rows = [['=1+2', -0.5], ['+A1', '-0.5'], ['@x', '-'], ['-x', '+'], ['a=b', null], ['=', '"=1"']];
assert.equal(names.csv({columns: ['=x', 'y'], rows}), ["'=x,y", "'=1+2,-0.5", "'+A1,-0.5", "'@x,-", "'-x,+", 'a=b,', '=,"""=1"""', ''].join('\r\n'));
assert.equal(names.methodName('constructor') + names.methodName('kmers'), 'constructork-mers alone');
assert.equal(names.factName('constructor'), 'Constructor');
JS
}

@test "report: names of a page have a colour each, whatever the picture; texts break at blanks and bars alone" {
  [ -x "$(command -v node)" ] || skip "no node"
  node - "$BIGDNA_SOURCE_DIR"/lib/report/{page,view}.js <<'JS'
const assert = require('assert'), fs = require('fs'), vm = require('vm');
const [page, view] = process.argv.slice(2).map((path) => fs.readFileSync(path, 'utf8').replace("'use strict';", ''));
const made = (tag) => ({tag, text: '', setAttribute() {}, append(words) { this.text += words; }});
const load = (night) => vm.runInNewContext(page + view + '; ({kColours, kPlaces, placeOf, places, shaped, reserve, theme, unbroken})',
                                           {document: {createElement: made}, matchMedia: (query) => ({matches: night && query.includes('dark')})});
for (const night of [false, true]) {
  const {category} = load(night).theme();
  assert.equal(new Set(category).size, load(night).kColours);
  assert.equal(category.length, load(night).kColours);
}
const {kColours, places, shaped, reserve, unbroken} = load(false);
const methods = ['bigdna', 'kmers', 'network', 'encoder', 'gc', 'constant'], splits = ['train', 'validation', 'test'];
reserve([...methods, ...splits, 'label 0', '1']);
const runs = [...places(['run 1', 'run 2'])];
assert.deepEqual([...places(['label 0', 'label 1'])], [...places([0, 1])]);
assert.deepEqual([...places(['run 2: bigdna', 'run 1: bigdna'])], runs.reverse());
assert.deepEqual([...places(['bigdna: 0.938', 'bigdna-kmers'])], [...places(['bigdna', 'kmers'])]);
const all = [...methods, ...splits, 0, 1, 'run 1', 'run 2', 'AUROC', 'promoter'];
assert.equal(new Set(all.flatMap((name) => [...places([name])])).size, all.length);
const many = Array.from({length: 3 * kColours}, (_, i) => `output ${i}`);  // more than there are colours
assert(many.every((name) => places([name])[0] < kColours));
assert.equal(new Set(places(['output 30', 'output 52', 'bigdna'])).size, 3);  // but in one picture each has its own
assert.equal(new Set(shaped([...methods, ...splits.slice(0, 2)], [...'abcdefgh'])).size, 8);
const words = (value) => [...unbroken(value)].map((part) => typeof part === 'string' ? part : part.tag === 'wbr' ? '/' : part.text).join('');
assert.deepEqual(['AG', 'rs117575689', 'percentile', '-0.3'].map((value) => unbroken(value).length), [1, 1, 1, 1]);
assert.equal(words('CTCF|GM12878|19'), 'CTCF|/GM12878|/19/');
assert.equal(words('seen in training'), 'seen/ in/ training/');
JS
}

@test "report: a table that is cut says of how many rows; a headline of what it is the mean" {
  printf '#motif\tknown\toverlap\tdistance\te\n' >matches.tsv
  for i in {1..3001}; do printf 'm%s\tk\t5\t0.1\t0.5\n' "$i"; done >>matches.tsv
  bigdna report matches.tsv -o r.html
  [ "$(of_report r.html '[len(s["rows"]), s["options"]["of"]] if (s := items[0]["sections"][0]) else 0')" = '[3000, 3001]' ]
  head -3001 matches.tsv >all.tsv
  bigdna report all.tsv -o r.html
  [ "$(of_report r.html '"of" in items[0]["sections"][0]["options"]')" = false ]
  mkdir table
  printf '#method\tsplit\tmetric\tvalue\tlow\thigh\n%s\n' $'bigdna\ttest\tpearson\t0.7\t0.6\t0.8' >table/metrics.tsv
  printf '#index\tname\tmethod\tsplit\tmetric\tvalue\n%s\n%s\n%s\n' $'0\tx\tbigdna\ttest\tpearson\t0.5' $'1\ty\tbigdna\ttest\tpearson\t0.9' \
    $'2\tz\tbigdna\ttest\tpearson\tNA' >table/features.tsv
  bigdna report table -o r.html
  [ "$(of_report r.html 'items[0]["headline"]["averaged"]')" = '"mean of 2 of 3 outputs; z has no value"' ]
}

@test "report: a model whose folder is called like a difference; a group of features that is called all" {
  printf '#method\tsplit\tmetric\tvalue\tlow\thigh\n' >m.tsv
  printf '%s\ttest\tauroc\t%s\n' bigdna $'0.9\t0.8\t1' bigdna-old $'0.7\t0.6\t0.8' bigdna-bigdna-old $'0.2\t0.1\t0.3' >>m.tsv
  bigdna report m.tsv -o r.html
  [ "$(of_report r.html '[[r["method"] for r in rows(t)] for t in ("Metrics of the test examples", "The model minus each other method")]')" = '[["bigdna", "bigdna-old"], ["bigdna-bigdna-old"]]' ]
  [ "$(of_report r.html 'items[0]["headline"]["rows"][1][:2]')" = '["bigdna-old", 0.7]' ]
  printf '#group\tmethod\tsplit\tfeatures\tscored\tauroc_median\n' >g.tsv
  printf '%s\ttest\t%s\n' $'all\tbigdna' $'2\t2\t0.6' $'b\tbigdna' $'3\t3\t0.8' $'all features\tbigdna' $'5\t5\t0.7' $'all features\tkmers' $'5\t5\t0.65' \
    $'all features\tbigdna-kmers' $'0\t0\t0.05' >>g.tsv
  bigdna report g.tsv -o g.html
  [ "$(of_report g.html 'items[0]["headline"]["rows"][0][1]')" = 0.7 ]
  [ "$(of_report g.html '[r["metric"] for r in rows("The model minus each other method")]')" = '["auroc_median"]' ]  # counts have no difference
}

@test "report: of several models that annotated a VCF each has its scores, whatever the last one skipped" {
  bigdna variants "$shared/chromatin" "$shared/random.vcf" -g "$genome" -o a.vcf --quiet
  bigdna variants "$shared/promoter" a.vcf -g "$genome" --max-allele 1 -o ab.vcf --quiet
  bigdna report a.vcf ab.vcf -o r.html
  scored='dict(items[ITEM]["facts"])["Alleles with a score"]'
  [ "$(of_report r.html "${scored/ITEM/0} == ${scored/ITEM/1}")" = true ]
  [ "$(of_report r.html '[r["alleles in the file"] for r in rows("Effects on each feature", 1)][0] > [r["alleles in the file"] for r in rows("Effects on each feature", 1)][-1]')" = true ]
  [ "$(of_report r.html '[name for name, _ in items[1]["facts"]]')" = \
    '["bigdna_version", "bigdna_command", "model", "bigdna_version", "bigdna_command", "model", "Alleles with a score"]' ]
  [ "$(of_report r.html '[fact.split()[0] for name, fact in items[1]["facts"] if name == "model"]')" = '["chromatin", "promoter"]' ]
  skipped=$(grep -v '^#' ab.vcf | grep -o '[=,]allele_too_long' | wc -l)
  [ "$skipped" -gt 0 ]
  [ "$(of_report r.html '{r["reason"]: r["alleles"] for r in rows("Alleles without a score", 1)}["allele_too_long"]')" = "$skipped" ]
  of_report r.html 'next(s["note"] for s in items[1]["sections"] if s["title"] == "Alleles without a score")' |
    grep -q "the last model that annotated the file, promoter [0-9a-f]*; [0-9]* of these alleles have a score of another model"
}

@test "report: evaluations as tables, JSON and a folder of tables" {
  bigdna evaluate "$shared/chromatin" "$shared/bins" --features f.tsv --scores s.tsv --json e.json --quiet >m.tsv
  bigdna report m.tsv f.tsv s.tsv e.json -o r.html
  [ "$(of_report r.html 'items[0]["headline"]["rows"] == items[3]["headline"]["rows"] or [i["headline"] for i in items]')" = true ]
  holds 1 'features: Each feature'
  [ "$(of_report r.html 'len({r["output"] for r in rows("ROC", 2)}) <= 3')" = true ]
  bigdna evaluate "$shared/chromatin" "$shared/bins" --report report --quiet >/dev/null
  bigdna evaluate mlm "$shared/pre" "$genome" --tokens 2000 --pairs 0 -o mlm.tsv --quiet
  bigdna report report mlm.tsv -o r.html
  [ "$(of_report r.html 'items[0]["what"]')" = '"evaluation"' ]
  sections r.html 0 >one
  bigdna report "$shared/chromatin" -o run.html
  sections run.html 0 | grep -v 'lines: Validation\|lines: Training loss\|lines: Learning rate' | diff one -
  [ "$(of_report r.html 'round(items[1]["headline"]["null"], 3)')" = "$(awk -F'\t' '$1 == "unigram" && $3 == "all" {printf "%.3f", $6}' mlm.tsv | sed 's/0*$//')" ]
}

@test "report: a run that is not finished; names that hold markup" {
  cp -r "$shared/promoter" unfinished
  rm unfinished/run.json
  printf 'run\nbigdna finetune pre starts\n' >unfinished/.unfinished
  touch -d '2026-01-02 03:04' unfinished/metrics.tsv
  printf '##bigdna_command=</script><script>alert(1)</script>\n#chrom\tstart\tend\tname\tscore\tstrand\t</script><b>x\n<!--1\t1\t2\t.\t.\t.\t0.5\n<!--1\t3\t4\t.\t.\t.\t0.7\n' >'<b>p.tsv'
  bigdna report unfinished '<b>p.tsv' -o r.html
  holds 0 'lines: Validation'
  of_report r.html '[dict(items[0]["facts"])[name] for name in ("bigdna_command", "Stage")]' | grep -qF '["bigdna finetune pre starts", "'
  [ "$(of_report r.html 'dict(items[0]["facts"])["Last written"]')" = '"2026-01-02 03:04"' ]
  [ "$(of_report r.html '[items[1]["name"], items[1]["facts"][0][1], items[1]["sections"][0]["columns"][3], items[1]["sections"][0]["rows"][0][0]]')" = \
    '["<b>p.tsv", "</script><script>alert(1)</script>", "</script><b>x", "<!--1"]' ]
  [ "$(grep -c '<b>\|alert(1)<\|<!--1' r.html)" = 0 ]
}

@test "report: what cannot be drawn is an error with its name, and nothing is written" {
  mkdir empty
  printf 'chrom\tstart\tend\tscore\nchr1\t1\n' >short.tsv
  printf '#chrom\tstart\tend\tname\tscore\tstrand\tx\nchr1\t1\t2\t.\t.\t.\tzebra\n' >words.tsv
  printf 'a\tb\n1\t2\n' >other.tsv
  echo '{"a": 1}' >other.json
  fails 1 "none: No such file" bigdna report none -o r.html
  fails 1 "empty: is not a folder made by bigdna" bigdna report empty -o r.html
  fails 1 "short.tsv:2: has 2 columns, but the line with their names has 4" bigdna report short.tsv -o r.html
  fails 1 "words.tsv:2: 'zebra' in column x is not a number" bigdna report words.tsv -o r.html
  fails 1 "other.tsv: is not a table that bigdna report can draw" bigdna report other.tsv -o r.html
  fails 1 "other.json: is not the JSON of an evaluation" bigdna report other.json -o r.html
  fails 1 "has no effects of bigdna variants" bigdna report "$shared/random.vcf" -o r.html
  fails 2 "report reads files and folders, not stdin" bigdna report - -o r.html
  fails 2 "files of this suffix cannot be used here" bigdna report "$shared/promoter" -o r.pdf
  fails 1 "is inside the input folder $shared/promoter" bigdna report "$shared/promoter" -o "$shared/promoter/r.html"
  nothing_but empty short.tsv words.tsv other.tsv other.json
}
