# Every row of the table of attentions through pretrain, evaluate mlm and embed: very small, for behaviour, not skill.
load helpers

small=(--layers 3 --heads 2 --hidden 16 --ffn 32 --max-length 256 --block 8 --batch 2 --steps 3 --evaluation-tokens 500 --device cpu --precision fp32)

names() { bigdna info --attentions | sed -n 's/^### \([a-z]*\):.*/\1/p'; }
pretrain() { bigdna pretrain "$BATS_FILE_TMPDIR/start/corpus" "${small[@]}" --quiet "$@"; }

near_weights() {  # RUN RUN: those that an attention or a stack adds
  python3 - "$@" <<'PY'
import json, struct, sys
def weights(run):
    data = open(f"{run}/model/model.safetensors", "rb").read()
    (size,) = struct.unpack("<Q", data[:8])
    for name, array in json.loads(data[8:8 + size]).items():
        if ".bigdna." in name:
            begin, end = array["data_offsets"]
            yield name, struct.unpack(f"<{(end - begin) // 4}f", data[8 + size + begin:8 + size + end])
one, two = dict(weights(sys.argv[1])), dict(weights(sys.argv[2]))
assert one and one.keys() == two.keys()
for name in one: assert max(abs(a - b) for a, b in zip(one[name], two[name])) < 1e-5, name
PY
}

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bigdna pretrain "$TEST_DATA/genome.fa.gz" "${small[@]}" --vocab-size 64 --vocab-bases 50000 --passes 1 --hold-out chr3 --log-every 1 -o start --quiet
}
setup() { cd "$BATS_TEST_TMPDIR"; }

@test "each attention: pretrain, what config.json and info say, evaluate mlm, embed" {
  [[ $(names | wc -l) -ge 11 && $(names | head -1) == blocks ]]
  for i in {0..9}; do printf 'chr1\t%s\t%s\n' $((5000 + 911 * i)) $((5060 + 1000 * i)); done >many.bed
  for name in $(names | tail -n +2); do
    for architecture in modern bigbird; do
      pretrain --attention "$name" --architecture $architecture --force -o run
    done
    grep -q '"model_type": "bigdna"' run/model/config.json
    bigdna info run | grep -q "^  other heads  *1 head of each layer from 1 on: $name:from=1,local=1"
    bigdna evaluate mlm run/model "$BATS_FILE_TMPDIR/start/corpus" --tokens 1000 --quiet >scores.tsv
    [[ $(grep -v '^#' scores.tsv | head -1 | cut -f6) =~ ^[0-9]\.[0-9]+$ ]]
    # the same numbers to the last digit, whatever else is embedded, and on any number of threads
    bigdna embed run -R many.bed -g "$TEST_DATA/genome.fa.gz" --device cpu --precision fp32 --quiet -@ 1 | sed '/^#/d' >many.tsv
    tac many.bed | bigdna embed run -R - -g "$TEST_DATA/genome.fa.gz" --device cpu --precision fp32 --quiet -@ 2 | sed '/^#/d' | tac >reversed.tsv
    same_files many.tsv reversed.tsv
    not grep -qi nan many.tsv
  done
}

@test "training is the same for any number of threads, with --recompute, and after --resume" {
  for attention in routing:clusters=4,decay=0.5 span:limit=64,dynamic=yes lsh:chunk=16; do
    pretrain --attention $attention -@ 1 -o one --force
    pretrain --attention $attention --recompute -@ 2 -o two --force
    same_files one/model/model.safetensors two/model/model.safetensors
  done
  pretrain --attention routing:clusters=4,decay=0.5 --checkpoint-every 1 -@ 1 -o whole
  killed_when '[ -e cut/checkpoints/step-000000001 ]' bigdna pretrain "$BATS_FILE_TMPDIR/start/corpus" "${small[@]}" --quiet --attention routing:clusters=4,decay=0.5 --checkpoint-every 1 -@ 1 -o cut
  bigdna pretrain --resume -o cut -@ 1 --quiet
  same_files cut/model/model.safetensors whole/model/model.safetensors
}

@test "two ranks train what one trains: centroids and spans too" {
  export OMP_NUM_THREADS=1
  for attention in routing:clusters=4,decay=0.5 span:limit=64,cost=0.01; do
    ranks 2 bigdna pretrain "$BATS_FILE_TMPDIR/start/corpus" "${small[@]}" --attention $attention --log-every 1 --micro-batch 1 -@ 1 -o two --force --quiet
    pretrain --attention $attention --log-every 1 --micro-batch 1 -@ 1 -o one --force
    near_weights one two
  done
}

@test "a model with clusters is fine-tuned and predicts, the same on any number of threads" {
  pretrain --attention routing:clusters=4 -o pre
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like pre/model --validation chrX -o promoters --quiet
  bigdna finetune pre promoters --random-head --steps 2 --evaluations 1 --no-baseline --precision fp32 --device cpu -o tuned --quiet >/dev/null
  bigdna predict-promoter tuned "$TEST_DATA/records.fa" --quiet -@ 1 >one.tsv
  bigdna predict-promoter tuned "$TEST_DATA/records.fa" --quiet -@ 2 >two.tsv
  same_rows one.tsv two.tsv
  not grep -qi nan one.tsv
}

@test "--plan names the attention and its cost" {
  bigdna pretrain "$BATS_FILE_TMPDIR/start/corpus" "${small[@]}" --attention linformer:rank=16 --plan >plan 2>&1
  grep -q "attention: linformer:from=1,local=1,rank=16, 32 keys per query at 256 tokens, or what costs as much" plan
}

@test "reversible layers: info, resume, threads, ranks' micro-batches, fine-tuning and convert" {
  pretrain --stack reversible --architecture modern --checkpoint-every 1 -@ 1 -o one
  pretrain --stack reversible --architecture modern --checkpoint-every 1 -@ 2 -o two
  same_files one/model/model.safetensors two/model/model.safetensors
  bigdna info one | grep -q "^  stack  *reversible"
  grep -q '"model_type": "bigdna"' one/model/config.json
  pretrain --stack reversible --architecture modern --plan 2>&1 | grep -q "bigbird attention in blocks of 8, reversible stack: "
  pretrain --architecture modern -@ 1 -o plain
  not cmp -s plain/model/model.safetensors one/model/model.safetensors
  cp -r one cut
  rm -r cut/model cut/run.json cut/checkpoints/step-000000003
  touch cut/.unfinished
  bigdna pretrain --resume -o cut -@ 1 --quiet
  same_files cut/model/model.safetensors one/model/model.safetensors
  bigdna convert one -o longer --max-length 512 --quiet
  grep -q '"stack": "reversible"' longer/config.json
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like one/model --validation chrX -o promoters --quiet
  bigdna finetune one promoters --freeze 1 --steps 2 --evaluations 1 --no-baseline --precision fp32 --device cpu -o tuned --quiet >/dev/null
  bigdna predict-promoter tuned "$TEST_DATA/records.fa" --quiet -@ 1 | sed '/^#/d' >p.tsv
  [[ -s p.tsv ]]
  not grep -qi nan p.tsv
  fails 2 "unknown stack tower (residual, reversible, gated, universal)" pretrain -o x --stack tower
  fails 2 "stack reversible: needs an architecture with its norms inside of what is added (modern), not bigbird" pretrain -o x --stack reversible --architecture bigbird
  fails 2 "--recompute changes nothing: the layers of a reversible stack are recomputed" pretrain -o x --stack reversible --architecture modern --recompute
  fails 2 "--recompute changes nothing" bigdna finetune one promoters --freeze 1 --steps 2 --recompute -o x --quiet
}

# Resumed, on threads, recomputed, fine-tuned, and through every command that reads a model.
through_commands() {  # STACK PATTERN-OF-INFO PRETRAIN-OPTION...
  local stack=$1 said=$2
  shift 2
  pretrain --stack "$stack" --init random "$@" --checkpoint-every 1 -@ 1 -o one
  pretrain --stack "$stack" --init random "$@" --checkpoint-every 1 --recompute -@ 2 -o two
  same_files one/model/model.safetensors two/model/model.safetensors
  bigdna info one | grep -q "^  stack  *$said"
  grep -q '"model_type": "bigdna"' one/model/config.json
  pretrain --stack "$stack" --init random "$@" --plan 2>&1 | grep -q "$said stack: "
  cp -r one cut
  rm -r cut/model cut/run.json cut/checkpoints/step-000000003
  touch cut/.unfinished
  bigdna pretrain --resume -o cut -@ 1 --quiet
  same_files cut/model/model.safetensors one/model/model.safetensors
  bigdna pretrain "$BATS_FILE_TMPDIR/start/corpus" --init-from one --batch 2 --steps 2 --evaluation-tokens 500 -o further --quiet
  not cmp -s further/model/model.safetensors one/model/model.safetensors
  bigdna convert one -o converted --pattern full --quiet
  grep -q "\"stack\": \"$said" converted/config.json
  bigdna evaluate mlm one/model "$BATS_FILE_TMPDIR/start/corpus" --tokens 1000 --quiet >scores.tsv
  [[ $(grep -v '^#' scores.tsv | head -1 | cut -f6) =~ ^[0-9]\.[0-9]+$ ]]
  # the same numbers to the last digit, whatever else is embedded, and on any number of threads
  for i in {0..9}; do printf 'chr1\t%s\t%s\n' $((5000 + 911 * i)) $((5060 + 1000 * i)); done >many.bed
  bigdna embed one -R many.bed -g "$TEST_DATA/genome.fa.gz" --device cpu --precision fp32 --quiet -@ 1 | sed '/^#/d' >many.tsv
  tac many.bed | bigdna embed one -R - -g "$TEST_DATA/genome.fa.gz" --device cpu --precision fp32 --quiet -@ 2 | sed '/^#/d' | tac >reversed.tsv
  same_files many.tsv reversed.tsv
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like one/model --validation chrX -o promoters --quiet
  for freeze in 0 1; do
    bigdna finetune one promoters --freeze $freeze --random-head --steps 2 --evaluations 1 --no-baseline --precision fp32 --device cpu -o tuned --force --quiet >/dev/null
    bigdna predict-promoter tuned "$TEST_DATA/records.fa" --quiet -@ 1 >one.tsv
    bigdna predict-promoter tuned "$TEST_DATA/records.fa" --quiet -@ 2 >two.tsv
    same_rows one.tsv two.tsv
  done
  bigdna explain tuned -r chr1:30004-30014 -g "$TEST_DATA/genome.fa.gz" --quiet >explained.tsv
  printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t30004\t.\t%s\t.\t.\t.\n' \
    "$(samtools faidx "$TEST_DATA/genome.fa.gz" chr1:30004-30004 | sed 1d | tr acgt ACGT | sed 's/A/A\tC/;t;s/$/\tA/')" >allele.vcf
  bigdna variants tuned allele.vcf -g "$TEST_DATA/genome.fa.gz" --quiet >effects.tsv
  bigdna evaluate tuned promoters --quiet >evaluated.tsv
  not grep -qi "nan" many.tsv one.tsv explained.tsv effects.tsv evaluated.tsv
}

@test "gated layers through every command" {
  through_commands gated:bias=1 gated:bias=1 --architecture modern
  fails 2 "stack gated: needs an architecture with its norms inside of what is added (modern), not bigbird" pretrain -o x --stack gated --init random --architecture bigbird
  fails 2 "--stack gated: --init counts needs a stack that adds what each layer computes (residual, reversible); use --init random" pretrain -o x --stack gated --architecture modern
  fails 2 "stack gated has no setting gate (it has bias)" pretrain -o x --stack gated:gate=input
}

@test "universal layers through every command, with and without halting" {
  through_commands universal:steps=3,epsilon=0.3 universal:steps=3,halting=yes,epsilon=0.3,ponder=0.01 --architecture modern
  # the held-out evaluation says how many steps tokens take, the same on any number of threads
  grep -q 'held_out_steps_mean [12]\.[0-9]* held_out_steps_most [123]\.0000' <(bigdna pretrain "$BATS_FILE_TMPDIR/start/corpus" "${small[@]}" --stack universal:steps=3,epsilon=0.3 --init random -o said 2>&1)
  local steps='"held_out_steps_mean":[^,]*,"held_out_steps_most":[^,]*'
  [ "$(grep -o "$steps" one/metrics.jsonl)" = "$(grep -o "$steps" two/metrics.jsonl)" ]
  grep -q "$steps" one/metrics.jsonl
  for layer in 0 4 9; do
    bigdna embed one -R many.bed -g "$TEST_DATA/genome.fa.gz" --layer $layer --quiet >"layer$layer.tsv"
    not grep -qi nan "layer$layer.tsv"
  done
  not cmp -s layer4.tsv layer9.tsv
  fails 2 "--layer 10: the model has 9 layers, counted in each step" bigdna embed one -R many.bed -g "$TEST_DATA/genome.fa.gz" --layer 10
  rm -r one two cut converted promoters tuned further
  through_commands universal:steps=2,halting=no universal:steps=2,halting=no,epsilon=0.01,ponder=0.01 --architecture bigbird
  not grep -q held_out_steps one/metrics.jsonl
  fails 2 "--stack universal: --init counts needs a stack that adds" pretrain -o x --stack universal
  fails 2 "stack universal: steps is 0; it must be a whole number from 1 to 1000" pretrain -o x --stack universal:steps=0
}

@test "two ranks train what one trains: the ponder cost too" {
  export OMP_NUM_THREADS=1
  local options=(--stack universal:ponder=5 --init random --log-every 1 --micro-batch 1 -@ 1 --quiet)
  ranks 2 bigdna pretrain "$BATS_FILE_TMPDIR/start/corpus" "${small[@]}" "${options[@]}" -o two
  bigdna pretrain "$BATS_FILE_TMPDIR/start/corpus" "${small[@]}" "${options[@]}" -o one
  near_weights one two
}

@test "refusals say what is wrong" {
  fails 2 "attention linformer has no setting features (it has from, local, rank)" pretrain -o x --attention linformer:features=2
  fails 2 "unknown attention flash (blocks, longformer" pretrain -o x --attention flash
  fails 2 "attention performer: kernel is tanh; it must be one of relu|exp|cos" pretrain -o x --attention performer:kernel=tanh
  fails 2 "attention lsh: it cannot drop attention weights; use --dropout 0" pretrain -o x --attention lsh --dropout 0.1
  fails 2 "it begins at layer 3 (counted from 0), but the model has 3" pretrain -o x --attention lsh:from=3
  fails 2 "--attention lsh: --init counts needs" pretrain -o x --attention lsh:from=0,local=0
  pretrain -o zero --attention lsh:from=0,local=0 --init random
  fails 2 "attention longformer: pattern window has no global blocks" pretrain -o x --attention longformer --pattern window
  pretrain -o short --attention linformer:rank=8 --architecture modern
  fails 1 "so its length cannot be changed to 512 tokens" bigdna convert short -o x --max-length 512
  pretrain -o longer --attention lsh --architecture modern
  bigdna convert longer -o longer512 --max-length 512 --quiet
}

@test "convert --attention: another attention for trained weights" {
  pretrain --architecture bigbird --dropout 0 -o plain
  bigdna convert plain -o global --attention longformer:from=0,local=0 --pattern global-window --quiet
  bigdna info global | grep -q "2 heads of each layer from 0 on: longformer:from=0,local=0"
  bigdna convert plain -o other --pattern global-window --quiet
  for model in global other; do
    bigdna evaluate mlm $model "$BATS_FILE_TMPDIR/start/corpus" --tokens 1000 --quiet | grep -v '^#' | head -1 | cut -f6 >$model.bits
  done
  # bigbird's biases, which three steps have hardly moved, are not copied
  python3 -c 'import sys; a, b = (float(open(f).read()) for f in sys.argv[1:]); assert abs(a - b) < 0.01, (a, b)' global.bits other.bits
  for attention in performer linear axial compressed routing:clusters=2 span etc; do
    [[ $attention != routing* ]] || { fails 1 "that begin with random numbers" bigdna convert plain -o x --attention $attention; continue; }
    bigdna convert plain -o "$attention" --attention "$attention" --quiet
    bigdna pretrain "$BATS_FILE_TMPDIR/start/corpus" --init-from "$attention" --steps 2 --batch 2 --evaluation-tokens 500 --device cpu -o "$attention.run" --quiet
  done
  fails 1 "the model's bert.encoder.layer.0.bigdna.longformer.key would be lost" bigdna convert global -o x --attention blocks
  fails 2 "unknown attention short" bigdna convert plain -o x --attention short
  fails 1 "that begin with random numbers" bigdna convert plain -o x --attention linformer:rank=8
}

@test "info prints what heads have learned of distances; directions of performer" {
  pretrain --attention span:limit=100,local=0 -o span
  bigdna info span | grep -Eq "^  learned spans, layer 1  *(9|10|11), (9|10|11) tokens on either side$"  # a tenth, and three steps
  pretrain --attention prior:slowest=4,local=0 -o prior
  bigdna info prior | grep -Eq "^  weights halve after, layer 2  *2.[789][0-9.]*, 1[01][0-9.]* tokens$"  # ln 2 x 4, x 16
  for directions in hadamard givens independent; do
    pretrain --attention performer:features=8,directions=$directions -o $directions
  done
  not cmp -s hadamard/model/model.safetensors givens/model/model.safetensors
  fails 2 "directions=hadamard needs heads of 2, 4, 8" bigdna pretrain "$BATS_FILE_TMPDIR/start/corpus" "${small[@]/16/24}" --quiet -o x --attention performer:directions=hadamard
  fails 2 "memory must be at least 7 with rate=8" pretrain -o x --attention compressive:rate=8,memory=2
  fails 2 "attention sinkhorn: it cannot be causal: its sorting" pretrain -o x --attention sinkhorn --objective next --pattern window
}

@test "published patterns, and numbers that a pattern does not read" {
  pretrain -o dilated --pattern global-window --dilation 2 --growth 1 --local-heads 1
  bigdna info dilated | grep -q "attention  *global-window, .*dilation 2, growth 1, local_heads 1"
  pretrain -o factors --pattern fixed --factors by-head --stride 4
  bigdna info factors | grep -q "stride 4, factors by-head"
  bigdna info dilated | grep -q "2 global (edges)"
  pretrain -o first --pattern global-window --global-blocks first
  bigdna info first | grep -q "2 global (first)"
  fails 2 "window has no global blocks (--global-blocks)" pretrain -o x --pattern window --global-blocks first
  pretrain -o strided --pattern strided --stride 3
  bigdna info strided | grep -q "stride 3, near stride"
  pretrain -o near --pattern strided --near window --window 5
  bigdna info near | grep -q "5 window, .*near window"
  bigdna info --pattern strided --length 1024 --block 64 | grep -q "^layers until every block has read all: 2$"
  fails 2 "strided reads --window only with --near window" pretrain -o x --pattern strided --window 5
  fails 2 "fixed does not read --near (strided)" pretrain -o x --pattern fixed --near window
  for pattern in local image star; do pretrain -o "$pattern" --pattern $pattern; done
  fails 2 "window does not read --stride (" pretrain -o x --pattern window --stride 3
  fails 2 "bigbird has no factors (strided, fixed)" pretrain -o x --factors by-layer
}

@test "docs/attentions.md has what info --attentions prints" {
  BIGDNA_PAGE=$BIGDNA_SOURCE_DIR/docs/attentions.md python3 - <<'PY'
import os, subprocess
path, printed = os.environ["BIGDNA_PAGE"], subprocess.run(["bigdna", "info", "--attentions"], capture_output=True, text=True, check=True).stdout
page = open(path).read()
begin, end = page.index("## Attentions\n"), page.index("## Measured\n")
wanted = page[:begin] + printed + "\n" + page[end:]
if os.environ.get("BIGDNA_RECORD"): open(path, "w").write(wanted)
else: assert page == wanted, f"{path} is not what bigdna info --attentions prints (BIGDNA_RECORD=1 rewrites it)"
PY
}
