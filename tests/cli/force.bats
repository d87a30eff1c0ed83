# --force: it replaces all that bigdna wrote into a folder, complete or not, and never what somebody else put there.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_encoder
  small_promoters
  small_network
  small_tables
}
shared=$BATS_FILE_TMPDIR

# twice CMD...: CMD -o d makes a folder, and --force makes the same again; a file of the user's is named and stays, also in the tar.
twice() {
  rm -rf d d.tar first
  "$@" -o d --quiet >/dev/null
  cp -r d first
  echo mine >d/notes.md
  fails 1 "d: holds notes.md, which bigdna did not write and which would be lost: move it away" "$@" -o d --force --quiet
  grep -q mine d/notes.md
  rm d/notes.md
  "$@" -o d --force --quiet >/dev/null
  diff <(cd first && find . | sort) <(cd d && find . | sort)
  find d -name '.unfinished' -o -name '.repl*' | no_lines
}

@test "--force replaces all that each command writes, and keeps a file that it did not write" {
  twice bigdna vocab "$TEST_DATA/genome.fa.gz" --size 100
  twice bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab "$shared/pre/vocabulary" --contigs chrX --hold-out none
  printf 'chain 1 chr1 420000 + 0 420000 chr1 420000 + 0 420000 1\n420000\n\n' >a.chain
  twice bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" --chain a.chain -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 --test 0.2
  twice bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$TEST_DATA/genome.fa.gz" --keep any --max-bins 50 --test chr3
  twice bigdna dataset table "$shared/several.csv" --label-columns gc,at
}

@test "--force replaces all that training writes, and what converts it" {
  steps=(--steps 2 -@1)
  twice bigdna pretrain "$TEST_DATA/genome.fa.gz" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 100 --batch 2 --hold-out chr3 --evaluation-tokens 1000 "${steps[@]}"
  twice bigdna finetune "$shared/pre" "$shared/promoters" "${steps[@]}"
  cp -r d tuned
  twice bigdna finetune "$shared/pre" "$shared/several" "${steps[@]}"
  twice bigdna train "$shared/bins" --preset tiny --networks 2 --batch 2 --window 4000 "${steps[@]}"
  cp -r d network
  twice bigdna train "$shared/promoters" --preset tiny --networks 1 --batch 2 "${steps[@]}"
  twice bigdna train "$shared/numbers" --preset tiny --networks 1 --batch 2 "${steps[@]}"
  for model in pre tuned network; do
    [ -e $model ] || cp -r "$shared/$model" .
    twice bigdna convert $model
  done
}

@test "a run that was stopped: --force keeps a file that it did not write, wherever it lies" {
  train=(bigdna finetune "$shared/pre" "$shared/promoters" --no-baseline --steps 4000 --checkpoint-every 1 -@1 -o run --quiet)
  killed_when "[ -e run/checkpoints/last ]" "${train[@]}"
  last=$(readlink run/checkpoints/last)
  for name in slurm-12.out checkpoints/notes "checkpoints/$last/notes" checkpoints/$last.mine/state.json; do
    mkdir -p "$(dirname "run/$name")"
    echo mine >"run/$name"
    fails 1 "run: holds $name, which bigdna did not write and which would be lost: move it away" "${train[@]}" --force
    grep -q mine "run/$name"
    rm "run/$name"
  done
}

@test "a checkpoint that makes room for a newer one keeps a file that bigdna did not write" {
  train=(bigdna pretrain "$TEST_DATA/genome.fa.gz" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 100 --batch 2 --hold-out chr3 --evaluation-tokens 1000
    --steps 4000 --checkpoint-every 1 --keep 1 -@1 -o run)
  killed_when "[ -e run/checkpoints/last ]" "${train[@]}" --quiet
  last=$(readlink run/checkpoints/last)
  echo mine >"run/checkpoints/$last/notes"
  "${train[@]}" --resume >/dev/null 2>err &
  until [ -e "run/checkpoints/$last.partial" ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
  kill -TERM $!
  wait $! || true
  grep -q "checkpoints/$last.partial: stays, as bigdna did not write its notes" err
  [ "$(ls "run/checkpoints/$last.partial")" = notes ]
}

@test "-o NAME.tar: a file that somebody puts beside what is packed stays; a tar of something else is not replaced" {
  run=(bigdna pretrain "$TEST_DATA/genome.fa.gz" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 100 --batch 2 --hold-out chr3 --evaluation-tokens 1000
    --checkpoint-every 1 -@1 -o run.tar --quiet)
  killed_when "[ -e run.tar.unpacked/run/checkpoints/last ]" "${run[@]}" --steps 4000
  echo mine >run.tar.unpacked/run/notes.md
  fails 1 "run.tar.unpacked/run: holds notes.md, which bigdna did not write" "${run[@]}" --steps 2 --force
  grep -q mine run.tar.unpacked/run/notes.md
  rm -r run.tar.unpacked
  echo years >run.tar
  cp run.tar before
  fails 1 "run.tar: exists, and is not a tar that bigdna made: move it away" "${run[@]}" --steps 2 --force
  cmp run.tar before
}
