# bigdna profile, and convert, info and variants with a BPNet or ChromBPNet. That logits and counts are those of Keras and bpnet-lite is shown
# by tests/unit/profile; here the commands are.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  made=$TEST_DATA/profile
  bigdna convert "$made/chrombpnet.h5" -o whole --quiet
  bigdna convert "$made/chrombpnet_nobias.h5" -o nobias --quiet
  bigdna convert "$made/bias.h5" -o bias --quiet
  bigdna convert "$made/bpnet.torch" -o stranded --quiet
  gzip -dc "$TEST_DATA/genome.fa.gz" >genome.fa
  # a summit, a BED without one, two whose profiles overlap, one at a contig's end
  printf 'chr1\t50000\t50400\ta\t0\t.\t1\t1\t1\t100\nchr1\t60000\t60200\tb\t0\t.\t1\t1\t1\t-1\n' >peaks.narrowPeak
  printf 'chr2\t30000\t30100\tc\nchr1\t40000\t40101\td\nchr1\t40300\t40401\te\nchr3\t0\t20\tf\n' >regions.bed
}
setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$BATS_FILE_TMPDIR/genome.fa made=$TEST_DATA/profile
}
rows() { grep -v '^##' "$@"; }

@test "convert: a model of each kind; info describes it" {
  bigdna info "$shared/whole" | sed '1s/made by .*/made by bigdna/; /^  command/d; /^  input/d' >info
  golden profile-info cat info
  bigdna info "$shared/stranded" --verify | grep -e '^  profiles  *one for each strand' -e '^  control tracks  *2' -e '^  verified *2 files' | wc -l | grep -qx 3
  bigdna convert "$shared/whole" -o half --weights fp16 --quiet
  bigdna info half | grep -q '^  bias model *5 filters, 2 dilated convolutions; counts from the mean of 2082 positions'
  bigdna convert "$made/bpnet_state.torch" -o state --quiet
  cmp state/model.safetensors "$shared/stranded/model.safetensors"
  cmp state/config.json "$shared/stranded/config.json"
}

@test "convert: what is no such model is refused by name" {
  printf 'no model' >bad.h5
  cp bad.h5 bad.torch
  fails 1 "bad.h5: is not an HDF5 file, or is damaged" bigdna convert bad.h5 -o out
  fails 1 "bad.torch: is not a file of torch.save" bigdna convert bad.torch -o out
  fails 1 "none.h5: no such file" bigdna convert none.h5 -o out
  fails 2 "a profile model has no vocabulary, head or attention" bigdna convert "$made/bias.h5" -o out --head none
  head -c 20000 "$made/bpnet.torch" >cut.torch
  fails 1 "cut.torch: is not a file of torch.save (a zip, since PyTorch 1.6), or is damaged" bigdna convert cut.torch -o out
  python3 - "$made/bias.h5" <<'PY'
import sys
data = open(sys.argv[1], "rb").read()
for name, old, new in (("layer", b'"Cropping1D"', b'"Dropping1D"'), ("padding", b'"padding": "valid"', b'"padding": "same" '), ("relu", b'"relu"', b'"tanh"')):
    assert old in data
    open(name + ".h5", "wb").write(data.replace(old, new, 1))
PY
  fails 1 "layer.h5: layer bpnet_1crop is a Dropping1D, which neither BPNet nor ChromBPNet has" bigdna convert layer.h5 -o out
  fails 1 'padding.h5: layer bpnet_1st_conv: its padding is "same", and not as in BPNet' bigdna convert padding.h5 -o out
  fails 1 'relu.h5: layer bpnet_1st_conv: its activation is "tanh", and not as in BPNet' bigdna convert relu.h5 -o out
  # a pickle may name any function and class: neither is called
  python3 - <<'PY'
import os, pickle, zipfile
class Other: pass
class Call:
    def __reduce__(self): return os.system, ("touch called",)
other = Other()
other.attribute = 1
for name, value in (("call", Call()), ("other", other)):
    with zipfile.ZipFile(name + ".torch", "w") as file:
        for record, content in (("data.pkl", pickle.dumps(value, 2)), ("version", b"3\n"), ("byteorder", b"little")):
            file.writestr(f"{name}/{record}", content)
PY
  fails 1 "call.torch: holds no model: neither an object of bpnet-lite nor a dictionary of tensors" bigdna convert call.torch -o out
  fails 1 "other.torch: is an object of __main__.Other; bigdna reads bpnetlite.bpnet.BPNet and bpnetlite.chrombpnet.ChromBPNet, and their state dicts" bigdna convert other.torch -o out
  nothing_but call.torch other.torch bad.h5 bad.torch cut.torch layer.h5 padding.h5 relu.h5
}

@test "counts of records are those of the programs that made the models" {
  for model in whole stranded; do bigdna profile "$shared/$model" "$made/sequences.fa" --quiet | rows >$model.tsv; done
  python3 - "$made" <<'PY'
import json, struct, sys
def arrays(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    for name, entry in json.loads(data[8:8 + size]).items():
        if name.endswith("log_counts"):
            begin, end = (8 + size + at for at in entry["data_offsets"])
            yield name, struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
expected = dict(arrays(sys.argv[1] + "/keras.safetensors")) | dict(arrays(sys.argv[1] + "/bpnet_lite.safetensors"))
for table, model in (("whole.tsv", "chrombpnet.h5"), ("stranded.tsv", "bpnet.torch")):
    rows = [line.split("\t") for line in open(table).read().splitlines()]
    assert rows[0] == ["#chrom", "start", "end", "name", "counts", "log_counts"], rows[0]
    assert [row[:4] for row in rows[1:]] == [[name, "557", "1557", "."] for name in ("forward", "reverse", "with_n")]
    values = expected[model + "/log_counts"]
    assert max(abs(float(row[5]) - value) for row, value in zip(rows[1:], values)) < 1e-5
PY
}

@test "regions: the summit of a narrowPeak, else the middle; the same on 1 and 2 threads and from stdin" {
  bigdna profile "$shared/whole" -R "$shared/peaks.narrowPeak" -g "$genome" -o peaks.tsv --quiet -@ 1
  [ "$(rows peaks.tsv | cut -f1-4)" = $'#chrom\tstart\tend\tname\nchr1\t49600\t50600\ta\nchr1\t59600\t60600\tb' ]
  bigdna profile "$shared/whole" -R - -g "$genome" --quiet -@ 2 <"$shared/peaks.narrowPeak" | rows >again.tsv
  same_files <(rows peaks.tsv) again.tsv
  # the same bases as a record
  samtools faidx "$genome" chr1:49044-51157 >record.fa
  bigdna profile "$shared/whole" record.fa --quiet | rows | sed 1d | cut -f5-6 >record
  same_files record <(rows peaks.tsv | sed -n 2p | cut -f5-6)
  bigdna profile "$shared/whole" -R "$shared/regions.bed" -g "$genome" --quiet | rows | cut -f1-4 >places
  [ "$(sed 1d places)" = $'chr2\t29550\t30550\tc\nchr1\t39550\t40550\td\nchr1\t39850\t40850\te\nchr3\t-490\t510\tf' ]
}

@test "parts: the whole has the sum of both expected counts; the mean of strands is a sequence's and its reverse complement's" {
  for part in whole model bias; do bigdna profile "$shared/whole" "$made/sequences.fa" --part $part --quiet | rows | sed 1d | cut -f5 >$part; done
  paste whole model bias | all_rows '($1 - $2 - $3) ^ 2 < 1e-8 * $1 ^ 2'
  bigdna profile "$shared/nobias" "$made/sequences.fa" --quiet | rows | sed 1d | cut -f5 | cmp - model
  bigdna profile "$shared/bias" "$made/sequences.fa" --quiet | rows | sed 1d | cut -f5 | cmp - bias
  bigdna profile "$shared/whole" "$made/sequences.fa" --strands average --quiet | rows | sed 1d | cut -f5 >mean
  paste whole mean | awk 'NR < 3 {sum += $1 / 2; mean = $2; ++n} END {exit n != 2 || (sum - mean) ^ 2 > 1e-8 * sum ^ 2}'
  fails 2 "--part: $shared/nobias has no bias model" bigdna profile "$shared/nobias" "$made/sequences.fa" --part bias
}

@test "a bigWig has the expected reads of each base, from the nearest centre; HDF5 has the same profiles" {
  grep -v chr3 "$shared/regions.bed" >in.bed
  bigdna profile "$shared/whole" -R in.bed -g "$genome" -o track.bw --quiet -@ 2
  bigdna coverage track.bw -g "$genome" -o track.bedgraph --quiet
  bigdna profile "$shared/whole" -R in.bed -g "$genome" -o profiles.h5 --quiet -@ 1
  bigdna profile "$shared/whole" -R in.bed -g "$genome" -o again.h5 --quiet -@ 2
  cmp profiles.h5 again.h5
  bigdna profile "$shared/whole" -R in.bed -g "$genome" -o counts.tsv --quiet
  # d and e overlap by 700 bases: they meet at 40200
  awk -F'\t' '/^#/ || /^track/ {next} {n[$1] += $3 - $2; if ($1 == "chr2") sum += $4 * ($3 - $2)} END {if (n["chr1"] != 1300 || n["chr2"] != 1000) exit 1; printf "%.3f\n", sum}' track.bedgraph >sum
  [ "$(cat sum)" = "$(rows counts.tsv | awk '$4 == "c" {printf "%.3f", $5}')" ]
  bigdna profile "$shared/stranded" -R in.bed -g "$genome" -o track.bw --quiet
  bigdna coverage track.plus.bw -g "$genome" -o plus.bedgraph --quiet
  bigdna coverage track.minus.bw -g "$genome" -o minus.bedgraph --quiet
  not cmp -s plus.bedgraph minus.bedgraph
  fails 2 "a bigWig needs -R BED and -g" bigdna profile "$shared/whole" "$made/sequences.fa" -o track.bw
}

@test "profile --resume continues a killed job; --shard divides, and merge joins" {
  awk 'BEGIN {for (i = 0; i < 61; ++i) printf "chr1\t%d\t%d\tr%d\n", 20000 + 700 * i, 20200 + 700 * i, i}' >many.bed
  run_job() { bigdna profile "$shared/whole" -R many.bed -g "$genome" --quiet "$@"; }
  run_job -o whole.tsv
  run_job -o whole.h5
  run_job -o track.bw
  for output in again.tsv again.bw; do
    bigdna profile "$shared/whole" -R many.bed -g "$genome" -o $output --resume -@ 1 2>/dev/null & pid=$!
    until [[ -s $output.journal ]] || ! kill -0 $pid; do sleep 0.005; done
    kill -9 $pid
    wait $pid || true
    [ ! -e $output ]
    run_job -o $output --resume
    [ ! -e $output.journal ]
  done
  same_rows whole.tsv again.tsv
  cmp track.bw again.bw
  run_job -o again.tsv --resume  # finished
  fails 1 "again.tsv" run_job -o again.tsv --resume --part model
  for i in 1 2 3; do
    run_job -o part$i.tsv --shard $i/3
    run_job -o part$i.h5 --shard $i/3
  done
  bigdna merge part{1,2,3}.tsv -o merged.tsv --quiet
  same_rows whole.tsv merged.tsv
  bigdna merge part{1,2,3}.h5 -o merged.h5 --quiet
  bigdna profile "$shared/whole" "$made/sequences.fa" --quiet | rows >records
  for i in 1 2; do bigdna profile "$shared/whole" "$made/sequences.fa" --shard $i/2 --quiet | rows; done | same_files records -
  fails 2 "--shard cannot be used with bigWig" run_job -o x.bw --shard 1/2
  fails 2 "--shard" bigdna profile "$shared/whole" - --shard 1/2 </dev/null
}

@test "profile: bad input" {
  fails 2 "give FASTA, or -R BED with -g" bigdna profile "$shared/whole"
  printf 'chr1\t50000\t50400\ta\t0\t.\t1\t1\t1\t400\n' >bad.narrowPeak
  fails 1 "bad.narrowPeak:1: column 10, a narrowPeak's summit, is '400', which is no base of the region" bigdna profile "$shared/whole" -R bad.narrowPeak -g "$genome"
  printf 'chr9\t1\t2\n' >bad.bed
  fails 1 "bad.bed:1: " bigdna profile "$shared/whole" -R bad.bed -g "$genome"
  cp -r "$shared/nobias" cut
  head -c 3000 "$shared/nobias/model.safetensors" >cut/model.safetensors
  fails 1 "cut/model.safetensors: " bigdna profile cut "$made/sequences.fa"
}

@test "variants: LFC of counts and JSD of profiles, of both strands, without the bias model" {
  base() { samtools faidx "$genome" "$1:$2-$2" | sed 1d | tr a-z A-Z; }
  ref=$(base chr1 50100)
  alt=$(tr ACGT CGTA <<<"$ref")
  { printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'chr1\t50100\tsnv\t%s\t%s\t.\t.\t.\n' "$ref" "$alt"
    printf 'chr1\t50100\tins\t%s\t%sGATTACA\t.\t.\t.\n' "$ref" "$ref"
    printf 'chr1\t50100\tdel\t%s\t%s\t.\t.\t.\n' "$(samtools faidx "$genome" chr1:50100-50110 | sed 1d | tr a-z A-Z)" "$ref"; } >in.vcf
  bigdna variants "$shared/whole" in.vcf -g "$genome" -o out.tsv --quiet -@ 1
  [ "$(header out.tsv)" = $'#chrom\tpos\tname\tref\talt\tstrand\tref_match\tcontains_unk\tskipped\tP_REF\tP_ALT\tLFC\tJSD\tseen' ]
  bigdna variants "$shared/whole" - -g "$genome" -o two.tsv --table top.tsv --quiet -@ 2 <in.vcf
  rows top.tsv | sed 1d | all_rows '$8 == "LFC" && $10 == "." && ($9 - log($13 / $12) / log(2)) ^ 2 < 1e-9 && $14 == "."'
  same_rows out.tsv two.tsv
  bigdna variants "$shared/nobias" in.vcf -g "$genome" -o nobias.tsv --quiet
  same_rows out.tsv nobias.tsv
  # the windows of the alleles, as records: counts averaged over strands give P_REF, P_ALT and LFC; scored by hand for the JSD
  python3 - "$genome" <<'PY'
import subprocess, sys
bases = "".join(subprocess.run(["samtools", "faidx", sys.argv[1], "chr1:49000-52000"], capture_output=True, text=True, check=True).stdout.split("\n")[1:]).upper()
at = 50100 - 49000
with open("alleles.fa", "w") as file:
    for line in open("in.vcf"):
        if line.startswith("#"):
            continue
        _, _, name, ref, alt, *_ = line.split("\t")
        assert bases[at:].startswith(ref)
        for which, allele in (("ref", ref), ("alt", alt)):
            print(f">{name}_{which}\n{(bases[at - 1057:at] + allele + bases[at + len(ref):])[:2114]}", file=file)
PY
  bigdna profile "$shared/nobias" alleles.fa --strands average -o alleles.tsv --quiet
  paste <(rows out.tsv | sed 1d | cut -f10-12) <(rows alleles.tsv | sed 1d | cut -f5 | paste - -) >both
  all_rows '($1 - $4) ^ 2 < 1e-10 && ($2 - $5) ^ 2 < 1e-10 && ($3 - log($5 / $4) / log(2)) ^ 2 < 1e-9' <both
  rows out.tsv | sed 1d | all_rows '$13 > 1e-4 && $13 < 0.5'
  bigdna variants "$shared/whole" in.vcf -g "$genome" --part whole --strands forward --effects LFC,JSD -o whole.vcf --quiet
  grep -c 'ID=BIGDNA_JSD,.*Jensen-Shannon' whole.vcf
  grep -q 'BIGDNA_LFC=.*BIGDNA_JSD=' whole.vcf
  bigdna variants "$shared/nobias" in.vcf -g "$genome" --ensemble "$shared/bias" --effects LFC -o mean.tsv --quiet
  bigdna variants "$shared/bias" in.vcf -g "$genome" --effects LFC -o alone.tsv --quiet
  paste <(rows out.tsv | cut -f12) <(rows alone.tsv | cut -f10) <(rows mean.tsv | cut -f10) | sed 1d | all_rows '(($1 + $2) / 2 - $3) ^ 2 < 1e-12'
}

@test "variants: AAQ is the larger allele's quantile among peaks" {
  awk 'BEGIN {for (i = 0; i < 12; ++i) printf "chr1\t%d\t%d\n", 20000 + 3000 * i, 20200 + 3000 * i}' >peaks.bed
  printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >in.vcf
  for at in 50100 60321 70007 80400; do
    ref=$(samtools faidx "$genome" chr1:$at-$at | sed 1d | tr a-z A-Z)
    printf 'chr1\t%s\t.\t%s\t%s\t.\t.\t.\n' $at "$ref" "$(tr ACGT CGTA <<<"$ref")" >>in.vcf
  done
  bigdna variants "$shared/whole" in.vcf -g "$genome" --peaks peaks.bed -o out.tsv --quiet -@ 2
  [ "$(header out.tsv | cut -f10-)" = $'P_REF\tP_ALT\tLFC\tJSD\tAAQ\tseen' ]
  bigdna profile "$shared/nobias" -R peaks.bed -g "$genome" --strands average --quiet | rows | sed 1d | cut -f5 >peak_counts
  rows out.tsv | sed 1d | awk -F'\t' 'NR == FNR {peak[++n] = $1; next}
    {most = $10 > $11 ? $10 : $11; fewer = 0; for (i = 1; i <= n; ++i) fewer += peak[i] < most; if (fewer < 1) fewer = 1
     if (($14 - fewer / n) ^ 2 > 1e-12) bad = 1; ++rows} END {exit bad || rows != 4 || n != 12}' peak_counts -
  fails 2 "--effects AAQ needs --peaks" bigdna variants "$shared/whole" in.vcf -g "$genome" --effects AAQ
  fails 2 "--peaks: only AAQ reads them" bigdna variants "$shared/whole" in.vcf -g "$genome" --peaks peaks.bed --effects LFC
  : >none.bed
  fails 1 "none.bed: " bigdna variants "$shared/whole" in.vcf -g "$genome" --peaks none.bed --quiet
}

@test "variants: percentiles among random variants of a profile model, in their own sequence or in a shuffled one" {
  export BIGDNA_CACHE=$PWD/cache
  printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >in.vcf
  cp in.vcf sites.vcf
  for at in 50100 60321; do
    ref=$(samtools faidx "$genome" chr1:$at-$at | sed 1d | tr a-z A-Z)
    printf 'chr1\t%s\t.\t%s\t%s\t.\t.\t.\n' $at "$ref" "$(tr ACGT CGTA <<<"$ref")" >>in.vcf
  done
  bigdna variants "$shared/whole" in.vcf -g "$genome" --effects LFC,JSD --null 12 -o own.tsv -@ 1 2>err
  grep -q 'scoring 12 background variants' err
  [ "$(header own.tsv | cut -f10-)" = $'LFC\tLFC_percentile\tJSD\tJSD_percentile\tseen' ]
  rows own.tsv | sed 1d | all_rows '$11 > 0 && $11 < 100 && $13 > 0 && $13 < 100'
  # each effect of the background is that of one of the three changes of its base
  python3 - cache/backgrounds/*.safetensors "$genome" >>sites.vcf <<'PY'
import array, json, struct, subprocess, sys
data = open(sys.argv[1], "rb").read()
size, = struct.unpack("<Q", data[:8])
header, body = json.loads(data[8:8 + size]), data[8 + size:]
part = lambda name: body[slice(*header[name]["data_offsets"])]
contigs = header["__metadata__"]["contigs"].split("\n")
places = zip(array.array("I", part("contig")), array.array("q", part("position")))
open("values", "w").write("\n".join(map(str, array.array("f", part("effects")))) + "\n")
for contig, at in places:
    region = f"{contigs[contig]}:{at + 1}-{at + 1}"
    ref = subprocess.run(["samtools", "faidx", sys.argv[2], region], capture_output=True, text=True).stdout.split()[1].upper()
    for alt in "ACGT".replace(ref, ""):
        print(contigs[contig], at + 1, ".", ref, alt, ".", ".", ".", sep="\t")
PY
  bigdna variants "$shared/whole" sites.vcf -g "$genome" --effects LFC,JSD -o sites.tsv --quiet
  python3 - <<'PY'
values = [float(line) for line in open("values")]
rows = [line.split("\t") for line in open("sites.tsv") if not line.startswith("#")]
assert len(rows) == 36 and len(values) == 24
for site in range(12):
    own = values[2 * site:2 * site + 2]
    assert any(abs(float(row[9]) - own[0]) < 1e-5 and abs(float(row[10]) - own[1]) < 1e-5 for row in rows[3 * site:3 * site + 3]), site
PY
  mv cache own
  bigdna variants "$shared/whole" in.vcf -g "$genome" --effects LFC,JSD --null 12 --null-shuffled -o shuffled.tsv -@ 2 --quiet
  [ "$(header shuffled.tsv)" = "$(header own.tsv)" ]
  same_rows <(rows own.tsv | cut -f1-10,12) <(rows shuffled.tsv | cut -f1-10,12)
  not cmp -s own/backgrounds/*.safetensors cache/backgrounds/*.safetensors
  mv cache shuffled
  bigdna variants "$shared/whole" in.vcf -g "$genome" --effects LFC,JSD --null 12 --null-shuffled -o again.tsv -@ 1 --quiet
  cmp shuffled/backgrounds/*.safetensors cache/backgrounds/*.safetensors
  same_rows shuffled.tsv again.tsv
  fails 2 "--null-shuffled requires --null" bigdna variants "$shared/whole" in.vcf -g "$genome" --null-shuffled
}

@test "variants: what a profile model has no use for, and what is skipped" {
  printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t50100\t.\tA\t<DEL>\t.\t.\t.\n' >in.vcf
  for option in '--sites x' '--reach 200' '--context 100' '--pictures p' '--features x'; do
    touch x
    fails 2 "${option% *}: not for profile models, and $shared/whole is one" bigdna variants "$shared/whole" in.vcf -g "$genome" $option -o -
  done
  fails 2 "--strands both: " bigdna variants "$shared/whole" in.vcf -g "$genome" --strands both
  fails 2 "is a profile model, which has no LOGIT" bigdna variants "$shared/whole" in.vcf -g "$genome" --effects LOGIT
  fails 1 "cannot be averaged with" bigdna variants "$shared/whole" in.vcf -g "$genome" --ensemble "$shared/stranded"
  bigdna variants "$shared/whole" in.vcf -g "$genome" -o out.tsv --quiet
  rows out.tsv | sed 1d | all_rows '$9 == "symbolic_allele" && $10 == "." && $13 == "."'
}

@test "commands that cannot use a profile model say so" {
  touch regions.bed records.fa
  for command in "chromatin $shared/whole $shared/regions.bed -g $genome" "embed $shared/whole $made/sequences.fa" "likelihood $shared/whole $made/sequences.fa" "predict $shared/whole $made/sequences.fa"; do
    fails 1 "a profile model (BPNet or ChromBPNet), which only bigdna profile, variants, haplotypes, explain, marginalize, design, convert and info read" bigdna $command
  done
}
