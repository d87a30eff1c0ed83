# pipelines/snakemake on test-data, at the scale of seconds.
load helpers

snakefile=$BIGDNA_SOURCE_DIR/pipelines/snakemake/Snakefile
snakemake=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/workflows/bin/snakemake

setup() {
  [ -x "$snakemake" ] || skip "no Snakemake: tests/peers/setup.sh --workflows installs it"
  cd "$BATS_FILE_TMPDIR"
  export TMPDIR=$BATS_FILE_TMPDIR XDG_CACHE_HOME=$BATS_FILE_TMPDIR
}

prepare() {  # FOLDER: with the inputs and the configuration
  mkdir -p "$1"
  cp "$TEST_DATA"/{genome.fa.gz,tss.bed,regions.bed} "$1"
  samtools faidx "$1/genome.fa.gz"
  cp "$BIGDNA_SOURCE_DIR/pipelines/snakemake/test_config.yaml" "$1/config.yaml"
}
workflow() {  # FOLDER ARGUMENTS...
  "$snakemake" -s "$snakefile" --directory "$1" --configfile "$1/config.yaml" --cores 2 "${@:2}" >"$1/log" 2>&1
}
planned() { workflow "$1" --dry-run "${@:2}"; sed -n '/^Job stats/,/^total/p' "$1/log" | awk '$2 ~ /^[0-9]+$/ && $1 != "total" && $1 != "all" {print $1 "=" $2}' | sort -u | paste -sd' '; }

@test "the workflow passes Snakemake's linter; a key that it does not know is an error" {
  prepare lint
  workflow lint --lint || { cat lint/log; false; }
  sed -i 's/^vocabulary:/vocabularies:/' lint/config.yaml
  not workflow lint --dry-run
  grep -q "'vocabularies' was unexpected" lint/log
}

@test "killed twice, as a step and as a whole, it continues to the bytes of a run that was not killed" {
  prepare whole
  prepare killed
  sed -i "s/--steps 4 --batch 2/--steps 400 --checkpoint-every 20 --batch 2/" whole/config.yaml killed/config.yaml
  workflow whole || { tail -30 whole/log; false; }
  grep -q '13 of 13 steps (100%) done' whole/log
  [ "$(grep -vc '^#' whole/results/predictions/start_sites.bed)" -gt 100 ]
  workflow killed & engine=$!
  until ls killed/results/pretrain-*/checkpoints/* >/dev/null 2>&1 || ! kill -0 $engine 2>/dev/null; do sleep 0.1; done
  for process in /proc/[0-9]*; do  # the step
    if [ "$(readlink "$process/cwd")" = "$BATS_FILE_TMPDIR/killed" ] && grep -aqz pretrain "$process/cmdline" && [[ $(readlink "$process/exe") == */bigdna-model ]]; then
      kill -9 "${process##*/}"
    fi
  done
  not wait $engine
  grep -q 'Error in rule pretrain' killed/log
  setsid "$snakemake" -s "$snakefile" --directory killed --configfile killed/config.yaml --cores 2 --rerun-incomplete >second.log 2>&1 & engine=$!
  until ls killed/results/tasks/*/options.json >/dev/null 2>&1 || ! kill -0 $engine 2>/dev/null; do sleep 0.1; done
  kill -9 -- -$engine
  status=0
  wait $engine || status=$?
  [ "$status" = 137 ]
  not ls killed/results/tasks/*/run.json
  workflow killed --unlock
  workflow killed --rerun-incomplete || { tail -30 killed/log; false; }
  same_files whole/results/predictions killed/results/predictions
  same_files whole/results/counts killed/results/counts
  cmp whole/results/pretrain-*/model/model.safetensors killed/results/pretrain-*/model/model.safetensors
}

@test "a changed option makes anew what depends on it, and nothing else" {
  [ -e whole/results/predictions/start_sites.bed ]
  planned whole | no_lines
  sed -i 's/--threshold 0 /--threshold 0.01 /' whole/config.yaml
  [ "$(planned whole)" = "merge=1 predict_part=3" ]
  sed -i 's/suffix: h5, parts: 2/suffix: h5, parts: 3/' whole/config.yaml
  [ "$(planned whole)" = "merge=2 predict_part=6" ]
  sed -i 's/--test chr3/--test chr2/' whole/config.yaml
  [ "$(planned whole)" = "dataset=1 merge=2 predict_part=6 task=1" ]
  sed -i 's/--vocab-size 200/--vocab-size 300/' whole/config.yaml
  [ "$(planned whole)" = "corpus=1 dataset=1 merge=2 predict_part=6 pretrain=1 task=1 vocabulary=1" ]
  touch -d '2 hours' whole/regions.bed
  [ "$(planned whole results/predictions/chromatin.h5)" = "merge=1 predict_part=3" ]
}

@test "an input with other contents under the same name: its step starts over" {
  prepare edited
  workflow edited --until dataset || { tail -30 edited/log; false; }
  before=$(md5sum edited/results/datasets/*/sequences.fa.gz)
  sed -i '$d' edited/tss.bed
  workflow edited --until dataset || { tail -30 edited/log; cat edited/results/logs/dataset*; false; }
  grep -q 'was made from an earlier version of .*tss.bed, which has changed since (--resume=replace starts over)' edited/results/logs/dataset-*.log
  [ "$(md5sum edited/results/datasets/*/sequences.fa.gz)" != "$before" ]
}

# CONFIGURATION TEXT: a configuration of start sites as in `prepare`, with a line that the schema refuses
refused() {
  printf 'genome: genome.fa.gz\n%s\n' "$1" >refused/config.yaml
  not workflow refused --dry-run
  grep -qF "$2" refused/log || { cat refused/log; false; }
}

@test "every command gets its input and the genome where it takes them; names have blanks" {
  prepare 'a b'
  cd 'a b'
  mv genome.fa.gz 'the genome.fa.gz'
  rm genome.fa.gz.*
  samtools faidx 'the genome.fa.gz'
  mv regions.bed 'my regions.bed'
  printf 'chr3\t1000\t1200\nchr3\t5000\t5200\n' >'my regions.bed'
  cp "$TEST_DATA/records.fa" 'my records.fa'
  mkdir 'my peaks'
  cp "$TEST_DATA"/{peaks.tsv,tf.narrowPeak,dhs.narrowPeak.gz,hm.broadPeak} 'my peaks'
  cp "$BIGDNA_SOURCE_DIR/pipelines/galaxy/test-data/variants.vcf" 'my variants.vcf'
  small_tables
  mv binary.csv 'my table.csv'
  cat >config.yaml <<'END'
genome: the genome.fa.gz
output: all results
vocabulary: {options: --vocab-size 200 --hold-out chr3}
corpus: {options: --hold-out chr3}
pretrain: {options: --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --steps 2 --batch 2 --evaluation-tokens 1000 --precision fp32}
tasks:
  measured:
    dataset: {kind: table, input: [my table.csv]}
    model: {method: finetune, options: --steps 2 --no-baseline --precision fp32}
  bins:
    dataset: {kind: chromatin, files: {peaks: my peaks/peaks.tsv}, options: "--upstream 0 --downstream 0 --keep all --test chr2,chr3 --validation chrX --max-bins 2000"}
    model: {method: train, options: --preset tiny --networks 1 --steps 2 --batch 2 --window 4000 --precision fp32 --no-baseline}
predictions:
  sequences: {model: measured, command: predict, input: [my table.csv], options: --precision fp32, suffix: tsv, parts: 2}
  intervals: {model: human-chr20-chrX, command: predict, regions: my regions.bed, options: --features TSS --precision fp32, suffix: h5}
  records: {model: human-chr20-chrX, command: predict-promoter, input: [my records.fa], options: --precision fp32, suffix: tsv}
  regions: {model: human-chr20-chrX, command: predict-promoter, regions: my regions.bed, options: --precision fp32, suffix: bed.gz}
  bins: {model: bins, command: chromatin, input: [my regions.bed], options: --precision fp32, suffix: tsv}
  effects: {model: bins, command: variants, input: [my variants.vcf], options: --precision fp32, suffix: vcf}
  tracks: {model: human-chr20-chrX, command: predict-promoter, options: --contigs chr3 --precision fp32, flag: --bigwig, stranded: true, suffix: bw, parts: 2}
  track: {model: human-chr20-chrX, command: predict-promoter, options: --contigs chr3 --strands forward --precision fp32, flag: --bigwig, suffix: bw}
END
  cd ..
  workflow 'a b' || { tail -30 'a b/log'; cat 'a b/all results/logs'/*; false; }
  cd 'a b'
  run=("all results/tasks/measured"-*)
  bigdna predict "${run[0]}" 'my table.csv' --precision fp32 --quiet >expected.tsv
  same_rows expected.tsv 'all results/predictions/sequences.tsv'
  bigdna predict-promoter human-chr20-chrX 'my records.fa' --precision fp32 --quiet >expected.tsv
  same_rows expected.tsv 'all results/predictions/records.tsv'
  run=("all results/tasks/bins"-*)
  bigdna chromatin "${run[0]}" 'my regions.bed' -g 'the genome.fa.gz' --precision fp32 --quiet >expected.tsv
  same_rows expected.tsv 'all results/predictions/bins.tsv'
  bigdna predict-promoter human-chr20-chrX -g 'the genome.fa.gz' --contigs chr3 --bigwig expected.bw --counts expected.json --precision fp32 --quiet
  for strand in plus minus; do cmp expected.$strand.bw "all results/predictions/tracks.$strand.bw"; done
  [ "$(counts expected.json)" = "$(counts 'all results/counts/tracks.strands.json')" ]
  diff <(printf '%s\n' bins.tsv effects.vcf intervals.h5 records.tsv regions.bed.gz sequences.tsv track.bw tracks.minus.bw tracks.plus.bw) <(ls 'all results/predictions')
  cd ..
  planned 'a b' | no_lines
  sed -i '$d' 'a b/my table.csv'  # is tracked
  [ "$(planned 'a b')" = "dataset=1 merge=1 predict_part=2 task=1" ]
}

@test "what a command cannot take or write is an error of the configuration" {
  prepare refused
  refused 'predictions: {x: {model: human-chr20-chrX, command: predict, suffix: tsv}}' "'regions' is a required property"
  for command in predict predict-promoter; do
    refused "predictions: {x: {model: human-chr20-chrX, command: $command, input: [a.fa], regions: b.bed, suffix: tsv}}" "'regions' should not be valid"
  done
  refused 'predictions: {x: {model: human-chr20-chrX, command: variants, suffix: vcf}}' '[] should be non-empty'
  refused 'predictions: {x: {model: human-chr20-chrX, command: chromatin, input: [a.bed, b.bed], suffix: tsv}}' 'is too long'
  refused 'predictions: {x: {model: human-chr20-chrX, command: chromatin, suffix: vcf}}' "'vcf' is not one of"
  refused 'predictions: {x: {model: human-chr20-chrX, command: chromatin, flag: --bigwig, suffix: bw}}' "'-o' was expected"
  refused 'predictions: {x: {model: human-chr20-chrX, command: predict-promoter, flag: --bigwig, suffix: bw}}' "does not match '--strands"
  refused 'tasks: {x: {dataset: {kind: table, files: {table: a.csv}}, model: {method: train}}}' "'input' is a required property"
  refused 'tasks: {x: {dataset: {kind: chromatin, input: [a.tsv], files: {peaks: a.tsv}}, model: {method: train}}}' "'input' should not be valid"
  refused 'tasks: {x: {dataset: {kind: promoter, files: {promoter: a.bed}}, model: {method: train}}}' "'promoters' is a required property"
}
