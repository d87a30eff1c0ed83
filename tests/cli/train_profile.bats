# bigdna dataset profile, and train and evaluate of profile models: simulated cuts around a planted motif.
load helpers

regions=(-g genome.fa --window 206 --width 100 --jitter 20 --test chr4 --validation chrX --quiet)
small=(--filters 12 --dilated-layers 2 --batch 16 --learning-rate 0.004 --precision fp32 --quiet)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/profiles.py"
  bigdna dataset profile --tracks track.tsv --peaks peaks.bed "${regions[@]}" -o profiles
  bigdna train profiles "${small[@]}" --epochs 16 -o run -@ 2 >run.out
}
setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR
}
rows() { grep -v '^#' "$@"; }
# value METRIC METHOD TABLE: of peaks
value() { rows "$3" | awk -F'\t' -v metric="$1" -v method="$2" '$1 == "peak" && $5 == metric && $2 == method {print $6 "\t" $7 "\t" $8}'; }
# How much more a base of the motif contributes to each score than another base does, in sites of the test contig.
contrast() {  # MODEL
  rows "$shared/motifs.bed" | awk -F'\t' -v OFS='\t' '$1 == "chr4" && ++n <= 25 {print $1, $2 - 15, $3 + 15}' >sites.bed
  bigdna explain "$1" -R sites.bed -g "$shared/genome.fa" -o bases.tsv --quiet
  rows bases.tsv | awk -F'\t' 'NR == FNR {for (at = $2; at < $3; ++at) motif[$1, at] = 1; next}
    {of = ($1, $2) in motif; ++n[of]; for (i = 6; i <= 7; ++i) sum[of, i] += $i < 0 ? -$i : $i}
    END {print sum[1, 6] / n[1] / (sum[0, 6] / n[0]) "\t" sum[1, 7] / n[1] / (sum[0, 7] / n[0])}' "$shared/motifs.bed" -
}

@test "dataset profile: the same with two threads; what it says; without peaks, tiles" {
  cd "$shared"
  for threads in 1 2; do
    bigdna dataset profile --tracks strands.tsv --peaks peaks.bed --negatives 0.5 "${regions[@]}" -o "$BATS_TEST_TMPDIR/strands$threads" -@ $threads
  done
  cd "$BATS_TEST_TMPDIR"
  same_files strands1/counts.safetensors strands2/counts.safetensors
  same_files strands1/regions.bed.gz strands2/regions.bed.gz
  gzip -dc strands1/regions.bed.gz >regions
  [ "$(head -n 1 regions)" = $'#chrom\tstart\tend\tname\tscore\tstrand\tsplit\tkind' ]
  rows regions | all_rows '$3 - $2 == 100 && $7 == ($1 == "chr4" ? "test" : $1 == "chrX" ? "validation" : "train")'
  [ "$(rows regions | cut -f1,8 | sort | uniq -c | tr -s ' \t' ' ')" = "$(printf ' %s\n' '90 chr1 background' '180 chr1 peak' '90 chr2 background' '180 chr2 peak' \
    '90 chr3 background' '180 chr3 peak' '90 chr4 background' '180 chr4 peak' '90 chrX background' '180 chrX peak')" ]
  golden dataset_profile bash -c 'cd "$1" && shift && bigdna dataset profile "$@"' - "$shared" --tracks track.tsv -g genome.fa --window 206 --width 100 --jitter 20 --test chr4 --validation chrX -o "$PWD/tiles"
  [ "$(of_json tiles/dataset.json '[task, window, width, jitter, list(rows["train"]), tracks[0]["half"] > 0]')" = '["profile",206,100,20,["tile"],true]' ]
}

@test "dataset profile: bad input is an error that names it" {
  printf 'file\tname\n%s/cuts.bed\ta\n%s/cuts.bed\tb\n' "$shared" "$shared" >two.tsv
  fails 1 "two.tsv: a profile model has one track, or one of strand + and then one of strand -; here are 2 tracks" bigdna dataset profile --tracks two.tsv -g "$shared/genome.fa" -o out
  printf 'chr1\t100\t90\n' >back.bed
  fails 1 "back.bed:1: end 90 is before start 100" bigdna dataset profile --tracks "$shared/track.tsv" --peaks back.bed -g "$shared/genome.fa" -o out
  fails 2 "--window 207, --width 100: both must be even, and the width at most the window" bigdna dataset profile --tracks "$shared/track.tsv" -g "$shared/genome.fa" --window 207 --width 100 -o out
  printf '>chr1\nACGTACGT\n' >short.fa
  fails 1 "no contig has 3114 bp, a window and the --jitter on either side" bigdna dataset profile --tracks "$shared/track.tsv" -g short.fa -o out
  nothing_but two.tsv back.bed short.fa short.fa.fai
}

@test "train: a run's files; the model is better than its nulls on held-out peaks, and says so" {
  for file in model/config.json model/model.safetensors metrics.tsv metrics.json run.json network-1/metrics.jsonl network-1/learning_curve.svg; do [ -s "$shared/run/$file" ]; done
  same_files "$shared/run.out" "$shared/run/metrics.tsv"
  [ "$(header "$shared/run.out")" = $'#regions\tmethod\tsplit\trows\tmetric\tvalue\tlow\thigh' ]
  [ "$(rows "$shared/run.out" | cut -f1 | uniq | tr '\n' ' ')" = "peak background all " ]
  [ "$(rows "$shared/run.out" | cut -f2 | sort -u | tr '\n' ' ')" = "bigdna bigdna-gc bigdna-kmers bigdna-mean bigdna-shuffled gc halves kmers mean shuffled " ]
  rows "$shared/run.out" | all_rows '$8 < 0' '$1 == "peak" && $5 == "jsd_median" && ($2 == "bigdna-mean" || $2 == "bigdna-shuffled")'
  value pearson_log1p bigdna "$shared/run.out" | all_rows '$1 > 0.7'
  value pearson_log1p mean "$shared/run.out" | grep -qx $'NA\tNA\tNA'  # of a constant
  grep -q '^##verdict=profiles: better than the mean of the training regions by .* (median Jensen-Shannon distance)$' "$shared/run.out"
  grep -q '^##verdict=counts: better than ' "$shared/run.out"
}

@test "train: explain shows the motif, but not in a model of shuffled cuts" {
  contrast "$shared/run" | all_rows '$1 > 3 && $2 > 3'
  (cd "$shared" && bigdna dataset profile --tracks shuffled.tsv --peaks peaks.bed "${regions[@]}" -o "$BATS_TEST_TMPDIR/null")
  bigdna train null -g "$shared/genome.fa" "${small[@]}" --epochs 16 --no-baseline -o null_run >null.out
  contrast null_run | all_rows '$1 < 2 && $2 < 2'
  rows null.out | all_rows '$7 < 0.2' '$1 == "peak" && $2 == "bigdna" && $5 == "pearson_log1p"'
}

@test "variants: what the model was trained on is known, and told" {
  { printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    for place in chr1:600 chr4:600; do
      ref=$(samtools faidx "$shared/genome.fa" "$place-600" | sed 1d)
      printf '%s\t600\t.\t%s\t%s\t.\t.\t.\n' "${place%:*}" "$ref" "$(tr ACGT CGTA <<<"$ref")"
    done; } >in.vcf
  bigdna variants "$shared/run" in.vcf -g "$shared/genome.fa" -o out.tsv 2>log
  [ "$(rows out.tsv | awk -F'\t' '{print $1, $NF}')" = $'chr1 1\nchr4 0' ]
  grep -q "warning: 1 variant is in the model's training data" log
}

@test "train: the same bytes with one thread and two, and after a resume" {
  train() { bigdna train "$shared/profiles" "${small[@]}" --steps 40 --checkpoint-every 1 "$@"; }
  train -o one -@ 1 >one.out
  train -o two -@ 2 >two.out
  killed_when '[ -e killed/network-1/checkpoints/last ]' "$BIGDNA" train "$shared/profiles" "${small[@]}" --steps 40 --checkpoint-every 1 -o killed -@ 1
  train -o killed -@ 1 --resume >killed.out
  same_files one/model/model.safetensors two/model/model.safetensors killed/model/model.safetensors
  same_rows one.out two.out killed.out
  train -o one -@ 1 --resume >again.out
  same_files one.out again.out
  bigdna train "$shared/profiles" "${small[@]}" --steps 40 --checkpoint-every 1 --seed 2 -o other >/dev/null
  not cmp -s one/model/model.safetensors other/model/model.safetensors
}

@test "train: both strands are two profiles of one softmax" {
  (cd "$shared" && bigdna dataset profile --tracks strands.tsv --peaks peaks.bed "${regions[@]}" -o "$BATS_TEST_TMPDIR/strands")
  bigdna train strands -g "$shared/genome.fa" "${small[@]}" --steps 30 --no-baseline -o run >run.out
  bigdna info run/model | grep -q 'profiles  *one for each strand'
  rows run.out | all_rows '$6 > 0 && $6 < 1' '$1 == "peak" && $5 == "jsd_median" && $2 !~ /-/'
  fails 1 "its profiles have 100 bp of 2 strands, the profiles of the model 100 bp of 1" bigdna evaluate "$shared/run" strands -g "$shared/genome.fa"
}

@test "evaluate: what the run says; without baselines; as JSON and a report" {
  bigdna evaluate "$shared/run" "$shared/profiles" --json all.json --report report --quiet >table
  same_rows table "$shared/run/metrics.tsv"
  same_rows table report/metrics.tsv
  [ "$(of_json all.json 'verdicts[0]["standing"]')" = '"better"' ]
  bigdna evaluate "$shared/run" "$shared/profiles" --no-baseline --resamples 0 --split validation --quiet | rows >bare
  all_rows '$7 == "NA" && $3 == "validation" && $2 !~ /kmers|gc/' <bare
  all_rows '($6 - 1)^2 < 1e-4' '$1 == "peak" && $2 == "bigdna" && $5 == "total_ratio"' <bare  # as many reads as observed
  bigdna evaluate "$shared/run" "$shared/profiles" --split train --no-baseline --quiet | grep -q '^##verdict=counts: .* were in the training data'
  fails 2 "--compare, --refit-kmers have no effect on $shared/profiles, which is a profile dataset" bigdna evaluate "$shared/run" "$shared/profiles" --compare "$shared/run" --refit-kmers
  fails 1 "profiles: not a profile model" bigdna evaluate "$shared/profiles" "$shared/profiles"
  fails 2 "$shared/profiles is a profile dataset, which no encoder predicts: bigdna train" bigdna finetune "$shared/run" "$shared/profiles" -o out
}

@test "train --bias: the bias model stays as it is but for its depth" {
  bigdna train "$shared/profiles" --regions background --background-limit 0 --filters 8 --dilated-layers 1 --batch 16 --steps 30 --no-baseline --quiet -o bias >/dev/null
  python3 - <<'PY'
import json
bias = json.load(open("bias/model/bigdna.json"))
bias["training_intervals"].append(["chr4", 0, 54600, 54600])  # what the bias model has read, the whole model has read
json.dump(bias, open("bias/model/bigdna.json", "w"))
PY
  bigdna train "$shared/profiles" "${small[@]}" --steps 30 --bias bias --no-baseline -o run >run.out
  [ "$(python3 -c 'import json; print(json.load(open("run/metrics.json"))["rows_seen_in_training"])')" = "$(rows run.out | awk '$1 == "all" {print $4; exit}')" ]
  bigdna info run/model | grep -q '^  bias model *8 filters, 1 dilated convolution'
  rows run.out | cut -f2 | sort -u | grep -qx bias
  python3 - <<'PY'
import json, struct
def arrays(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    return {k: data[8 + size + v["data_offsets"][0]:8 + size + v["data_offsets"][1]] for k, v in json.loads(data[8:8 + size]).items() if k != "__metadata__"}
bias, both = arrays("bias/model/model.safetensors"), arrays("run/model/model.safetensors")
differ = [name for name, value in bias.items() if both["bias" + name[len("model"):]] != value]
assert differ == ["model.count.bias"], differ
PY
  printf 'chr4\t600\t700\n' >one.bed
  bigdna profile run -R one.bed -g "$shared/genome.fa" --part model -o part.tsv --quiet
  bigdna variants run <(printf '##fileformat=VCFv4.2\n##contig=<ID=chr4>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n') -g "$shared/genome.fa" --effects LFC -o none.tsv --quiet
  fails 1 "run: has a bias model of its own: it is no bias model" bigdna train "$shared/profiles" --bias run -o out
  fails 2 "--regions cannot be used with --bias" bigdna train "$shared/profiles" --bias bias --regions background -o out
}

@test "train: options of other tasks, and what does not fit, are errors" {
  fails 2 "--networks has no effect on $shared/profiles, which is a profile dataset" bigdna train "$shared/profiles" --networks 2 -o out
  fails 2 "--no-kmers has no effect on $shared/profiles, which is a profile dataset" bigdna train "$shared/profiles" --no-kmers -o out
  fails 2 "--window has no effect on $shared/profiles, which is a profile dataset" bigdna train "$shared/profiles" --window 4000 -o out
  fails 2 "--jitter 21: $shared/profiles has counts for 20 bp around its regions" bigdna train "$shared/profiles" --jitter 21 --dilated-layers 2 -o out
  fails 1 "dilated convolutions leave" bigdna train "$shared/profiles" -o out
  fails 2 "--precision bf16: $shared/profiles is a profile model, which computes in fp32" bigdna train "$shared/profiles" --precision bf16 --dilated-layers 2 -o out
  bigdna train "$shared/profiles" "${small[@]}" --plan | grep -q '^speed: .* steps per second on cpu with '
  nothing_but
}
