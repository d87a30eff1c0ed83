# bigdna train --encoder: a pretrained encoder as a term of a network's model, on very small data.
load helpers

small=(--preset tiny --batch 8 --precision fp32 --quiet)

# The encoder has a share where it adds to what validation examples say: beside networks of a few steps alone, and beside the k-mers of
# `numbers`. K-mers leave nothing to it on these promoters.
setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_encoder
  small_tables
  small_promoters
  bigdna train promoters "${small[@]}" --steps 3 --no-kmers --encoder pre -o promoter -@ 1 >promoter.out
  bigdna train several "${small[@]}" --steps 3 --no-kmers --reverse-complement --encoder pre -o several_run -@ 1 >several.out
  bigdna train numbers "${small[@]}" --steps 3 --encoder pre -o numbers_run -@ 1 >numbers.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz promoter=$BATS_FILE_TMPDIR/promoter
}
rows() { grep -v '^#' "$1"; }
methods() { rows "$1" | cut -f1 | uniq | grep -v - | tr '\n' ' '; }
edited() { python3 "$BIGDNA_SOURCE_DIR/tests/cli/edited_fasta.py" "$@"; }
# The largest difference that `edited compare` prints is at most what rounding leaves, and the effects are no zeros.
close() { awk '!($NF <= 2e-6) {bad = 1} {bad += $(NF - 3) + 0 < 1e-4} END {exit bad > 0 || !NR}'; }

@test "the model is the sum of k-mers, network and encoder, whose columns --parts gives; one thread and two, stdin" {
  [ "$(methods "$shared/numbers.out")" = "bigdna network kmers encoder kernel constant " ]
  [ "$(of_json "$shared/numbers_run/model/bigdna.json" 'min(encoder_share.values()) > 0 and min(kmer_share.values()) > 0')" = true ]
  bigdna predict "$shared/numbers_run" "$TEST_DATA/records.fa" --parts --precision fp32 --quiet -@ 1 >one.tsv
  bigdna predict "$shared/numbers_run" - --parts --precision fp32 --quiet -@ 2 <"$TEST_DATA/records.fa" >two.tsv
  same_rows one.tsv two.tsv
  [ "$(header one.tsv | cut -f9-)" = $'kmers:share\tkmers:twice\tnetwork:share\tnetwork:twice\tencoder:share\tencoder:twice' ]
  rows one.tsv | all_rows '($9 + $11 + $13 - $7)^2 < 1e-5 * $7 * $7 && $13 != 0' '$7 != "."'
  bigdna predict-promoter "$promoter" "$TEST_DATA/records.fa" --parts --precision fp32 --quiet >promoter.tsv
  [ "$(header promoter.tsv | cut -f8-)" = $'network\tencoder' ]
  rows promoter.tsv | all_rows '(1 / (1 + exp(-$8 - $9)) - $5)^2 < 1e-11 && $9 != 0' '$5 != "."'
  bigdna predict "$shared/several_run" "$TEST_DATA/records.fa" --parts --precision fp32 --quiet >several.tsv
  [[ $(header several.tsv) == *network:gc*encoder:gc* ]]
}

@test "evaluate says the same of the model and of its terms alone as the run did" {
  bigdna evaluate "$shared/numbers_run" "$shared/numbers" --precision fp32 --quiet >again.out
  same_rows <(grep -v kernel "$shared/numbers.out") again.out  # a kernel model without a weight is not in the model
  bigdna evaluate "$promoter" "$shared/promoters" --precision fp32 --quiet >again.out
  same_rows <(grep -v kmers "$shared/promoter.out") <(grep -v kmers again.out)
  [ "$(methods "$shared/several.out")" = "bigdna network encoder kmers constant " ]
  bigdna evaluate "$shared/several_run" "$shared/several" --precision fp32 --quiet >again.out
  same_rows <(awk -F'\t' '$1 !~ /kmers/' "$shared/several.out") again.out
}

@test "the same bytes with two threads, after a kill, in a tar, and where an earlier run is replaced" {
  bigdna train "$shared/promoters" "${small[@]}" --steps 3 --no-kmers --encoder "$shared/pre" -o two -@ 2 >/dev/null
  for file in model.safetensors encoder_head.safetensors encoder/model.safetensors; do
    same_files "$promoter/model/$file" "two/model/$file"
  done
  same_files "$shared/pre/model/model.safetensors" two/model/encoder/model.safetensors
  killed_when '[ -e killed/network-1/checkpoints/last ]' bigdna train "$shared/promoters" "${small[@]}" --steps 3 --checkpoint-every 1 --no-kmers --encoder "$shared/pre" -o killed
  bigdna train "$shared/promoters" "${small[@]}" --steps 3 --checkpoint-every 1 --no-kmers --encoder "$shared/pre" -o killed --resume >killed.out
  same_rows "$shared/promoter.out" killed.out
  same_files two/model/encoder_head.safetensors killed/model/encoder_head.safetensors
  bigdna train "$shared/promoters" "${small[@]}" --steps 3 --no-baseline -o two --force >/dev/null
  [ ! -e two/model/encoder ]
  [ ! -e two/model/encoder_head.safetensors ]
  tar -C "$promoter" -cf run.tar model
  bigdna predict-promoter run.tar "$TEST_DATA/records.fa" --precision fp32 --quiet >tar.tsv
  same_rows tar.tsv <(bigdna predict-promoter "$promoter" "$TEST_DATA/records.fa" --precision fp32 --quiet)
}

@test "variants, explain and predictions agree on edited sequences" {
  edited random "$genome" 3 30 >random.vcf
  edited sites "$genome" random.vcf "$TEST_DATA/tss.bed" 400 200 e
  bigdna predict-promoter "$promoter" e.fa --precision fp32 --parts --quiet -o e.tsv
  bigdna variants "$promoter" random.vcf -g "$genome" --sites "$TEST_DATA/tss.bed" --effects LOGIT --precision fp32 --quiet -o out.tsv
  edited compare out.tsv e.tsv | close
  # a base's contribution and each substitution are those of whole sequences
  samtools faidx "$genome" chr1:20001-20600 | sed '1s/.*/>record/' >record.fa
  bigdna explain "$promoter" record.fa --around 2 --precision fp32 -o bases.tsv --substitutions changes.tsv --quiet -@ 1
  bigdna explain "$promoter" record.fa --around 2 --precision fp32 --quiet -@ 2 | same_rows bases.tsv -
  bases=$(sed 1d record.fa | tr -d '\n' | tr acgt ACGT)
  { printf '>own\n%s\n' "$bases"; while IFS=$'\t' read -r _ start _ _ _ base _; do
    printf '>%s%s\n%s%s%s\n' "$start" "$base" "${bases:0:start}" "$base" "${bases:start + 1}"
  done < <(rows changes.tsv); } >edited.fa
  bigdna predict-promoter "$promoter" edited.fa --parts --precision fp32 --quiet >edited.tsv
  awk -F'\t' 'NR == FNR {if ($0 !~ /^#/) of[$1] = $8 + $9; next} /^#/ {next}
    {++n; d = of[$2 $6] - of["own"] - $7; if (d * d > 1e-10) bad = 1; most += $7 * $7} END {exit bad || !n || !most}' edited.tsv changes.tsv
}

@test "training sequence of the encoder counts as seen; info describes the encoder and checks its files" {
  covered() { of_json "$1" 'sum(i[2] - i[1] for i in training_intervals)'; }
  [ "$(covered "$promoter/model/bigdna.json")" -ge "$(covered "$shared/pre/model/bigdna.json")" ]
  # what the encoder held out, and no example was trained on, is held out still
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 --split-like "$promoter" \
    --validation chrX -o again --quiet
  same_files <(zcat again/regions.bed.gz | grep -v '^##') <(zcat "$shared/promoters/regions.bed.gz" | grep -v '^##')
  printf 'chrX\t20000\t20600\tvalidation\t0\t+\nchr3\t20000\t20600\ttest\t0\t+\n' >regions.bed
  bigdna predict-promoter "$promoter" -R regions.bed -g "$genome" --seen --quiet >seen.tsv
  [ "$(rows seen.tsv | awk '{print $1, $NF}' | sort -u | tr '\n' ' ')" = "chr3 0 chrX 1 " ]
  bigdna info --verify "$promoter/model" >info.txt
  grep -qE '^  pretrained encoder +modern [(]ModernBERT[)], 1 layer, hidden 32, up to 256 tokens; .*parameters; pretrained without labels on .*bp$' info.txt
  grep -qE '^  encoder share +promoter ' info.txt
}

@test "convert keeps the encoder; a file of the encoder that is missing, or another, is an error" {
  bigdna convert "$promoter" --weights fp16 -o half --quiet
  same_files "$promoter/model/encoder_head.safetensors" half/encoder_head.safetensors
  bigdna predict-promoter "$promoter" "$TEST_DATA/records.fa" --precision fp32 --quiet -o whole.tsv
  bigdna predict-promoter half "$TEST_DATA/records.fa" --precision fp32 --quiet -o half.tsv
  paste <(rows whole.tsv) <(rows half.tsv) | all_rows '($5 - $12)^2 < 1e-5' '$5 != "."'
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/filled_weights.py" half/encoder/model.safetensors 0 0.5
  fails 1 "half/encoder/model.safetensors: its checksum differs from the recorded one" bigdna predict-promoter half "$TEST_DATA/records.fa"
  rm half/encoder/model.safetensors
  fails 1 "half/encoder/model.safetensors: is missing" bigdna predict-promoter half "$TEST_DATA/records.fa"
  rm half/encoder_head.safetensors
  fails 1 "half/encoder_head.safetensors: is missing" bigdna predict-promoter half "$TEST_DATA/records.fa"
}

@test "an encoder whose states say nothing has no share, and leaves no files" {
  cp -r "$shared/pre/model" flat
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/filled_weights.py" flat/model.safetensors final_norm.weight 0
  bigdna train "$shared/promoters" "${small[@]::6}" --steps 3 --encoder flat -o run >run.out 2>err
  grep -q 'the examples call for no share of the encoder, so the model has none' err
  [ "$(methods run.out)" = "bigdna network kmers encoder kernel " ]
  [ ! -e run/model/encoder ]
  [ ! -e run/model/encoder_head.safetensors ]
  [ "$(of_json run/model/bigdna.json '"encoder" in baselines or "kernel" in baselines')" = false ]
  bigdna train "$shared/promoters" "${small[@]}" --steps 3 -o without >/dev/null
  same_files run/model/kmers.safetensors without/model/kmers.safetensors
  [ "$(of_json run/model/bigdna.json training_intervals)" = "$(of_json without/model/bigdna.json training_intervals)" ]
}

@test "a kernel model is a term: of both strands, with --parts, evaluate, one thread and two" {
  bigdna train "$shared/several" "${small[@]::6}" --steps 3 --reverse-complement --encoder "$shared/pre" -o run -@ 1 >run.out 2>err
  grep -q 'the weight of the kernel model is chosen on [0-9]* training examples' err
  grep -qE 'share of the kernel model in the sum: .*0[.][0-9]+' err
  [ "$(methods run.out)" = "bigdna network kmers encoder kernel constant " ]
  [ "$(of_json run/model/bigdna.json 'min(kernel_share.values()) > 0 and min(encoder_share.values()) > 0')" = true ]
  bigdna evaluate run "$shared/several" --precision fp32 --quiet | same_rows run.out -
  bigdna predict run "$TEST_DATA/records.fa" --parts --precision fp32 --quiet -@ 1 >one.tsv
  bigdna predict run - --parts --precision fp32 --quiet -@ 2 <"$TEST_DATA/records.fa" >two.tsv
  same_rows one.tsv two.tsv
  [ "$(header one.tsv | cut -f9-)" = $'kmers:gc\tkmers:at\tnetwork:gc\tnetwork:at\tencoder:gc\tencoder:at\tkernel:gc\tkernel:at' ]
  rows one.tsv | all_rows '(1 / (1 + exp(-$9 - $11 - $13 - $15)) - $7)^2 < 1e-11 && $15 != 0' '$7 != "."'
  bigdna train "$shared/several" "${small[@]}" --steps 3 --reverse-complement --encoder "$shared/pre" -o two -@ 2 >/dev/null
  for file in kmers.safetensors encoder_head.safetensors; do same_files run/model/$file two/model/$file; done
  bigdna info run >info.txt
  grep -q '^  kernel share' info.txt
}

# The kernel model compares k-mers, too, so it may have a weight where the encoder says nothing.
@test "a kernel model keeps the encoder that it reads, whose own weight may be 0" {
  cp -r "$shared/pre/model" flat
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/filled_weights.py" flat/model.safetensors final_norm.weight 0
  bigdna train "$shared/binary" "${small[@]}" --steps 3 --encoder flat -o run >run.out
  [ "$(of_json run/model/bigdna.json 'kernel_share["binary"] > 0 and encoder_share["binary"] == 0')" = true ]
  bigdna evaluate run "$shared/binary" --precision fp32 --quiet | same_rows run.out -
  rm run/model/encoder/model.safetensors
  fails 1 "run/model/encoder/model.safetensors: is missing" bigdna predict run "$TEST_DATA/records.fa"
}

@test "--keep-networks adds an encoder to networks that are there" {
  bigdna train "$shared/promoters" "${small[@]}" --steps 3 --no-kmers --no-baseline -o plain >/dev/null
  bigdna train "$shared/promoters" --precision fp32 --quiet --from plain --keep-networks --no-kmers --encoder "$shared/pre" -o sum >/dev/null
  same_files plain/model/model.safetensors sum/model/model.safetensors
  bigdna train "$shared/promoters" "${small[@]}" --encoder "$shared/pre" --plan >plan.txt
  grep -q '; so does what --encoder takes to read all examples$' plan.txt
  [ "$(bigdna predict-promoter sum "$TEST_DATA/records.fa" --parts --quiet | grep -m 1 '^#chrom' | cut -f8-)" = $'network\tencoder' ]
}

@test "--encoder takes pretrained encoders alone, of datasets whose examples are sequences" {
  fails 1 "none: not a model folder" bigdna train "$shared/promoters" "${small[@]}" --encoder none -o no
  fails 1 "promoter/model: is a network on bases; --encoder takes a pretrained encoder (bigdna pretrain)" \
    bigdna train "$shared/promoters" "${small[@]}" --encoder "$promoter" -o no
  bigdna finetune "$shared/pre" "$shared/promoters" --steps 1 --no-baseline --quiet -o tuned >/dev/null
  fails 1 "tuned/model: was trained for the task 'promoter'; --encoder takes a pretrained encoder" \
    bigdna train "$shared/promoters" "${small[@]}" --encoder tuned -o no
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 0 --downstream 0 --keep any --max-bins 100 -o bins --quiet
  fails 2 "--encoder has no effect on bins, which is a chromatin dataset" bigdna train bins --encoder "$shared/pre" -o no
  awk -F, '$3 != "validation"' "$shared/binary.csv" >two.csv
  bigdna dataset table two.csv --validation 0 -o two --quiet
  fails 1 "two: the validation split is empty, and the share of --encoder is chosen on it" bigdna train two "${small[@]}" --encoder "$shared/pre" -o no
  [ ! -e no ]
}
