# bigdna pretrain in several processes: the same curve as one, another number of ranks on resuming, deaths, signals.
load helpers

export OMP_NUM_THREADS=1
small=(--architecture bigbird --layers 1 --heads 2 --hidden 16 --ffn 32 --max-length 64 --block 8 --micro-batch 1 --learning-rate 1e-3
  --evaluation-tokens 1000 --evaluate-every 5 --precision fp32 --device cpu --dropout 0.1 -@ 1 --vocab-size 64 --checkpoint-every 5)
ten=(--steps 10 --batch 4 --log-every 1)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  python3 - <<'PY'
import random
random.seed(5)
with open("genome.fa", "w") as out:
    for name, length in (("chr1", 90000), ("chr2", 60000)):
        out.write(f">{name}\n" + "".join(random.choice("ACGT") for _ in range(length)) + "\n")
PY
  bigdna pretrain genome.fa -o one "${small[@]}" "${ten[@]}" --quiet
}

# same_curve A B   every logged value of the two runs is the same, to rounding
same_curve() {
  python3 - "$1/metrics.jsonl" "$2/metrics.jsonl" <<'PY'
import json, sys
a, b = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
assert len(a) == len(b) and len(a) >= 12, (len(a), len(b))
for x, y in zip(a, b):
    assert x.keys() == y.keys(), (x, y)
    for key in x:
        if key != "tokens_per_second":
            assert abs(x[key] - y[key]) <= 2e-5 * max(1, abs(x[key])), (key, x, y)
PY
}

# same_tensors A B   two files of float32 tensors hold the same names, shapes and values, to rounding
same_tensors() {
  python3 - "$1" "$2" <<'PY'
import array, json, struct, sys
def read(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32", (path, name)
        begin, end = entry["data_offsets"]
        tensors[name] = entry["shape"], array.array("f", data[8 + size + begin:8 + size + end])
    return tensors
a, b = map(read, sys.argv[1:])
assert a and a.keys() == b.keys(), (a.keys(), b.keys())
largest = max(max(map(abs, values)) for shape, values in a.values())
assert largest > 0, "nothing but zeros"
for name in a:
    assert a[name][0] == b[name][0], name
    scale = max(map(abs, a[name][1]))
    worst = max(abs(x - y) for x, y in zip(a[name][1], b[name][1]))
    # the gradient of a key's bias is 0 but for rounding
    assert worst <= 1e-3 * scale + 1e-6 * largest, (name, worst, scale, largest)
PY
}

@test "two and three ranks train as one does" {
  ranks 2 bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o two "${small[@]}" "${ten[@]}"
  same_curve "$BATS_FILE_TMPDIR/one" two
  grep -q "2 ranks connected at 127.0.0.1 port $port by gloo" err.0
  [[ ! -s err.1 ]]
  [[ -s two/model/model.safetensors && -s two/run.json ]]
  ranks 3 bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o three "${small[@]}" "${ten[@]}" --quiet
  same_curve "$BATS_FILE_TMPDIR/one" three
}

@test "mpirun starts the ranks" {
  command -v mpirun >/dev/null || skip "no mpirun (Debian: openmpi-bin)"
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    mpirun --oversubscribe -np 2 bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o two "${small[@]}" "${ten[@]}" 2>err
  grep -q "2 ranks connected at 127.0.0.1 port .* by gloo" err
  same_curve "$BATS_FILE_TMPDIR/one" two
}

@test "sharded optimiser state: the same curve, and a checkpoint that holds all of it" {
  ranks 2 bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o two "${small[@]}" "${ten[@]}" --quiet
  ranks 2 bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o sharded "${small[@]}" "${ten[@]}" --quiet --shard-optimiser
  same_curve two sharded
  for file in parameters exp_avg exp_avg_sq; do
    same_tensors {two,sharded}/checkpoints/last/$file.safetensors
  done
}

@test "stopped after some steps by one rank, resumed by another number of ranks: the undisturbed curve" {
  bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o whole "${small[@]}" --batch 4 --steps 120 --log-every 1 --quiet
  port=$(free_port)
  for rank in 0 1; do
    as_rank $rank 2 bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --batch 4 --steps 120 --log-every 1 --shard-optimiser & pids[rank]=$!
  done
  until [[ -e run/checkpoints/last ]] || ! kill -0 ${pids[0]}; do sleep 0.01; done
  local rc
  kill -TERM ${pids[1]}  # one of them is told; all stop after the same step
  kill -TERM ${pids[1]}  # and at once again, as launchers do
  for rank in 0 1; do
    rc=0
    wait ${pids[rank]} || rc=$?
    [[ $rc == 143 ]] || { echo "rank $rank: exit $rc"; cat err.$rank; return 1; }
  done
  grep -q "stopped by SIGTERM after step .* of 120; a checkpoint is saved" err.0
  grep -q "stopped by SIGTERM after step" err.1
  [[ ! -e run/run.json ]]
  ranks 3 bigdna pretrain -o run --resume -@ 1 --device cpu --precision fp32 --log-every 1 --quiet
  same_curve whole run
}

@test "a rank that dies ends the others, with an error that says so" {
  port=$(free_port)
  for rank in 0 1; do
    as_rank $rank 2 bigdna pretrain "$BATS_FILE_TMPDIR/genome.fa" -o run "${small[@]}" --batch 4 --steps 100000 & pids[rank]=$!
  done
  until [[ -e run/checkpoints/last ]] || ! kill -0 ${pids[0]}; do sleep 0.01; done
  kill -9 ${pids[1]}
  local rc=0
  wait ${pids[0]} || rc=$?
  [[ $rc == 1 ]] || { echo "exit $rc"; cat err.0; return 1; }
  tail -1 err.0 | grep -q "rank 0 of 2: another rank has ended, lost its connection or did not answer in time .*--resume continues"
  wait ${pids[1]} || rc=$?
  [[ $rc == 137 ]]
}

@test "what rank 0 cannot read ends the others too" {
  local rc=0
  printf '>chr1\nACGT!\n' >damaged.fa
  ranks 2 bigdna pretrain damaged.fa -o run "${small[@]}" "${ten[@]}" || rc=$?
  [[ $rc == 1 ]]
  grep -q "damaged.fa" err.0
  # rank 0 may be gone before rank 1 has connected
  grep -Eq "rank 1.*: (another rank has ended|could not connect to the others)" err.1
  [[ ! -e run ]]
}

@test "bad usage" {
  cp "$BATS_FILE_TMPDIR/genome.fa" .
  WORLD_SIZE=2 fails 2 "WORLD_SIZE is set and RANK is not" bigdna pretrain genome.fa -o run
  RANK=2 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 fails 2 "RANK=2: ranks are numbered from 0, and there are 2" bigdna pretrain genome.fa -o run
  RANK=0 WORLD_SIZE=2 fails 2 "set MASTER_ADDR" bigdna pretrain genome.fa -o run
  RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 fails 2 "names one GPU for 2 ranks" bigdna pretrain genome.fa -o run --device cuda:0
  RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$(free_port) fails 1 "could not connect to the others" bigdna pretrain genome.fa -o run --timeout 1
  local rc=0
  ranks 2 bigdna pretrain genome.fa -o run "${small[@]}" --batch 1 || rc=$?
  ((rc != 0))  # 2, or 1 where the last rank only saw the others go
  grep -q "a batch of 1 is too small for 2 ranks" err.0
  RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 bigdna pretrain genome.fa -o run "${small[@]}" "${ten[@]}" --plan >out  # rank 0 measures alone
  [[ ! -s out ]]
  nothing_but genome.fa err.0 err.1 out
}
