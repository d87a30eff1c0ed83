# bigdna dataset table --label-type counts, and what train, evaluate, predict, variants and explain make of it. Simulated counts follow a motif
# and GC content; small networks, for behaviour.
load helpers

small=(--preset tiny --batch 8 --precision fp32 --quiet)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  python3 - <<'PY'
import math, random
random.seed(5)
def poisson(mean):  # Knuth's
    limit, product, count = math.exp(-mean), random.random(), 0
    while product > limit: product, count = product * random.random(), count + 1
    return count
with open("counts.csv", "w") as file:
    print("name,sequence,split,reads,ends", file=file)
    for i in range(500):
        share = random.choice((0.35, 0.5, 0.65))
        bases = [random.choice("GC") if random.random() < share else random.choice("AT") for _ in range(120)]
        sites = i % 3
        for site in range(sites): bases[10 + 50 * site:18 + 50 * site] = "TGACTCAT"
        gc = sum(base in "GC" for base in bases) / len(bases)
        split = ("train", "train", "train", "validation", "test")[i % 5]
        print(f"r{i}", "".join(bases), split, poisson(2 * 3 ** sites), poisson(40 * max(0.02, gc - 0.3)), sep=",", file=file)
PY
  bigdna dataset table counts.csv --label-columns reads,ends --label-type counts -o counts 2>dataset.err
  bigdna train counts "${small[@]}" --epochs 6 -o run -@ 1 >run.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}
rows() { grep -v '^#' "$1"; }
value() { awk -F'\t' -v m="$2" -v n="$3" '$1 == m && $3 == n {print $4}' "$1"; }

@test "counts: a dataset of them; auto never takes numbers for counts" {
  grep -q '"label_type": "counts"' "$shared/counts/dataset.json"
  [ "$(cut -f2,5,7 "$shared/counts/features.tsv" | tr '\t\n' ': ')" = "name:group:kind reads:counts:counts ends:counts:counts " ]
  grep -q "labels: counts, 2 outputs" "$shared/dataset.err"
  grep -q "train: 300 rows; reads 300 numbers, mean" "$shared/dataset.err"
  [ "$(bgzip -dc "$shared/counts/regions.bed.gz" | awk '$4 == "r7" {print $5}')" = "$(awk -F, '$1 == "r7" {print $4 "," $5}' "$shared/counts.csv")" ]
  bigdna dataset table "$shared/counts.csv" --label-columns reads -o auto 2>err
  grep -q "labels: \(regression\|classes\), " err
  bigdna dataset table - --label-columns reads,ends --label-type counts -o stdin --quiet <"$shared/counts.csv"
  same_files "$shared/counts/labels.safetensors" stdin/labels.safetensors
  sed 's/^sequence/name/; s/,\([0-9]*\),\([0-9]*\)$/,"[\1, \2]"/' "$shared/counts.csv" | sed '1s/reads,ends/label/' >lists.csv
  bigdna dataset table lists.csv --label-type counts -o lists --quiet
  same_files "$shared/counts/labels.safetensors" lists/labels.safetensors
  bigdna info --verify "$shared/counts" --quiet >info.txt
}

@test "counts: labels that are none are errors with file and line" {
  bad() {  # LABEL MESSAGE
    awk -F, -v OFS=, -v label="$1" 'NR == 9 {$4 = label} 1' "$shared/counts.csv" >bad.csv
    fails 1 "bad.csv:9: reads '$1' $2" bigdna dataset table bad.csv --label-columns reads,ends --label-type counts -o bad --quiet
    [ ! -e bad ]
  }
  bad -3 "is below 0: every example needs a count, which is at least 0 (--label-type regression reads negative numbers)"
  bad -0.5 "is below 0"
  bad NaN "is missing: every example needs a count"
  bad NA "is missing"
  bad "" "is missing"
  bad many "is not a number"
  bad inf "is not a number"
  bad 1e39 "is beyond the range of 32-bit floats"
  awk -F, -v OFS=, 'NR > 1 {$4 = 7} 1' "$shared/counts.csv" >same.csv
  fails 1 "same.csv: column reads has the same value in every row" bigdna dataset table same.csv --label-columns reads --label-type counts -o bad --quiet
  awk -F, -v OFS=, 'NR > 1 {$4 /= 4} 1' "$shared/counts.csv" >scaled.csv
  bigdna dataset table scaled.csv --label-columns reads --label-type counts -o scaled 2>err
  grep -q "warning: scaled.csv: [0-9]* counts are not whole: scaled values" err
  # of one value in training alone, nothing can be learned; a damaged dataset
  awk -F, -v OFS=, 'NR > 1 && $3 == "train" {$4 = 0} 1' "$shared/counts.csv" >zero.csv
  bigdna dataset table zero.csv --label-columns reads --label-type counts -o zero --quiet
  fails 1 "zero: the training examples have no two different numbers of reads" bigdna train zero "${small[@]}" -o no
  cp -r "$shared/counts" damaged
  python3 - damaged/labels.safetensors <<'PY'
import json, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
size = struct.unpack("<Q", data[:8])[0]
struct.pack_into("<f", data, 8 + size + json.loads(data[8:8 + size])["labels"]["data_offsets"][0] + 4, -1)
open(sys.argv[1], "wb").write(data)
PY
  fails 1 "damaged/labels.safetensors: ends is -1 in r0; models learn counts, which are at least 0" bigdna train damaged "${small[@]}" -o no
  [ ! -e no ]
}

@test "counts: a run learns them, beside k-mers, GC content and the mean, with the metrics of tracks" {
  same_files "$shared/run.out" "$shared/run/metrics.tsv"
  [ "$(awk -F'\t' '$1 == "bigdna" {print $3}' "$shared/run.out" | tr '\n' ' ')" = "rows pearson_log1p pearson spearman r2_log1p deviance_explained total_ratio " ]
  [ "$(rows "$shared/run.out" | cut -f1 | grep -v -e - -e network | sort -u | tr '\n' ' ')" = "bigdna constant gc kmers " ]
  value "$shared/run.out" bigdna pearson_log1p | all_rows '$1 > 0.4'
  value "$shared/run.out" bigdna total_ratio | all_rows '$1 > 0.7 && $1 < 1.4'
  value "$shared/run.out" gc deviance_explained | all_rows '$1 > 0.1'
  value "$shared/run.out" constant deviance_explained | all_rows '$1 < 0.02'
  grep -q "^##verdict=.*(Pearson's r of log(1 + count))" "$shared/run.out"
  [ "$(rows "$shared/run/features.tsv" | cut -f2 | sort -u | tr '\n' ' ')" = "ends reads " ]
  grep -q '"link": "exponential"' "$shared/run/model/bigdna.json"
  grep -q 'validation_deviance_explained' "$shared/run/network-1/metrics.jsonl"
  bigdna train "$shared/counts" "${small[@]}" --epochs 6 -o two -@ 2 >two.out
  same_files "$shared/run/model/model.safetensors" two/model/model.safetensors
  same_rows "$shared/run.out" two.out
  # shuffled labels teach nothing
  python3 - "$shared/counts.csv" >shuffled.csv <<'PY'
import csv, random, sys
random.seed(1)
header, *rows = csv.reader(open(sys.argv[1]))
train = [row for row in rows if row[2] != "test"]
labels = [row[3:] for row in train]
random.shuffle(labels)
for row, label in zip(train, labels): row[3:] = label
print("\n".join(",".join(row) for row in [header] + rows))
PY
  bigdna dataset table shuffled.csv --label-columns reads,ends --label-type counts -o shuffled --quiet
  bigdna train shuffled "${small[@]}" --epochs 2 -o null --no-baseline >null.out
  value null.out bigdna deviance_explained | all_rows '$1 < 0.1'
}

@test "counts: evaluate says the same, and its metrics are what their definitions give" {
  bigdna evaluate "$shared/run" "$shared/counts" --precision fp32 --scores scores.tsv --features features.tsv --resamples 50 --quiet >evaluated.tsv
  for metric in pearson_log1p spearman total_ratio; do [ "$(value evaluated.tsv bigdna $metric)" = "$(value "$shared/run.out" bigdna $metric)" ]; done
  [ "$(value evaluated.tsv constant total_ratio)" = "$(value "$shared/run.out" constant total_ratio)" ]
  python3 - scores.tsv features.tsv <<'PY'
import math, sys
def table(path):
    lines = [line.rstrip("\n").lstrip("#").split("\t") for line in open(path) if not line.startswith("##")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]
def pearson(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))
def ranks(x): return [sum(b < a for b in x) + (sum(b == a for b in x) + 1) / 2 for a in x]
def deviance(y, mu): return 2 * sum((a * math.log(a / b) if a else 0) - a + b for a, b in zip(y, mu))
rows, found = table(sys.argv[1]), {(row["name"], row["method"], row["metric"]): float(row["value"]) for row in table(sys.argv[2]) if row["method"] == "bigdna"}
for name in ("reads", "ends"):
    y, mu = ([float(row[f"{what}:{name}"]) for row in rows] for what in ("label", "bigdna"))
    logs = [[math.log1p(value) for value in side] for side in (y, mu)]
    mean = sum(y) / len(y)
    expected = {"pearson_log1p": pearson(*logs), "pearson": pearson(y, mu), "spearman": pearson(ranks(y), ranks(mu)),
                "r2_log1p": 1 - sum((a - b) ** 2 for a, b in zip(*logs)) / sum((a - sum(logs[0]) / len(y)) ** 2 for a in logs[0]),
                "deviance_explained": 1 - deviance(y, mu) / deviance(y, [mean] * len(y)), "total_ratio": sum(mu) / sum(y)}
    for metric, value in expected.items():
        assert abs(found[name, "bigdna", metric] - value) < 2e-5, (name, metric, found[name, "bigdna", metric], value)
PY
  # expected counts of the validation examples add up to the observed ones
  bigdna evaluate "$shared/run" "$shared/counts" --split validation --precision fp32 --no-baseline --quiet >validation.tsv
  value validation.tsv bigdna total_ratio | all_rows '($1 - 1)^2 < 1e-4'
  bigdna evaluate "$shared/run" "$shared/counts" --no-baseline --refit-kmers --precision fp32 --quiet >refit.tsv
  [ "$(rows refit.tsv | cut -f1 | grep -v -e bigdna- | sort -u | tr '\n' ' ')" = "bigdna constant gc kmers-refit " ]
  bigdna dataset table "$shared/counts.csv" --label-columns reads,ends --label-type regression -o numbers --quiet
  fails 1 "numbers: its labels are regression, but the labels of the model $shared/run are counts" bigdna evaluate "$shared/run" numbers
  bigdna report "$shared/run" -o report.html --quiet
  grep -q "Observed and expected counts" report.html
}

@test "counts: predict gives expected counts, from a file and stdin, in text and HDF5; parts add up to their logarithm" {
  bigdna predict "$shared/run" "$shared/counts.csv" --precision fp32 --quiet -@ 1 -o one.tsv
  bigdna predict "$shared/run" - --precision fp32 --quiet -@ 2 <"$shared/counts.csv" >two.tsv
  same_rows one.tsv two.tsv
  grep -qx '##prediction=number' one.tsv
  rows one.tsv | all_rows '$7 > 0 && $8 > 0'
  [ "$(rows one.tsv | awk -F'\t' '$7 > 3' | wc -l)" -gt 50 ]
  bigdna predict "$shared/run" "$shared/counts.csv" --precision fp32 -o out.h5 --quiet
  grep -aq feature_kind out.h5
  [ -e "$shared/run/model/kmers.safetensors" ]
  bigdna predict "$shared/run" "$shared/counts.csv" --precision fp32 --parts --features reads -o parts.tsv --quiet
  rows parts.tsv | all_rows '(log($7) - $8 - $9)^2 < 1e-8'
  printf '>bad\nACGT!\n' >bad.fa
  fails 1 "bad.fa" bigdna predict "$shared/run" bad.fa -o no.tsv --quiet
  [ ! -e no.tsv ]
}

@test "counts: variants have LFC, explain takes the logarithm; encoders do not learn counts" {
  printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t20001\t.\t%s\tA,C,G,T\t.\t.\t.\n' "$(samtools faidx "$genome" chr1:20001-20001 | sed 1d)" >v.vcf
  bigdna variants "$shared/run" v.vcf -g "$genome" --precision fp32 --effects LFC,P_REF,P_ALT --features reads -o v.tsv --quiet
  [ "$(header v.tsv | cut -f10-12)" = $'LFC:reads\tP_REF:reads\tP_ALT:reads' ]
  rows v.tsv | awk -F'\t' '$9 == "."' >scored.tsv
  [ "$(wc -l <scored.tsv)" = 3 ]
  all_rows '($10 - log($12 / $11) / log(2))^2 < 1e-8 && $12 > 0' <scored.tsv
  fails 2 "predicts counts, not probabilities: it has no LOGIT" bigdna variants "$shared/run" v.vcf -g "$genome" --effects LOGIT
  awk -F, 'NR == 2 {print ">" $1 "\n" $2}' "$shared/counts.csv" >one.fa
  bigdna explain "$shared/run" one.fa --features reads --precision fp32 --quiet -o e.tsv
  [ "$(rows e.tsv | wc -l)" = 120 ]
  bigdna pretrain "$genome" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 1 --batch 2 --hold-out chr3 --evaluation-tokens 1000 -o pre --quiet
  fails 1 "counts: its labels are counts, which encoders do not learn (bigdna train does" bigdna finetune pre "$shared/counts" -o no --quiet
  [ ! -e no ]
}
