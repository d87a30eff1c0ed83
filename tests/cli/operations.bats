# Signals, containers, file systems and launchers: what stops a job, and what does not.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  under_asan || cc -shared -fPIC -o refused_calls.so "$BIGDNA_SOURCE_DIR/tests/cli/refused_calls.c" -ldl
  samtools faidx "$TEST_DATA/genome.fa.gz" chr1:1-60000 | sed "s/:.*//" >genome.fa
  bigdna pretrain genome.fa "${small[@]}" --vocab-size 100 --passes 1 --steps 2 -o run --quiet
  for i in $(seq 300); do sed "s/^>/>copy$i/" genome.fa; done >many.fa
}
shared=$BATS_FILE_TMPDIR
small=(--preset tiny --layers 1 --hidden 32 --heads 2 --ffn 64 --max-length 64 --block 8 --batch 8 --evaluation-tokens 500 -@ 1)

# where REFUSED CMD...: CMD on a file system that refuses these calls (refused_calls.c)
where() { REFUSED=$1 LD_PRELOAD=$shared/refused_calls.so "${@:2}"; }

@test "SIGHUP, SIGUSR1 and SIGUSR2 end training with a checkpoint, too" {
  for signal in HUP:129 USR1:138 USR2:140; do
    name=${signal%:*} rc=0
    bigdna pretrain "$shared/run/corpus" "${small[@]}" --steps 4000 -o "$name" 2>err &
    until [ -s "$name/metrics.jsonl" ] || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
    kill -s "$name" $!
    wait $! || rc=$?
    [ $rc = "${signal#*:}" ]
    grep -q "stopped by SIG$name after step [0-9]* of 4000; a checkpoint is saved, --resume continues" err
    [ -e "$name/checkpoints/last/state.json" ]
  done
}

@test "a signal that the parent ignores stays ignored" {
  for signal in INT USR1 HUP; do
    (trap '' $signal; exec bigdna pretrain "$shared/run/corpus" "${small[@]}" --steps 4000 -o $signal --quiet) &
    until [ -s $signal/metrics.jsonl ] || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
    kill -s $signal $!
    lines=$(wc -l <$signal/metrics.jsonl) rc=0
    until [ "$(wc -l <$signal/metrics.jsonl)" -gt $((lines + 1)) ] || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
    kill -9 $!
    wait $! || rc=$?
    [ $rc = 137 ]
  done
}

@test "process 1 of a container ends at SIGTERM, with exit code 143 and no temporary file" {
  unshare -fp --mount-proc true 2>/dev/null || skip "no namespace can be made here"
  unshare -fp --mount-proc sh -c 'exec bigdna embed "$@"' sh "$shared/run" "$shared/many.fa" -o x.tsv -@ 1 --quiet &
  until ls x.tsv.*.partial >/dev/null 2>&1 || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
  rc=0
  pkill -TERM -P $!
  wait $! || rc=$?
  [ $rc = 143 ]
  nothing_but
}

@test "old checkpoints that cannot be removed are a warning; training goes on" {
  if under_asan; then skip "AddressSanitizer must come first"; fi
  where rmdir bigdna pretrain "$shared/run/corpus" "${small[@]}" --steps 10 --checkpoint-every 2 --keep 2 -o stuck 2>err
  grep -q "warning: .*checkpoints/step-000000002.partial: cannot be removed: Directory not empty" err
  [ -e stuck/run.json ]
  bigdna pretrain "$shared/run/corpus" "${small[@]}" --steps 10 --checkpoint-every 2 --keep 2 -o whole --quiet
  same_files stuck/model/model.safetensors whole/model/model.safetensors
  touch stuck/.unfinished
  rm stuck/run.json
  bigdna pretrain -o stuck --resume -@ 1 --quiet
  diff <(ls stuck/checkpoints) <(ls whole/checkpoints)  # what was left is gone
}

@test "models, corpora and runs on file systems without shared mappings, or without any" {
  if under_asan; then skip "AddressSanitizer must come first"; fi
  bigdna corpus --show 3 "$shared/run/corpus" >shown
  bigdna embed "$shared/run" "$shared/genome.fa" --precision fp32 -o whole.npy --quiet
  for refused in shared mappings; do
    where $refused bigdna corpus --show 3 "$shared/run/corpus" | cmp - shown
    where $refused bigdna pretrain "$shared/genome.fa" "${small[@]}" --vocab-size 100 --passes 1 --steps 2 -o $refused --quiet
    same_files $refused/model/model.safetensors "$shared/run/model/model.safetensors"
    where $refused bigdna embed "$shared/run" "$shared/genome.fa" --precision fp32 -o $refused.npy --quiet
    cmp $refused.npy whole.npy
  done
}

@test "HDF5 where the file system has no locks; where locks are asked for, the remedy" {
  if under_asan; then skip "AddressSanitizer must come first"; fi
  scores=(bigdna chromatin human-chr20-chrX -g "$TEST_DATA/genome.fa.gz" --contigs chrM --features TSS --precision fp32 --quiet)
  "${scores[@]}" -o whole.h5
  where flock "${scores[@]}" -o x.h5
  cmp x.h5 whole.h5
  for i in 1 2; do "${scores[@]}" --shard $i/2 -o part$i.h5; done
  bigdna merge part1.h5 part2.h5 -o merged.h5 --quiet
  where flock bigdna merge part1.h5 part2.h5 -o y.h5 --quiet
  cmp y.h5 merged.h5
  export HDF5_USE_FILE_LOCKING=TRUE
  fails 1 "z.h5: No locks available (HDF5_USE_FILE_LOCKING=FALSE turns off the locks of HDF5)" where flock bigdna embed "$shared/run" "$shared/genome.fa" --pool mean -o z.h5 --quiet
}

@test "files that workflow engines and file systems put into a folder do not keep it from being made again" {
  bigdna vocab "$shared/genome.fa" -o v --size 100 --quiet >/dev/null
  touch v/.snakemake_timestamp v/.nfs0000000001
  bigdna vocab "$shared/genome.fa" -o v --size 110 --resume=replace --quiet >/dev/null
  bigdna vocab "$shared/genome.fa" -o v --size 120 --force --quiet >/dev/null
  grep -q '"--vocab-size": 120' v/options.json
  [ -e v/.nfs0000000001 ]
  mkdir fresh
  touch fresh/.nfs0000000001 fresh/.gitkeep
  bigdna vocab "$shared/genome.fa" -o fresh --size 100 --quiet >/dev/null
  touch v/notes
  fails 1 "v: holds notes, which bigdna did not write and which would be lost: move it away" bigdna vocab "$shared/genome.fa" -o v --size 100 --force --quiet
}

@test "a rank says which variables make it one of several, before it waits and where it waits in vain" {
  step=(env SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 SLURM_LOCALID=0 SLURM_JOB_ID=7 SLURM_STEP_NODELIST=localhost)
  rc=0
  "${step[@]}" bigdna pretrain "$shared/run/corpus" "${small[@]}" --steps 2 -o r --timeout 1 2>err || rc=$?
  [ $rc = 1 ]
  grep -q "rank 0 of 4 (SLURM_PROCID, SLURM_STEP_NUM_TASKS): waiting for the others at localhost port 20007" err
  tail -1 err | grep -q "rank 0 of 4 (SLURM_PROCID, SLURM_STEP_NUM_TASKS): could not connect to the others at localhost port 20007 within 1 s .*; without these variables, one process trains alone"
}
