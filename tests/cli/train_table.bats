# bigdna train of whole sequences (tables, promoters), on very small data.
load helpers

small=(--preset tiny --batch 8 --precision fp32 --quiet)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_tables
  bigdna train binary "${small[@]}" --epochs 6 -o binary_run -@ 1 >binary.out
  for name in classes several numbers; do bigdna train $name "${small[@]}" --steps 3 -o ${name}_run >$name.out; done
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 -o promoters --quiet
  bigdna train promoters "${small[@]}" --steps 4 -o promoter_run >promoter.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}
value() { awk -F'\t' -v m="$2" -v n="$3" '$1 == m && $3 == n {print $4}' "$1"; }
rows() { grep -v '^#' "$1"; }

@test "train (table): every type of label, beside k-mers and a constant; it learns" {
  metrics() { awk -F'\t' '$1 == "bigdna" {print $3}' "$shared/$1.out" | tr '\n' ' '; }
  [ "$(metrics binary)" = "rows positives accuracy f1 f1_macro mcc auroc auprc " ]
  [ "$(metrics classes)" = "rows accuracy f1_macro mcc auroc auprc " ]
  [ "$(metrics several)" = "rows f1_macro f1_micro auroc auprc " ]
  [ "$(metrics numbers)" = "rows pearson spearman r2 " ]  # two numbers: no mean of rmse
  for name in binary classes several numbers; do
    same_files "$shared/$name.out" "$shared/${name}_run/metrics.tsv"
    [ "$(value "$shared/$name.out" kmers rows)" = 48 ]
    [ "$(value "$shared/$name.out" constant rows)" = 48 ]
  done
  [ "$(value "$shared/binary.out" bigdna auroc | awk '{print ($1 > 0.9)}')" = 1 ]
  [ "$(value "$shared/binary.out" constant auroc)" = 0.500000 ]
  grep -q '"pooled": true' "$shared/binary_run/model/config.json"
  bigdna info --verify "$shared/binary_run" --quiet >info.txt
}

@test "--plan measures and leaves nothing behind; -o is required without it" {
  bigdna train "$shared/binary" "${small[@]}" --epochs 6 --plan >plan.txt
  [ "$(sed 's/:.*//' plan.txt | paste -sd' ')" = "data model training speed memory disk" ]
  grep -q "^model: 1 network of .*parameters; 20 bp per position, " plan.txt
  grep -q "^speed: .*bp/s measured on cpu with .*: about .* with .* validations of each network, and then .* for the calibration and the test split; k-mers as a baseline come on top (--no-baseline leaves them out)$" plan.txt
  bigdna train "$shared/promoters" "${small[@]}" --steps 7 --no-baseline --plan -o run | grep -q "^training: 7 steps of 8 x 600 bp for each network, "
  nothing_but plan.txt
  fails 2 "-o/--output is required (only --plan does without)" bigdna train "$shared/binary" "${small[@]}"
}

@test "--pooling-seeds: learned seeds pool the states of a sequence" {
  seeds=(--steps 4 --pooling-seeds 2 --heads 2)
  bigdna train "$shared/classes" "${small[@]}" "${seeds[@]}" -o one -@ 1 >one.out
  bigdna train "$shared/classes" "${small[@]}" "${seeds[@]}" -o two -@ 2 >two.out
  same_files one/model/model.safetensors two/model/model.safetensors
  same_files one.out two.out
  tr -d ' \n' <one/model/config.json | grep -q '"pooling":{"seeds":2,"heads":2}'
  bigdna evaluate one "$shared/classes" --no-baseline --precision fp32 --quiet | grep -v '^#' | same_rows <(awk -F'\t' '$1 == "bigdna"' one.out) -
  fails 2 "96 filters cannot be divided among 5 heads" bigdna train "$shared/classes" "${small[@]}" --pooling-seeds 2 --heads 5 -o no
  fails 2 "--heads has no effect without --layers" bigdna train "$shared/classes" "${small[@]}" --heads 2 -o no
}

@test "evaluate (table) says the same of the model; predict gives each row's scores, from a file and stdin" {
  for name in binary classes several numbers; do
    bigdna evaluate "$shared/${name}_run" "$shared/$name" --no-baseline --precision fp32 --scores $name.tsv --quiet >e.tsv
    same_rows <(awk -F'\t' '$1 == "bigdna"' "$shared/$name.out") <(rows e.tsv)
  done
  bgzip -dc "$shared/binary/sequences.fa.gz" >all.fa
  bigdna predict "$shared/binary_run" all.fa --precision fp32 --quiet -@ 1 -o one.tsv
  bigdna predict "$shared/binary_run" - --precision fp32 --quiet -@ 2 <all.fa >two.tsv
  same_rows one.tsv two.tsv
  awk -F'\t' 'NR == FNR {if ($0 !~ /^#/) of[$4] = $7; next} !/^#/ {++n; d = of[$4] - $8; if (d * d > 1e-10) bad = 1} END {exit bad || n != 48}' one.tsv binary.tsv
}

@test "train (table): the same bytes with two threads, and after a resume" {
  bigdna train "$shared/binary" "${small[@]}" --epochs 6 -o two -@ 2 >/dev/null
  same_files "$shared/binary_run/model/model.safetensors" two/model/model.safetensors
  killed_when '[ -e killed/network-1/checkpoints/last ]' bigdna train "$shared/binary" "${small[@]}" --epochs 6 -o killed -@ 1 --checkpoint-every 1
  bigdna train "$shared/binary" "${small[@]}" --epochs 6 -o killed -@ 1 --checkpoint-every 1 --resume >/dev/null
  same_files "$shared/binary_run/model/model.safetensors" killed/model/model.safetensors
}

@test "predict says how many sequences are longer than a network reads" {
  printf '>long\n%s\n>short\nACGT\n' "$(samtools faidx "$genome" chr1:20001-20600 | sed 1d)" >some.fa
  bigdna predict "$shared/binary_run" some.fa -o out.tsv 2>err
  grep -qE '1 of 2 sequences read: longer than the [0-9]+ bp that the network reads: it used only their middle' err
}

@test "predict and evaluate say how many sequences are far from the lengths that a model was trained on" {
  read -r shortest longest < <(tr -d ' \n' <"$shared/binary_run/model/bigdna.json" | sed -E 's/.*"sequence_bp":\[([0-9]+),([0-9]+)\].*/\1 \2/'; echo)
  bgzip -dc "$shared/binary/sequences.fa.gz" | awk '!/^>/ {n = length($1); if (!least || n < least) least = n; if (n > most) most = n} END {print least, most}' >lengths
  [ "$shortest $longest" = "$(cat lengths)" ]
  bases() { printf '>%s\n%s\n' "$1" "$(samtools faidx "$genome" "chr1:20001-$((20000 + $2))" | sed 1d | tr -d '\n')"; }
  { bases usual "$shortest"; bases half $(((shortest + 1) / 2)); bases twice $((2 * longest)); } >usual.fa
  { bases short $(((shortest - 1) / 2)); bases long $((2 * longest + 1)); } >unusual.fa
  bigdna predict "$shared/binary_run" usual.fa -o out.tsv 2>err
  [ "$(grep -c "was trained on" err)" = 0 ]
  cat usual.fa unusual.fa >all.fa
  bigdna predict "$shared/binary_run" all.fa -o out.tsv --counts counts.json 2>err
  grep -qE "1 of 5 intervals is shorter than half of the (shortest )?$shortest bp that the model was trained on" err
  grep -qE "1 of 5 intervals is longer than twice the (longest )?$longest bp that the model was trained on" err
  [ "$(tr -d ' \n' <counts.json | grep -oE '"too_(short|long)":[0-9]+' | tr '\n' ' ')" = '"too_short":1 "too_long":1 ' ]
  fails 1 "short:1-" bigdna predict "$shared/binary_run" unusual.fa --strict -o strict.tsv --quiet
  [ ! -e strict.tsv ]
  awk 'BEGIN {print "sequence,label"} /^>/ {next} {print $1 ",0"; print substr($1, 2) ",1"}' all.fa >all.csv
  bigdna dataset table all.csv --test all -o all --quiet
  bigdna evaluate "$shared/binary_run" all --no-baseline 2>err >/dev/null
  grep -qE "1 of 10 examples is longer than twice the (longest )?$longest bp" err
}

@test "train: lists of numbers, and options of attention without attention, are usage errors" {
  fails 2 "--pools" bigdna train "$shared/binary" -o d --pools 2,x
  fails 2 "--dilations" bigdna train "$shared/binary" -o d --dilations 1,0
  fails 2 "--heads, --block have no effect without --layers" bigdna train "$shared/binary" -o d --heads 2 --block 32
  [ ! -e d ]
}

@test "evaluate (table): rows that the model was trained on are counted, also where they have no position" {
  awk -F, -v OFS=, 'NR == 1 {print "sequence,label"; next} $3 == "train" && n++ < 20 || $3 == "test" && m++ < 10 {print $2, $4}' "$shared/binary.csv" >some.csv
  bigdna dataset table some.csv --test all -o some 2>err
  not grep -q "example has the sequence" err  # there is nothing to compare with
  bigdna evaluate "$shared/binary_run" some --no-baseline >/dev/null 2>err
  grep -q "warning: 20 of 30 examples are in the model's training data" err
}

@test "evaluate (table) --compare, convert: what each model was trained on is known" {
  awk -F, -v OFS=, '$3 == "test" {$3 = "train"; print; next} $3 == "train" {$3 = "test"} 1' "$shared/binary.csv" >turned.csv
  bigdna dataset table turned.csv -o turned --quiet
  bigdna train turned "${small[@]}" --steps 2 --no-baseline -o turned_run >/dev/null
  bigdna evaluate "$shared/binary_run" "$shared/binary" --compare turned_run --no-baseline >/dev/null 2>err
  grep -qE 'warning: [0-9]+ of [0-9]+ examples are in the model.s training data \(turned_run\)' err
  not grep 'training data (.*binary_run)' err
  bigdna convert turned_run -o converted --weights fp16 --quiet
  bigdna evaluate converted "$shared/binary" --no-baseline >/dev/null 2>err
  grep -qE 'examples are in the model.s training data \(converted\)' err
}

@test "evaluate (table): a row is known by its place or by its sequence, whichever a dataset has" {
  bgzip -dc "$genome" >g.fa
  samtools faidx g.fa
  awk 'BEGIN {for (i = 0; i < 120; ++i) print "chr" 1 + i % 2 "\t" 20000 + 300 * i "\t" 20200 + 300 * i}' >w.bed
  { printf 'chrom\tstart\tend\tlabel\n'; awk '{print $0 "\t" int(NR / 2) % 2}' w.bed; } >places.tsv
  { printf 'sequence\tlabel\n'; bedtools getfasta -fi g.fa -bed w.bed -tab | awk '{print $2 "\t" int(NR / 2) % 2}'; } >sequences.tsv
  for name in places sequences; do
    on=()
    if [ $name = places ]; then on=(-g "$genome"); fi
    bigdna dataset table $name.tsv "${on[@]}" -o $name --quiet
    bigdna dataset table $name.tsv "${on[@]}" --test all -o $name.test --quiet
    bigdna train $name "${small[@]}" --steps 2 --no-baseline -o $name.run >/dev/null
  done
  for model in places sequences; do
    for data in places sequences; do
      bigdna evaluate $model.run $data.test --no-baseline --resamples 10 >/dev/null 2>err
      grep -qE "warning: [0-9]+ of 120 examples are in the model.s training data" err
    done
  done
}

@test "dataset table: variants of one element are said to be alike, however many there are" {
  python3 - <<'PY'
import random
random.seed(1)
element = "".join(random.choice("ACGT") for _ in range(250))
with open("variants.csv", "w") as file:
    print("sequence,label", file=file)
    for i in range(250):
        for base in set("ACGT") - {element[i]}:
            print(element[:i] + base + element[i + 1:], random.random(), sep=",", file=file)
with open("short.csv", "w") as file:
    print("sequence,label", file=file)
    for i in range(40):
        print("".join(random.choice("ACGT") for _ in range(18)), i % 2, sep=",", file=file)
PY
  bigdna dataset table variants.csv -o variants 2>err
  tested=$(bgzip -dc variants/regions.bed.gz | awk -F'\t' '$7 == "test"' | wc -l)
  grep -q "$tested of $tested test examples share half or more of their 21-mers with a training example" err
  bigdna dataset table short.csv -o short 2>err
  grep -qE 'test examples have no 21-mer: whether training examples resemble them is not known' err
  awk -F'\t' '!/^#/ && $9 != "."' short/leakage.tsv | no_lines
}

@test "train (table) --reverse-complement: a sequence and its reverse complement have the same prediction" {
  bigdna train "$shared/binary" "${small[@]}" --reverse-complement --networks 2 --steps 4 -o both >/dev/null
  bgzip -dc "$shared/binary/sequences.fa.gz" | awk 'NR % 2 {name = $0; next} {print name; print toupper($0)}' | sed -n 1,20p >some.fa
  awk 'NR % 2 {print; next} {out = ""; for (i = length($0); i > 0; --i) {b = substr($0, i, 1); out = out (b == "A" ? "T" : b == "C" ? "G" : b == "G" ? "C" : "A")} print out}' some.fa >turned.fa
  bigdna predict both some.fa --strands average --precision fp32 --quiet | cut -f4,7 | grep -v '^#' >given.tsv
  bigdna predict both turned.fa --strands average --precision fp32 --quiet | cut -f4,7 | grep -v '^#' >turned.tsv
  paste given.tsv turned.tsv | all_rows '($2 - $4)^2 <= 1e-10'
  bigdna predict both some.fa --strands forward --precision fp32 --quiet | cut -f4,7 | grep -v '^#' >forward.tsv
  not cmp -s forward.tsv given.tsv
  fails 1 "one of them is calibrated on the mean of both strands, the other on one strand" \
    bigdna predict both some.fa --ensemble "$shared/binary_run" --quiet
  # the model says so, and what reads it follows
  bigdna predict both some.fa --precision fp32 --quiet | cut -f4,7 | grep -v '^#' >default.tsv
  same_files default.tsv given.tsv
  bigdna evaluate both "$shared/binary" --no-baseline --precision fp32 --quiet >e.tsv
  same_rows <(awk -F'\t' '$1 == "bigdna"' both/metrics.tsv) <(rows e.tsv)
}

@test "train --from: another model's convolutions and weights, other labels; the head is new" {
  bigdna train "$shared/numbers" "${small[@]:2}" --from "$shared/binary_run" --steps 1 --learning-rate 1e-12 -o from >out
  arrays() {
    python3 - "$@" <<'PY'
import json, struct, sys
def arrays(path):
    data = open(path + "/model/model.safetensors", "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    return {name: data[8 + size:][slice(*entry["data_offsets"])] for name, entry in json.loads(data[8:8 + size]).items() if name != "__metadata__"}
a, b = map(arrays, sys.argv[1:])
import array
def close(x, y):
    x, y = array.array("f", x), array.array("f", y)
    return len(x) == len(y) and all(abs(p - q) < 1e-9 for p, q in zip(x, y))
assert a.keys() == b.keys()
print(*sorted({name.split(".")[2] for name in a if not close(a[name], b[name])}))
PY
  }
  [ "$(arrays "$shared/binary_run" from)" = head ]
  [ "$(arrays "$shared/binary_run" "$shared/numbers_run" | wc -w)" -gt 1 ]
  # a promoter model from a network that labels bins; what that was trained on counts as seen
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 0 --downstream 0 --keep all --test chr2 --validation chrX -o bins --quiet
  bigdna train bins --preset tiny --networks 2 --steps 1 --batch 2 --window 4000 --dilations 1,2 --precision fp32 --no-baseline -o bins_run --quiet >/dev/null
  bigdna train "$shared/promoters" --from bins_run --steps 1 --batch 4 --precision fp32 -o promoter_run >/dev/null 2>log
  [ "$(grep -c "arrays from bins_run" log)" = 2 ]
  python3 - promoter_run bins_run <<'PY'
import json, sys
read = lambda run, file: json.load(open(f"{run}/model/{file}"))
config = read("promoter_run", "config.json")
assert (config["networks"], config["dilations"], config["stages"]) == tuple(read("bins_run", "config.json")[key] for key in ("networks", "dilations", "stages"))
seen = [{(contig, base // 200) for contig, start, end, _ in read(run, "bigdna.json")["training_intervals"] for base in range(start, end, 200)} for run in sys.argv[1:]]
assert seen[1] and seen[1] <= seen[0]
PY
  bigdna pretrain "$genome" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 128 --vocab-size 200 --steps 1 --batch 2 --hold-out none -o pre --quiet
  fails 1 "pre: reads tokens; --from takes networks on bases" bigdna train "$shared/binary" --from pre -o d --quiet
  fails 2 "--pools: 4 numbers, of at most 3" bigdna train "$shared/binary" --from bins_run --pools 2,2,2,2 -o d --quiet
  fails 2 "--dilations" bigdna train "$shared/binary" --from bins_run --dilations 1 -o d
  fails 2 "--preset" bigdna train "$shared/binary" --from bins_run --preset base -o d  # it would set nothing
}

@test "train (promoter): evaluated alike by evaluate, and predict-promoter scans with it" {
  same_files "$shared/promoter.out" "$shared/promoter_run/metrics.tsv"
  bigdna evaluate "$shared/promoter_run" "$shared/promoters" --no-baseline --precision fp32 --quiet >e.tsv
  same_rows <(awk -F'\t' '$1 == "bigdna"' "$shared/promoter.out") <(rows e.tsv)
  grep -q '"threshold"' "$shared/promoter_run/model/bigdna.json"
  printf 'chr1\t20000\t20600\tone\t.\t+\nchr1\t20000\t20600\tone\t.\t-\n' >regions.bed
  bigdna predict-promoter "$shared/promoter_run" -R regions.bed -g "$genome" --quiet >regions.tsv
  [ "$(rows regions.tsv | wc -l)" = 2 ]
  [ "$(rows regions.tsv | cut -f5 | sort -u | wc -l)" = 2 ]  # each strand is read as it is
  bigdna predict-promoter "$shared/promoter_run" -g "$genome" --contigs chrM --strands both --quiet >scan.tsv
  [ "$(rows scan.tsv | wc -l)" -gt 10 ]
}

@test "train (promoter) --reverse-complement: what is calibrated on both strands is read on both" {
  bigdna train "$shared/promoters" "${small[@]}" --reverse-complement --no-kmers --steps 4 --force -o both >/dev/null  # k-mers are counted around the start site, which is another one for each strand
  printf 'chr1\t20000\t20600\tone\t.\t+\nchr1\t20000\t20600\tone\t.\t-\n' >regions.bed
  bigdna predict-promoter both -R regions.bed -g "$genome" --precision fp32 --quiet >default.tsv
  [ "$(rows default.tsv | cut -f6 | sort -u)" = . ]
  bigdna predict-promoter both -R regions.bed -g "$genome" --precision fp32 --quiet --strands average >average.tsv
  same_rows <(rows default.tsv) <(rows average.tsv)
  bigdna predict-promoter both -R regions.bed -g "$genome" --precision fp32 --quiet --strands forward >forward.tsv
  [ "$(rows forward.tsv | cut -f6 | sort -u | tr -d '\n')" = +- ]
  rows forward.tsv | cut -f5 | paste - <(rows default.tsv | cut -f5) >beside.tsv
  awk 'function logit(p) {return log(p / (1 - p))} {d += logit($1) - logit($2)} END {exit !(d * d < 1e-8)}' beside.tsv  # the mean logit
  not awk '{d += ($1 - $2) ^ 2} END {exit !(d < 1e-12)}' beside.tsv
  bigdna predict-promoter both -g "$genome" --contigs chrM --quiet | cut -f6 | grep -v '^[#]' | sort -u >strands
  not grep -q '[+-]' strands
  # a variant, too
  ref=$(samtools faidx "$genome" chr1:20301-20301 | tail -1 | tr acgt ACGT)
  alt=$([ "$ref" = A ] && echo C || echo A)
  printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t20301\tx\t%s\t%s\t.\t.\t.\n' "$ref" "$alt" >v.vcf
  printf 'chr1\t20400\t20401\tp\t.\t+\n' >site.bed
  bigdna variants both v.vcf -g "$genome" --sites site.bed --effects P_REF --precision fp32 --quiet | grep -v '^#' | cut -f8 >default.vcf
  bigdna variants both v.vcf -g "$genome" --sites site.bed --effects P_REF --precision fp32 --quiet --strands average | grep -v '^#' | cut -f8 >average.vcf
  bigdna variants both v.vcf -g "$genome" --sites site.bed --effects P_REF --precision fp32 --quiet --strands forward | grep -v '^#' | cut -f8 >forward.vcf
  same_files default.vcf average.vcf
  not cmp -s default.vcf forward.vcf
}

@test "variants: an allele's effect is what the edited sequence's prediction says" {
  printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >v.vcf
  ref=$(samtools faidx "$genome" chr1:20301-20301 | tail -1 | tr 'acgt' 'ACGT')
  alt=$([ "$ref" = A ] && echo C || echo A)
  printf 'chr1\t20301\tx\t%s\t%s\t.\t.\t.\n' "$ref" "$alt" >>v.vcf
  printf 'chr1\t20400\t20401\tp\t.\t+\n' >site.bed
  bigdna variants "$shared/promoter_run" v.vcf -g "$genome" --sites site.bed --effects P_REF,P_ALT --precision fp32 --quiet | grep -v '^#' >scored.vcf
  samtools faidx "$genome" chr1:20001-20600 | awk 'NR > 1 {s = s toupper($0)} END {print ">ref"; print s; print ">alt"; print substr(s, 1, 300) a substr(s, 302)}' a="$alt" >edited.fa
  bigdna predict-promoter "$shared/promoter_run" edited.fa --precision fp32 --quiet | grep -v '^#' | cut -f5 >predicted
  tr ';' '\n' <scored.vcf | grep -o 'P_[A-Z]*[^=]*=[0-9.e-]*' | cut -d= -f2 | paste - predicted | awk '{d = $1 - $2; if (d * d > 1e-10) bad = 1} END {exit bad || NR != 2}'
}

@test "explain: contributions are what edited sequences' predictions say" {
  printf 'chr1\t20400\t20401\tplus\t0\t+\nchr1\t20400\t20401\tminus\t0\t-\n' >sites.bed
  bigdna explain "$shared/promoter_run" -R sites.bed -g "$genome" --around 3 --substitutions changes.tsv -o sites.tsv --quiet -@ 1
  bigdna explain "$shared/promoter_run" -R sites.bed -g "$genome" --around 3 --quiet -@ 2 >two.tsv
  same_rows sites.tsv two.tsv
  [ "$(rows sites.tsv | wc -l)" = 12 ]
  for strand in plus minus; do
    [ $strand = plus ] && start=20000 || start=20201  # 400 bp upstream, 200 downstream
    at=$((20402 - start))
    samtools faidx "$genome" chr1:$((start + 1))-$((start + 600)) | sed 1d | tr -d '\n' | tr acgt ACGT >bases
    for base in A C G T; do
      printf '>%s\n' $base
      edited=$(cut -c1-$at bases)$base$(cut -c$((at + 2))- bases)
      if [ $strand = plus ]; then echo "$edited"; else echo "$edited" | rev | tr ACGT TGCA; fi
    done >edited.fa
    bigdna predict-promoter "$shared/promoter_run" edited.fa --precision fp32 --quiet | grep -v '^#' | awk '{print $4 "\t" log($5 / (1 - $5))}' >predicted.tsv
    awk -v s=$strand -F'\t' 'NR == FNR {logit[$1] = $2; next} $4 == s && $2 == 20402 {++n; d = $7 - (logit[$6] - logit[$5]); if (d * d > 1e-9) bad = 1}
      END {exit bad || n != 3}' predicted.tsv changes.tsv
  done
  # a network for tables, whose records are read as they are
  bgzip -dc "$shared/binary/sequences.fa.gz" | sed -n 1,4p >some.fa
  bigdna explain "$shared/binary_run" some.fa --around 2 --quiet >table.tsv
  [ "$(rows table.tsv | wc -l)" = 8 ]
}

@test "what reads bins refuses these networks; wrong datasets and options are named" {
  printf 'chr1\t0\t200\n' >x.bed
  fails 1 "its head is 'table'" bigdna chromatin "$shared/binary_run" x.bed -g "$genome"
  fails 2 "has: it predicts for whole sequences, not for bins" bigdna explain "$shared/promoter_run" -g "$genome" -r chr1:1001-2000 --method gradient --quiet
  fails 2 "reads each region's own strand, or both" bigdna explain "$shared/promoter_run" -g "$genome" -r chr1:1001-2000 --strands average --quiet
  fails 1 "predicts for whole sequences; this command is for networks that label bins" bigdna motifs "$shared/promoter_run" -g "$genome" -r chr1:1001-2000 -o m --quiet
  fails 2 "--epochs" bigdna train "$shared/binary" -o d --epochs 2 --steps 3
  fails 2 "--window has no effect on $shared/binary, which is a table dataset" bigdna train "$shared/binary" -o d --window 100
  fails 2 "--pools: 4 numbers, of at most 3" bigdna train "$shared/binary" -o d --pools 2,2,2,2
  bigdna dataset table "$shared/binary.csv" --test all -o tested --quiet
  fails 1 "the train split is empty" bigdna train tested -o d --quiet
}

# A table of noise whose labels are rarer in validation and test than in training; rows are repeated, or lengths tell.
noise() {
  python3 - "$@" <<'PY'
import random, sys
kind = sys.argv[1]
random.seed(5)
print("sequence,split,label")
for split, rows, positive in (("train", 200, 0.5), ("validation", 100, 0.1), ("test", 100, 0.1)):
    for i in range(rows):
        label = int(random.random() < positive)
        bases = "".join(random.choice("ACGT") for _ in range(100 - 20 * label if kind == "lengths" else 80))
        for _ in range(5 if kind == "repeated" else 1): print(f"{bases},{split},{label}")
PY
}

@test "train (table): the constant is calibrated as the others are" {
  noise plain >noise.csv
  bigdna dataset table noise.csv -o noise --quiet
  bigdna train noise "${small[@]}" --steps 2 -o run >out
  [ "$(value out constant accuracy | awk '{print ($1 > 0.8)}')" = 1 ]
}

@test "rows of one sequence are resampled together; lengths that tell the label are pointed out" {
  noise repeated >repeated.csv
  bigdna dataset table repeated.csv -o repeated --quiet
  bigdna train repeated --preset tiny --batch 8 --precision fp32 --steps 2 -o run 2>err >out
  grep -q '^##resampled=examples, grouped by sequence$' out
  not grep 'the length of a row' err
  noise plain >plain.csv
  bigdna dataset table plain.csv -o plain --quiet
  bigdna evaluate run plain --quiet >plain.out
  grep -q '^##resampled=examples$' plain.out
  noise lengths >lengths.csv
  bigdna dataset table lengths.csv -o lengths --quiet
  bigdna train lengths --preset tiny --batch 8 --precision fp32 --steps 2 -o long 2>err >out
  grep 'the length of a row alone tells 1 of 1 label (AUROC 1.00 of label=1)' err
}
