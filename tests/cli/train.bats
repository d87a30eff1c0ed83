# bigdna train chromatin on the simulated genome: a very small network, for behaviour, not skill.
load helpers

small=(--preset tiny --networks 2 --steps 4 --batch 2 --window 4000 --precision fp32 --quiet)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 0 --downstream 0 --keep all --test chr2,chr3 --validation chrX \
    -o bins --quiet
  bigdna train chromatin bins "${small[@]}" -o run -@ 1 >run.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

rows() { grep -v '^#' "$1"; }
train() { bigdna train chromatin "$shared/bins" "${small[@]}" "$@"; }

@test "train chromatin: a run has a model, metrics beside k-mers, and a folder for each network" {
  for file in run.json options.json metrics.tsv metrics.json features.tsv scores.tsv.gz model/model.safetensors model/config.json network-1/metrics.jsonl network-2/metrics.jsonl; do
    [ -s "$shared/run/$file" ]
  done
  same_files "$shared/run.out" "$shared/run/metrics.tsv"
  [ "$(rows "$shared/run.out" | cut -f2 | sort -u)" = $'bigdna\nbigdna-kmers\nkmers' ]
  bigdna info --verify "$shared/run" --quiet >info.txt
  grep -q "2 networks of" info.txt
}

@test "train chromatin: the same bytes with two threads, and after a resume" {
  train -o two -@ 2 >/dev/null
  same_files "$shared/run/model/model.safetensors" two/model/model.safetensors
  bigdna train chromatin "$shared/bins" "${small[@]}" -o killed -@ 1 --checkpoint-every 1 >/dev/null &
  pid=$!
  while [ ! -e killed/network-2/checkpoints/last ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
  kill -9 $pid 2>/dev/null || true
  wait $pid || true
  train -o killed -@ 1 --checkpoint-every 1 --resume >/dev/null
  same_files "$shared/run/model/model.safetensors" killed/model/model.safetensors
}

@test "train chromatin: the model predicts regions and whole contigs; a tile is predicted as a region of its own" {
  printf 'chr1\t20000\t21000\nchr1\t30000\t30100\n' >regions.bed
  bigdna chromatin "$shared/run" regions.bed -g "$genome" --precision fp32 --tile 200 --quiet -@ 1 >one.tsv
  bigdna chromatin "$shared/run" regions.bed -g "$genome" --precision fp32 --tile 200 --quiet -@ 2 >two.tsv
  same_files one.tsv two.tsv
  rows one.tsv | cut -f1-3 | shuf --random-source="$genome" >shuffled.bed
  bigdna chromatin "$shared/run" shuffled.bed -g "$genome" --precision fp32 --quiet >shuffled.tsv
  python3 - one.tsv shuffled.tsv <<'PY'
import sys
read = lambda path: {tuple(line.split("\t")[:3]): [float(x) for x in line.split("\t")[6:]] for line in open(path) if line[0] != "#"}
a, b = map(read, sys.argv[1:])
assert a.keys() == b.keys() and len(a) == 6
assert all(abs(x - y) < 1e-5 for key in a for x, y in zip(a[key], b[key]))
PY
  bigdna chromatin "$shared/run" -g "$genome" --contigs chrM --quiet >contig.tsv
  [ "$(rows contig.tsv | wc -l)" -gt 10 ]
}

@test "train chromatin: evaluate gives the metrics of the run" {
  bigdna evaluate chromatin "$shared/run" "$shared/bins" --strands average --precision fp32 --no-baseline --quiet >again.tsv
  python3 - "$shared/run/metrics.tsv" again.tsv <<'PY'
import sys
read = lambda path: {tuple(f[:3]): f[5] for f in (line.rstrip("\n").split("\t") for line in open(path) if line[0] != "#") if f[1] == "bigdna"}
a, b = map(read, sys.argv[1:])
assert a and a.keys() == b.keys()
assert all(abs(float(a[key]) - float(b[key])) < 1e-3 for key in a), (a, b)
PY
}

@test "train chromatin: layers of attention train and predict" {
  bigdna train chromatin "$shared/bins" --preset tiny --networks 1 --steps 2 --batch 2 --window 4000 --layers 1 --heads 2 --block 4 --pattern window --no-baseline -o attention --quiet >/dev/null
  printf 'chr1\t20000\t20200\n' >region.bed
  bigdna chromatin attention region.bed -g "$genome" --quiet >out.tsv
  [ "$(rows out.tsv | wc -l)" = 1 ]
}

@test "train chromatin: errors" {
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 -o promoters --quiet
  fails 1 "is a promoter dataset, not a chromatin dataset" bigdna train chromatin promoters -o r --quiet
  fails 2 "a window of 4100 bp is not whole bins of 200" bigdna train chromatin "$shared/bins" -o r --window 4100 --quiet
  fails 2 "not whole numbers joined by commas" bigdna train chromatin "$shared/bins" -o r --dilations 1,x --quiet
  fails 2 "adds tokens to the text" bigdna train chromatin "$shared/bins" -o r --layers 1 --pattern bigbird-etc --quiet
  fails 1 "a profile network" bigdna embed "$shared/run" "$genome" --quiet
  fails 1 "a profile network" bigdna finetune chromatin "$shared/run" "$shared/bins" -o r --quiet
  nothing_but promoters
}
