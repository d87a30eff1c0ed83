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
