# The k-mers of fine-tuned models: kept in the folder, added everywhere, shown separately by --parts, left out by --no-kmers.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  small_encoder
  small_promoters
  bigdna finetune pre promoters -o promoter -@1 >promoter.out 2>promoter.err
  small_bins
  bigdna finetune pre bins -o chromatin --quiet >chromatin.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

scores() { bigdna predict-promoter "$1" "$TEST_DATA/records.fa" --quiet "${@:2}"; }

# MODEL: given a kernel model, in place of what it has, which may be none
with_kernel() {
  python3 - "$1" <<'END'
import array, hashlib, json, math, random, struct, sys
def read(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + size]), data[8 + size:]
path = sys.argv[1] + "/kmers.safetensors"
header, values = read(path)
arrays = {name: (entry["dtype"], entry["shape"], values[slice(*entry["data_offsets"])])
          for name, entry in header.items() if name != "__metadata__" and not name.startswith("kernel.")}
labels, kmers = header["weight"]["shape"]
states = read(sys.argv[1] + "/model.safetensors")[0]["classifier.weight"]["shape"][1]
rng = random.Random(1)
def add(name, *shape, deviation=1):
    drawn = array.array("f", (rng.gauss(0, deviation) for _ in range(math.prod(shape))))
    arrays["kernel." + name] = ("F32", shape, drawn.tobytes())
add("weight", labels, 8)
add("bias", labels)
for name, columns, deviation in ("kmers", kmers, 1), ("states", states, 0.03):
    add(name + ".mean", columns, deviation=0.01)
    add(name + ".axes", 3, columns, deviation=deviation)
    add(name + ".landmarks", 8, 3, deviation=0.3)
header, data = {}, b""
for name, (dtype, shape, part) in arrays.items():
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
    data += part
header = json.dumps(header).encode()
data = struct.pack("<Q", len(header)) + header + data
open(path, "wb").write(data)
manifest = json.load(open(sys.argv[1] + "/bigdna.json"))
for entry in manifest["files"]:
    if entry["name"] == "kmers.safetensors":
        entry.update(bytes=len(data), md5=hashlib.md5(data).hexdigest())
json.dump(manifest, open(sys.argv[1] + "/bigdna.json", "w"))
END
}

@test "finetune: k-mers, encoder and both stand side by side; the folder lists the k-mers" {
  # the encoder where it has a share (baselines.bats)
  [ "$(sed '/^##/d' "$shared/promoter.out" | cut -f1 | grep -v encoder | sort -u | tr '\n' ' ')" = "#method bigdna bigdna-kmers kmers " ]
  [ "$(sed '/^##/d' "$shared/chromatin.out" | cut -f2 | grep -v encoder | sort -u | tr '\n' ' ')" = "bigdna bigdna-kmers kmers method " ]
  grep -q 'logit = k-mers + [0-9.e-]* x encoder + [0-9.e-]* x kernel model$' "$shared/promoter.err"
  grep -q '"name": "kmers.safetensors"' "$shared/promoter/model/bigdna.json"
  [ ! -e "$shared/promoter/kmers.msgpack" ]
  # what a second pass fits and says is the same
  bigdna evaluate "$shared/promoter" "$shared/promoters" --quiet >again
  same_rows again "$shared/promoter.out"
}

@test "finetune and evaluate: the share of the encoder in each group of features is in the reports" {
  bigdna finetune "$shared/pre" "$shared/bins" --steps 2 --evaluations 1 -o plain --quiet >/dev/null
  bigdna evaluate plain "$shared/bins" -g "$genome" --resamples 10 --json again.json --quiet >/dev/null
  python3 - plain "$shared/bins/features.tsv" again.json <<'PY'
import array, json, struct, sys
run, features, again = sys.argv[1:]
share = json.load(open(f"{run}/model/bigdna.json"))["encoder_weight"]
assert share == json.load(open(f"{run}/metrics.json"))["encoder_weight"] == json.load(open(again))["encoder_weight"], share
data = open(f"{run}/model/kmers.safetensors", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
start, end = json.loads(data[8:8 + size])["base_weight"]["data_offsets"]
encoder = array.array("f", data[8 + size + start:8 + size + end])
groups = [line.split("\t")[4].strip() for line in open(features) if line[0] != "#"]
assert len(groups) == len(encoder)
assert share.keys() == set(groups)
for group in share:
    assert abs(share[group] - max(e for e, g in zip(encoder, groups) if g == group)) < 1e-6 * (1 + share[group]), share
PY
  # the shares are what the log says
  share=$(sed -n 's/.*logit = k-mers + \([0-9.e-]*\) x encoder.*/\1/p' "$shared/promoter.err")
  python3 -c "import json; assert abs(json.load(open('$shared/promoter/metrics.json'))['encoder_weight']['promoter'] - $share) < 1e-4"
}

@test "--parts: a column for each term, which add up to the log-odds, one thread and two, stdin" {
  scores "$shared/promoter" --parts -@1 >one.tsv
  bigdna predict-promoter "$shared/promoter" - --parts --quiet -@2 <"$TEST_DATA/records.fa" >two.tsv
  same_rows one.tsv two.tsv
  terms=$(header one.tsv | cut -f8-)  # the kernel model is a term where it has a share
  [ "${terms%$'\tkernel'}" = $'kmers\tencoder' ]
  same_rows <(cut -f1-7 one.tsv) <(scores "$shared/promoter")
  awk -F'\t' '!/^#/ && $5 != "." {n++; x = 0; for (i = 8; i <= NF; ++i) x += $i; d = 1 / (1 + exp(-x)) - $5; if (d * d > 1e-11) bad = 1} END {exit bad || !n}' one.tsv
  scores "$shared/promoter" --parts --strands both --seen >both.tsv
  [ "$(header both.tsv | cut -f8-)" = $'seen\t'"$terms" ]
  same_rows <(awk -F'\t' '$6 == "+"' both.tsv | cut -f1-7,9-) <(awk -F'\t' '$6 == "+"' one.tsv)

  bigdna chromatin "$shared/chromatin" "$TEST_DATA/regions.bed" -g "$genome" --parts --features 'CTCF|*' --quiet >profile.tsv
  grep -qE $'\tCTCF[|]SimCell\tkmers:CTCF[|]SimCell\tencoder:CTCF[|]SimCell(\tkernel:CTCF[|]SimCell)?$' profile.tsv
  awk -F'\t' '!/^#/ && $8 != "." {n++; x = 0; for (i = 9; i <= NF; ++i) x += $i; d = 1 / (1 + exp(-x)) - $8; if (d * d > 1e-11) bad = 1} END {exit bad || !n}' profile.tsv
  same_rows <(grep -v '^##' profile.tsv | cut -f1-8) <(bigdna chromatin "$shared/chromatin" "$TEST_DATA/regions.bed" -g "$genome" --features 'CTCF|*' --quiet | grep -v '^##')
  fails 2 "--parts adds columns to the table of -o only" bigdna chromatin "$shared/chromatin" "$TEST_DATA/regions.bed" -g "$genome" --parts --bigwig x --quiet
}

@test "--resume continues with --parts, and refuses a job without it" {
  scores "$shared/promoter" --parts --resume -o out.tsv
  scores "$shared/promoter" --parts >direct.tsv
  same_rows out.tsv direct.tsv
  fails 1 "out.tsv: was made with --parts" scores "$shared/promoter" --resume -o out.tsv
}

@test "--no-kmers: no file, no encoder row, another model; --parts is an error" {
  bigdna finetune "$shared/pre" "$shared/promoters" --steps 4 --evaluations 1 --no-kmers -o plain --quiet >plain.out
  [ ! -e plain/model/kmers.safetensors ]
  [ -e plain/model/kmer_baseline.safetensors ]  # what it is compared with
  [ "$(sed '/^##/d' plain.out | cut -f1 | sort -u | tr '\n' ' ')" = "#method bigdna bigdna-kmers kmers " ]
  not grep -q encoder_weight plain/metrics.json plain/model/bigdna.json
  fails 1 "consists of one term (encoder)" scores plain --parts
  not same_rows <(scores plain) <(scores "$shared/promoter")
}

@test "the kernel model: read by every command, on any threads, kept by convert" {
  cp -r "$shared/promoter/model" kernel
  with_kernel kernel
  scores kernel --parts --precision fp32 -@1 >one.tsv
  bigdna predict-promoter kernel - --parts --precision fp32 --quiet -@2 <"$TEST_DATA/records.fa" >two.tsv
  same_rows one.tsv two.tsv
  same_rows <(cut -f1-3,8,9 one.tsv) <(scores "$shared/promoter" --parts --precision fp32 | cut -f1-3,8,9)
  awk -F'\t' '!/^#/ && $5 != "." {n += $10 != 0; d = 1 / (1 + exp(-$8 - $9 - $10)) - $5; if (d * d > 1e-11) bad = 1} END {exit bad || n < 3}' one.tsv
  bigdna convert kernel -o copy --quiet
  same_rows one.tsv <(scores copy --parts --precision fp32)
  # one substitution: variants' LOGIT and an explanation by mutagenesis are differences of the log-odds
  printf '>r\n%s\n' "$(samtools faidx "$genome" chr1:30001-30600 | tail -n +2 | tr -d '\n')" >r.fa
  samtools faidx r.fa
  printf '##fileformat=VCFv4.2\n##contig=<ID=r>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >v.vcf
  for alt in A C G T; do
    printf '>%s\n%s%s%s\n' $alt "$(sed -n 2p r.fa | cut -c1-394)" $alt "$(sed -n 2p r.fa | cut -c396-)" >>m.fa
    [ $alt = "$(sed -n 2p r.fa | cut -c395)" ] || printf 'r\t395\t.\t%s\t%s\t.\t.\t.\n' "$(sed -n 2p r.fa | cut -c395)" $alt >>v.vcf
  done
  printf 'r\t400\t401\ts\t0\t+\n' >site.bed
  printf 'r\t0\t600\n' >r.bed
  bigdna variants kernel v.vcf -g r.fa --sites site.bed --effects LOGIT --quiet --precision fp32 -o v.tsv
  bigdna explain kernel -R r.bed -g r.fa -o e.bg --quiet
  bigdna predict-promoter kernel m.fa --parts --quiet --precision fp32 >m.tsv
  python3 - "$(sed -n 2p r.fa | cut -c395)" <<'END'
import sys
rows = lambda path: [line.rstrip("\n").split("\t") for line in open(path) if line[0] != "#"]
logit = {row[0]: sum(map(float, row[7:10])) for row in rows("m.tsv")}
alone = {row[0]: float(row[9]) for row in rows("m.tsv")}
reference = sys.argv[1]
assert max(abs(alone[base] - alone[reference]) for base in "ACGT") > 1e-4, alone
header, *said = [line.rstrip("\n").split("\t") for line in open("v.tsv") if not line.startswith("##")]
for row in said:
    assert abs(float(row[-2]) - (logit[row[4]] - logit[reference])) < 2e-4, (row, logit)
assert len(said) == 3
value = [float(row[3]) for row in rows("e.bg") if int(row[1]) <= 394 < int(row[2])][0]
mean = sum(logit.values()) / 4
assert abs(logit[reference] - mean - value) < 2e-4, (value, logit)
END
}

@test "--no-kernel: k-mers and encoder alone, whose parts add up; where there is no kernel model it is an error" {
  bigdna finetune "$shared/pre" "$shared/promoters" --no-kernel -o plain >/dev/null 2>log
  grep -q 'logit = k-mers + [0-9.e-]* x encoder$' log
  not grep -q kernel_weight plain/metrics.json plain/model/bigdna.json
  grep -q '"kernel_weight"' "$shared/promoter/metrics.json"
  scores plain --parts >plain.tsv
  awk -F'\t' '!/^#/ && $5 != "." {n++; d = 1 / (1 + exp(-$8 - $9)) - $5; if (d * d > 1e-11 || NF != 9) bad = 1} END {exit bad || !n}' plain.tsv
  for options in --no-kmers "--steps 1" "--random-head --steps 1"; do
    fails 2 "--no-kernel has no effect" bigdna finetune "$shared/pre" "$shared/promoters" --no-kernel $options -o other --quiet
  done
  not ls other
}

@test "a folder that lists no k-mers predicts by its encoder, as older ones do; a damaged or missing file is an error" {
  bigdna finetune "$shared/pre" "$shared/promoters" --steps 4 --evaluations 1 --no-kmers -o plain --quiet >/dev/null
  scores plain >plain.tsv
  cp "$shared/promoter/model/kmers.safetensors" plain/model/  # not listed: not the model's
  same_rows plain.tsv <(scores plain)
  cp -r "$shared/promoter/model" broken
  printf 'x' | dd of=broken/kmers.safetensors bs=1 seek=900 conv=notrunc status=none
  fails 1 "kmers.safetensors: its checksum differs from the recorded one" scores broken
  fails 1 "kmers.safetensors: its checksum differs from the recorded one" bigdna evaluate broken "$shared/promoters" --quiet
  truncate -s 900 broken/kmers.safetensors
  fails 1 "kmers.safetensors: has 900 bytes" scores broken
  rm broken/kmers.safetensors
  fails 1 "kmers.safetensors: is missing" scores broken
}

@test "heads that are not fitted start from the k-mers" {
  for head in "--random-head" "--head classification"; do
    bigdna finetune "$shared/pre" "$shared/promoters" $head --steps 1 --learning-rate 1e-12 -o run --force --quiet >out
    # nothing was learned: the model ranks as its k-mers do
    same_rows <(awk '$1 == "bigdna" && $3 == "auroc"' out | cut -f2-) <(awk '$1 == "kmers" && $3 == "auroc"' out | cut -f2-)
  done
}

@test "info reads a fine-tuned run: what it lists is in its model's folder" {
  bigdna info "$shared/promoter" >out
  grep -q "a run folder" out
  grep -q "a model folder" out
  bigdna info "$shared/promoter/model" --verify >/dev/null
  python3 - "$shared/promoter" <<'PY'
import json, sys
run, model = (json.load(open(f"{sys.argv[1]}/{name}")) for name in ("run.json", "model/bigdna.json"))
assert not {"files", "training_intervals", "held_out_intervals"} & run.keys(), run.keys()
# what it was trained on is no longer held out
trained, held_out = model["training_intervals"], model["held_out_intervals"]
assert trained and held_out
for contig, start, end, _ in trained:
    for other, first, last, _ in held_out:
        assert contig != other or end <= first or last <= start, (contig, start, end, first, last)
PY
}

@test "convert keeps the k-mers" {
  bigdna convert "$shared/promoter" -o copy 2>log
  grep -q "transformers does not read kmers.safetensors" log
  same_rows <(scores copy) <(scores "$shared/promoter")
}
