# bigdna finetune, evaluate, predict-promoter, chromatin on the simulated genome: a very small model, for behaviour, not skill.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  small_encoder
  small_promoters
  bigdna finetune pre promoters --steps 6 --evaluations 2 -o promoter --quiet >promoter.out
  small_bins
  bigdna finetune pre bins --steps 4 --evaluations 1 -o chromatin --quiet >chromatin.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

@test "finetune (promoter): prints its metrics, beside the k-mer baseline's, and keeps them" {
  same_rows "$shared/promoter.out" "$shared/promoter/metrics.tsv"
  for method in bigdna kmers; do
    for metric in f1 precision recall mcc auroc auprc; do
      [ "$(awk -v m=$method -v n=$metric '$1 == m && $2 == "test" && $3 == n' "$shared/promoter.out" | wc -l)" = 1 ]
    done
  done
  # promoters of the simulated genome lie in CpG islands: the baseline must see that
  all_rows '$4 > 0.95' '$1 == "kmers" && $3 == "auroc"' <"$shared/promoter.out"
  # pretraining held chr3 out: it is the test split, and nothing else is
  bgzip -dc "$shared/promoters/regions.bed.gz" | awk '!/^#/ && ($1 == "chr3") != ($7 == "test")' | no_lines
  # evaluate says the same again
  bigdna evaluate "$shared/promoter" "$shared/promoters" --quiet --json e.json --scores s.tsv >e.tsv
  for option in --json --scores; do  # the table goes to stdout
    fails 2 "stdout: two outputs would be written to it" bigdna evaluate "$shared/promoter" "$shared/promoters" --quiet $option -
  done
  same_rows e.tsv "$shared/promoter.out"
  awk -F'\t' '$3 == "auroc" {value[$1] = $4} END {d = value["bigdna"] - value["kmers"] - value["bigdna-kmers"]; exit !(length(value) >= 3 && d * d < 4e-12)}' e.tsv
  same_rows <(grep -v '^#' s.tsv | cut -f1-4) <(bgzip -dc "$shared/promoters/regions.bed.gz" | awk '!/^#/ && $7 == "test"' | cut -f1-4)
  [ "$(grep -vc '^#' s.tsv)" = "$(awk '$1 == "bigdna" && $3 == "rows" {print $4}' e.tsv)" ]
}

@test "evaluate (promoter): an ensemble, and another model beside it" {
  bigdna finetune "$shared/pre" "$shared/promoters" --steps 4 --random-head --seed 3 --no-baseline -o other --quiet >/dev/null
  bigdna evaluate "$shared/promoter" "$shared/promoters" --compare other --no-baseline --quiet >both.tsv
  bigdna evaluate other "$shared/promoters" --no-baseline --quiet >other.tsv
  same_rows <(awk '$1 == "other" && $3 == "auroc"' both.tsv | cut -f2-) <(awk '$3 == "auroc"' other.tsv | cut -f2-)
  [ "$(sed '/^##/d' both.tsv | cut -f1 | sort -u | tr '\n' ' ')" = "#method bigdna bigdna-other other " ]
  bigdna evaluate "$shared/promoter" "$shared/promoters" --ensemble "$shared/promoter" --no-baseline --quiet >same.tsv
  same_rows same.tsv <(awk '$1 !~ /kmers|encoder|cnn/' "$shared/promoter.out")
  fails 1 "its head is 'chromatin', not 'promoter'" bigdna evaluate "$shared/promoter" "$shared/promoters" --compare "$shared/chromatin" --quiet
}

@test "evaluate (promoter): rows of other intervals are read around their start sites, as the model was trained" {
  genome=$TEST_DATA/genome.fa.gz
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 500 --downstream 350 --tss-distance 700 \
    --split-like "$shared/pre/model" --validation chrX -o longer --quiet
  bigdna evaluate "$shared/promoter" "$shared/promoters" --no-baseline --scores own.tsv --quiet >/dev/null
  bigdna evaluate "$shared/promoter" longer --no-baseline --scores longer.tsv 2>err >/dev/null
  grep -q "longer: intervals of -500/+350 bp, but the model .* reads -400/+200 around a start site" err
  # promoters are the same sites in both: the same names, and so the same scores
  promoters() { awk -F'\t' '!/^#/ && $7 == 1 {print $4, $8}' "$1" | sort; }
  same_rows <(promoters own.tsv) <(promoters longer.tsv)
  [ "$(promoters own.tsv | wc -l)" -gt 3 ]
  # shorter rows: the rest of the interval is N
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 100 --downstream 100 --tss-distance 700 \
    --split-like "$shared/pre/model" --validation chrX -o shorter --quiet
  bigdna evaluate "$shared/promoter" shorter --no-baseline --scores shorter.tsv --quiet >/dev/null
  name=$(promoters shorter.tsv | head -1 | cut -d' ' -f1)
  { echo ">x"; printf 'N%.0s' {1..300}; samtools faidx shorter/sequences.fa.gz "$name" | sed 1d | tr -d '\n'; printf 'N%.0s' {1..100}; echo; } >padded.fa
  bigdna predict-promoter "$shared/promoter" padded.fa --max-n-fraction 1 --quiet -o padded.tsv
  python3 - "$(promoters shorter.tsv | head -1 | cut -d' ' -f2)" "$(grep -v '^#' padded.tsv | cut -f5)" <<'PY'
import sys
assert abs(float(sys.argv[1]) - float(sys.argv[2])) < 1e-5, sys.argv
PY
}

@test "finetune (promoter) in two processes: the losses of one, and one table" {
  export OMP_NUM_THREADS=1
  ranks 2 bigdna finetune "$shared/pre" "$shared/promoters" --steps 6 --evaluations 2 -o two --quiet -@ 1 --no-baseline >two.out
  [ "$(grep -c '^bigdna.test.auroc' two.out)" = 1 ]
  python3 - "$shared/promoter/metrics.jsonl" two/metrics.jsonl <<'PY'
import json, sys
one, two = ([l["loss"] for l in map(json.loads, open(path)) if "loss" in l] for path in sys.argv[1:])
assert len(one) == len(two) >= 1 and all(abs(a - b) < 1e-4 for a, b in zip(one, two)), (one, two)
PY
}

@test "chromatin: one row a region in input order, one thread and two, features chosen" {
  bigdna chromatin "$shared/chromatin" "$TEST_DATA/regions.bed" -g "$genome" --quiet -@1 >one.tsv
  bigdna chromatin "$shared/chromatin" - -g "$genome" --quiet -@2 <"$TEST_DATA/regions.bed" >two.tsv
  same_rows one.tsv two.tsv
  grep -qx '##positive_weight=8' one.tsv
  header one.tsv | grep -qx $'#chrom\tstart\tend\tname\tscore\tstrand\tcolumn7\tCTCF|SimCell\tDNase|SimCell\tH3K4me3|SimCell'
  same_rows <(grep -v '^#' one.tsv | cut -f1-7) <(grep -v '^#' "$TEST_DATA/regions.bed")
  bigdna chromatin "$shared/chromatin" "$TEST_DATA/regions.bed" -g "$genome" --quiet --features 'HM,CTC*' >some.tsv
  same_rows <(cut -f1-8,10 one.tsv) some.tsv
  bigdna chromatin "$shared/chromatin" "$TEST_DATA/regions.bed" -g "$genome" --quiet --strands average >average.tsv
  not cmp -s one.tsv average.tsv
}

@test "finetune (chromatin): rows for groups and features" {
  same_rows "$shared/chromatin.out" "$shared/chromatin/metrics.tsv"
  [ "$(sed '/^##/d' "$shared/chromatin.out" | cut -f1 | sort -u | tr '\n' ' ')" = "#group DHS HM TF all " ]
  [ "$(grep -vc '^#' "$shared/chromatin/features.tsv")" = 3 ]
  bigdna evaluate "$shared/chromatin" "$shared/bins" --quiet --features f.tsv >e.tsv
  same_rows e.tsv "$shared/chromatin.out"
  same_rows f.tsv "$shared/chromatin/features.tsv"
}

@test "finetune: --resume of a finished run prints it again; other options are refused" {
  bigdna finetune "$shared/pre" "$shared/promoters" --steps 6 --evaluations 2 -o "$shared/promoter" --resume --quiet >again
  same_rows again "$shared/promoter.out"
  cp -r "$shared/promoter" run
  rm run/run.json
  touch run/.unfinished  # as a killed run leaves it
  cd "$shared"  # the options hold the paths as typed
  grep -q '"--checkpoint-every": 500,' "$BATS_TEST_TMPDIR/run/options.json"  # recorded, and not compared
  fails 1 'run: was made with --batch 16, not 8' bigdna finetune pre promoters --steps 6 --evaluations 2 --batch 8 -o "$BATS_TEST_TMPDIR/run" --resume --quiet
  sed -i '/"dataset"/,/}/s/"md5": "[0-9a-f]*"/"md5": "0"/' "$BATS_TEST_TMPDIR/run/options.json"  # as if the dataset had been made again since
  fails 1 'was made from an earlier version of dataset' bigdna finetune pre promoters --steps 6 --evaluations 2 -o "$BATS_TEST_TMPDIR/run" --resume --quiet
}

@test "bad input: one line, the right exit code, nothing on stdout" {
  fails 1 "its head is 'promoter', not 'chromatin'" bigdna chromatin "$shared/promoter" "$TEST_DATA/regions.bed" -g "$genome" --quiet
  fails 2 "--window, --label-balance have no effect on $shared/promoters, which is a promoter dataset" bigdna train "$shared/promoters" --label-balance 1 --window 400 -o r --quiet
  printf 'chr1\t100\t99999999\n' >far.bed
  fails 1 "far.bed:1: end 99999999 is past the end of chr1" bigdna chromatin "$shared/chromatin" far.bed -g "$genome" --quiet
  printf 'chr9\t100\t200\n' >other.bed
  fails 1 "other.bed:1: $genome has no contig chr9" bigdna chromatin "$shared/chromatin" other.bed -g "$genome" --quiet
  fails 2 "--features nothing: matches none of the 3 features" bigdna chromatin "$shared/chromatin" "$TEST_DATA/regions.bed" -g "$genome" --features nothing --quiet
  [ ! -e r ]
}

@test "promoters of one class are refused before anything is written" {
  cp -r "$shared/promoters" one_class
  bgzip -dc one_class/regions.bed.gz | awk -F'\t' '/^#/ || $5 == 1 || $7 != "train"' | bgzip >kept.gz
  mv kept.gz one_class/regions.bed.gz
  fails 1 "one_class/regions.bed.gz: has" bigdna finetune "$shared/pre" one_class -o run --steps 1 --quiet  # it was altered
  python3 -c 'import json; d = json.load(open("one_class/dataset.json")); del d["files"]; json.dump(d, open("one_class/dataset.json", "w"))'
  fails 1 "one_class: the train split has no negatives" bigdna finetune "$shared/pre" one_class -o run --steps 1 --quiet
  [ ! -e run ]
}

@test "chromatin labels of one class are refused before anything is written" {
  { header "$TEST_DATA/peaks.tsv"; printf '%s\tCTCF\tSimCell\tChIP-seq\ttf\n' "$TEST_DATA/tf.narrowPeak"; } >one.tsv
  bigdna dataset chromatin --peaks one.tsv -g "$genome" --upstream 200 --downstream 200 --test chrX --validation chr3 -o positives 2>log
  grep -q -- "--keep tf: bins with a label of group TF" log
  grep -q "warning: the train split has no feature with both classes" log
  fails 1 "positives: the train split has no negatives" bigdna finetune "$shared/pre" positives -o run --steps 1 --quiet
  [ ! -e run ]
}

@test "without a validation split the last step is kept, and the baseline has its strongest penalty" {
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 --test chrX --validation 0 \
    -o two --quiet
  bigdna finetune "$shared/pre" two --steps 2 -o run --quiet >metrics
  [ "$(awk '$1 == "kmers" && $3 == "auroc"' metrics | wc -l)" = 1 ]
  bigdna evaluate run two --resamples 50 --quiet | grep -c "^kmers"
}

@test "learning: a model from scratch tells the simulated genome's promoters from its desert" {
  bigdna finetune "$shared/pre" "$shared/promoters" --from-scratch --random-head --epochs 6 --learning-rate 3e-3 --no-baseline -o run --quiet |
    all_rows '$4 > 0.9' '$1 == "bigdna" && $3 == "auroc"'
}

@test "finetune: a fitted head tells promoters before any step; a random one does not" {
  for start in fitted random; do
    bigdna finetune "$shared/pre" "$shared/promoters" --steps 1 --learning-rate 1e-9 --no-baseline $([ $start = fitted ] || echo --random-head) -o $start --quiet >/dev/null
  done
  auroc() { grep -m 1 -o 'validation_auroc":[0-9.]*' "$1/metrics.jsonl" | cut -d: -f2; }
  awk "BEGIN { exit !($(auroc fitted) > 0.9 && $(auroc fitted) > $(auroc random)) }"
}

@test "finetune: --freeze of every layer trains the head alone, --layer-decay moves lower layers less" {
  layers=$(grep -o '"num_hidden_layers": [0-9]*' "$shared/pre/model/config.json" | grep -o '[0-9]*$')
  fails 2 "--freeze $((layers + 1)): the model has $layers layer" bigdna finetune "$shared/pre" "$shared/promoters" --freeze $((layers + 1)) -o r --quiet
  bigdna finetune "$shared/pre" "$shared/promoters" --freeze "$layers" --random-head --steps 4 --evaluations 1 --no-baseline -o frozen --quiet >/dev/null
  bigdna finetune "$shared/pre" "$shared/promoters" --freeze 0 --layer-decay 0.5 --random-head --steps 4 --evaluations 1 --no-baseline -o slow --quiet >/dev/null
  for run in frozen slow; do
    moved[${#moved[@]}]=$(grep -o 'update_norm":[0-9.e-]*' $run/metrics.jsonl | tail -1 | cut -d: -f2)
  done
  awk "BEGIN { exit !(${moved[0]} > 0 && ${moved[0]} < ${moved[1]}) }"
  for model in "$shared/pre" frozen; do
    bigdna embed "$model" "$TEST_DATA/records.fa" --layer 0 --precision fp32 --quiet | sed '/^##/d' | cut -f4- >"$(basename "$model").tsv"
  done
  same_rows pre.tsv frozen.tsv
}

@test "finetune --recompute: the same parameters, and others than those of an encoder whose layers are frozen" {
  tune() { bigdna finetune "$shared/pre" "$shared/promoters" --steps 6 --no-baseline --quiet "$@" >/dev/null; }
  layers=$(grep -o '"num_hidden_layers": [0-9]*' "$shared/pre/model/config.json" | grep -o '[0-9]*$')
  tune --freeze "$layers" -o frozen
  tune -o kept
  tune --recompute -o run
  local last=checkpoints/last/parameters.safetensors
  same_files run/$last kept/$last
  not cmp -s frozen/$last kept/$last
  fails 2 "--recompute has no effect on an encoder that is not trained" tune --freeze "$layers" --recompute -o d
  fails 2 "--layer-decay has no effect" tune --freeze "$layers" --layer-decay 0.5 -o d
}
