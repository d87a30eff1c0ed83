# Sums without networks (bigdna train --networks 0): k-mers, an encoder and a kernel model, kept in the folder, added everywhere, shown
# separately by --parts.
load helpers

sum=(--networks 0 --precision fp32 --quiet)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  small_encoder
  small_promoters
  small_tables
  bigdna train several --networks 0 --precision fp32 --reverse-complement --encoder pre -o sum -@1 >sum.out 2>sum.err
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}
methods() { sed '/^##/d' "$1" | cut -f1 | uniq | grep -v - | tr '\n' ' '; }

scores() { bigdna predict "$1" "$TEST_DATA/records.fa" --precision fp32 --quiet "${@:2}"; }
edited() { python3 "$BIGDNA_SOURCE_DIR/tests/cli/edited_fasta.py" "$@"; }

@test "train --networks 0: the sum, each term beside it, evaluate; one thread and two" {
  [ "$(methods "$shared/sum.out")" = "#method bigdna kmers encoder kernel constant " ]
  grep -q ' 144 training examples, no networks, seed 1$' "$shared/sum.err"
  [ "$(of_json "$shared/sum/model/bigdna.json" 'min(kmer_share.values()) > 0 and min(encoder_share.values()) > 0 and min(kernel_share.values()) > 0')" = true ]
  bigdna evaluate "$shared/sum" "$shared/several" --precision fp32 --quiet >again
  same_rows again "$shared/sum.out"
  bigdna train "$shared/several" "${sum[@]}" --reverse-complement --encoder "$shared/pre" -o two -@ 2 >two.out
  same_rows two.out "$shared/sum.out"
  for file in kmers encoder_head encoder/model model; do same_files {"$shared/sum",two}/model/$file.safetensors; done
  bigdna train "$shared/several" "${sum[@]}" --reverse-complement --encoder "$shared/pre" -o two --resume >again
  same_files again two.out
  for name in binary classes numbers; do
    bigdna train "$shared/$name" "${sum[@]}" --encoder "$shared/pre" -o $name --reverse-complement >$name.out
    bigdna evaluate $name "$shared/$name" --precision fp32 --quiet >again
    same_rows <(grep -vE '^[^\t]*(encoder|kernel)' $name.out) <(grep -vE '^[^\t]*(encoder|kernel)' again)  # terms that are in the model
  done
  fails 1 "does not have several networks, so --spread has nothing to compare" scores classes --spread
}

@test "k-mers alone predict what they predict as a baseline, with validation examples or without" {
  bigdna train "$shared/promoters" "${sum[@]}" -o run >out
  [ "$(methods out)" = "#method bigdna kmers " ]
  same_rows <(awk '$1 == "bigdna" && $3 != "threshold"' out | cut -f2-) <(awk '$1 == "kmers" && $3 != "threshold"' out | cut -f2-)
  [ "$(bigdna predict-promoter run "$TEST_DATA/records.fa" --parts --quiet | grep -m 1 '^#chrom' | cut -f8-)" = kmers ]
  awk -F, '$3 != "validation"' "$shared/binary.csv" >two.csv
  bigdna dataset table two.csv --validation 0 -o two --quiet
  bigdna train two "${sum[@]}" -o uncalibrated >out
  same_rows <(awk '$1 == "bigdna" && $3 == "auroc"' out | cut -f2-) <(awk '$1 == "kmers" && $3 == "auroc"' out | cut -f2-)
}

@test "options of networks have no effect with --networks 0, and bins need networks" {
  fails 2 "--preset, --epochs have no effect with --networks 0" bigdna train "$shared/promoters" "${sum[@]}" --preset tiny --epochs 2 -o no
  for option in "--plan" "--patience 2" "--batch 9" "--pools 4" "--layers 1" "--learning-rate 1" "--from x" "--dropout 0.5"; do
    fails 2 "${option%% *} has no effect with --networks 0" bigdna train "$shared/promoters" "${sum[@]}" $option -o no
  done
  fails 2 "--networks 0 with --no-kmers leaves nothing to fit" bigdna train "$shared/promoters" "${sum[@]}" --no-kmers -o no
  small_bins
  fails 2 "--networks 0: bins is a chromatin dataset, whose bins networks label" bigdna train bins "${sum[@]}" -o no
  fails 1 "sum: was trained with --networks 0, so there is none to start from" bigdna train "$shared/several" --quiet --from "$shared/sum" -o no
  [ ! -e no ]
}

@test "--parts: a column for each term, which add up to the log-odds, one thread and two, stdin" {
  scores "$shared/sum" --parts -@1 >one.tsv
  bigdna predict "$shared/sum" - --parts --precision fp32 --quiet -@2 <"$TEST_DATA/records.fa" >two.tsv
  same_rows one.tsv two.tsv
  [ "$(header one.tsv | cut -f9-)" = $'kmers:gc\tkmers:at\tencoder:gc\tencoder:at\tkernel:gc\tkernel:at' ]
  same_rows <(cut -f1-8 one.tsv) <(scores "$shared/sum")
  awk -F'\t' '!/^#/ && $7 != "." {n++; d = 1 / (1 + exp(-$9 - $11 - $13)) - $7; if (d * d > 1e-11 || !$11 || !$13) bad = 1} END {exit bad || !n}' one.tsv
}

@test "--resume continues with --parts, and refuses a job without it" {
  scores "$shared/sum" --parts --resume -o out.tsv
  scores "$shared/sum" --parts >direct.tsv
  same_rows out.tsv direct.tsv
  fails 1 "out.tsv: was made with --parts" scores "$shared/sum" --resume -o out.tsv
}

@test "variants, explain and predictions agree on edited sequences" {
  edited random "$genome" 2 60 >some.vcf
  length=$(of_json "$shared/sum/model/bigdna.json" 'upstream + downstream')
  edited around "$genome" some.vcf "$length" e
  bigdna predict "$shared/sum" e.fa --parts --precision fp32 --quiet -o e.tsv
  bigdna variants "$shared/sum" some.vcf -g "$genome" --effects LOGIT --precision fp32 --quiet -o out.tsv
  edited compare out.tsv e.tsv >compared
  awk '!($NF <= 2e-6) || $(NF - 3) + 0 < 1e-3 {bad = 1} END {exit bad || !NR}' compared
  samtools faidx "$genome" chr1:30001-30120 | sed '1s/.*/>record/' >record.fa
  bigdna explain "$shared/sum" record.fa --features gc --precision fp32 -o bases.tsv --substitutions changes.tsv --quiet -@ 1
  bigdna explain "$shared/sum" record.fa --features gc --precision fp32 --quiet -@ 2 | same_rows bases.tsv -
  bases=$(sed 1d record.fa | tr -d '\n' | tr acgt ACGT)
  { printf '>own\n%s\n' "$bases"; grep -v '^#' changes.tsv | while IFS=$'\t' read -r _ start _ _ _ base _; do
    printf '>%s%s\n%s%s%s\n' "$start" "$base" "${bases:0:start}" "$base" "${bases:start + 1}"
  done; } >edited.fa
  bigdna predict "$shared/sum" edited.fa --parts --precision fp32 --quiet >edited.tsv
  awk -F'\t' 'NR == FNR {if ($0 !~ /^#/) of[$1] = $9 + $11 + $13; next} /^#/ {next}
    {++n; d = of[$2 $6] - of["own"] - $7; if (d * d > 1e-9) bad = 1; most += $7 * $7} END {exit bad || !n || !most}' edited.tsv changes.tsv
}

@test "a damaged or missing file is an error; a fine-tuned encoder has no k-mers but its baseline's" {
  cp -r "$shared/sum/model" broken
  printf 'x' | dd of=broken/kmers.safetensors bs=1 seek=900 conv=notrunc status=none
  fails 1 "kmers.safetensors: its checksum differs from the recorded one" scores broken
  fails 1 "kmers.safetensors: its checksum differs from the recorded one" bigdna evaluate broken "$shared/several" --quiet
  truncate -s 900 broken/kmers.safetensors
  fails 1 "kmers.safetensors: has 900 bytes" scores broken
  rm broken/kmers.safetensors
  fails 1 "kmers.safetensors: is missing" scores broken
  bigdna finetune "$shared/pre" "$shared/promoters" --epochs 0 -o plain --quiet >plain.out
  [ "$(methods plain.out)" = "#method bigdna kmers " ]
  [ ! -e plain/model/kmers.safetensors ]
  [ -e plain/model/kmer_baseline.safetensors ]
  starts() { bigdna predict-promoter plain "$TEST_DATA/records.fa" --precision fp32 --quiet "$@"; }
  starts >plain.tsv
  starts --parts >parts.tsv
  [ "$(header parts.tsv | cut -f8-)" = encoder ]  # the log-odds
  awk -F'\t' '!/^#/ && $5 != "." {n++; d = 1 / (1 + exp(-$8)) - $5; if (d * d > 1e-11) bad = 1} END {exit bad || !n}' parts.tsv
  cp "$shared/sum/model/kmers.safetensors" plain/model/  # not listed: not the model's
  same_rows plain.tsv <(starts)
  sed -i 's/"name": "kmer_baseline.safetensors"/"name": "kmers.safetensors"/' plain/model/bigdna.json
  fails 1 "plain/model: lists kmers.safetensors, which only models of bigdna train have" starts
}

@test "info reads a fine-tuned run: what it lists is in its model's folder" {
  bigdna finetune "$shared/pre" "$shared/promoters" --epochs 0 --no-baseline -o run --quiet >/dev/null
  bigdna info run >out
  grep -q "a run folder" out
  grep -q "a model folder" out
  bigdna info run/model --verify >/dev/null
  python3 - run <<'PY'
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

@test "convert keeps all terms" {
  bigdna convert "$shared/sum" -o copy --quiet
  same_rows <(scores copy) <(scores "$shared/sum")
  bigdna info copy >out
  grep -qE '^  networks on bases +none$' out
  grep -qE '^  encoder share +multilabel ' out
}

@test "convert makes the encoder as small as it says" {
  bigdna convert "$shared/sum" --weights fp16 -o half --quiet
  [ "$(stat -c %s half/encoder/model.safetensors)" -lt $(($(stat -c %s "$shared/sum/model/encoder/model.safetensors") * 6 / 10)) ]
  paste <(scores half | grep -v '^#') <(scores "$shared/sum" | grep -v '^#') | all_rows '($7 - $(NF / 2 + 7))^2 < 1e-4' '$7 != "."'
}

@test "a background of another sum is refused, though both have no networks" {
  printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >some.vcf
  samtools faidx "$genome" chr1:6000-6000 | awk 'NR == 2 {ref = toupper($1); print "chr1\t6000\t.\t" ref "\t" (ref == "A" ? "C" : "A") "\t.\t.\t."}' >>some.vcf
  export XDG_CACHE_HOME=$PWD/cache
  bigdna train "$shared/promoters" "${sum[@]}" --no-baseline -o alone
  bigdna train "$shared/promoters" "${sum[@]}" --no-baseline --reverse-complement -o other
  same_files {alone,other}/model/model.safetensors
  bigdna variants alone some.vcf -g "$genome" --null 20 --precision fp32 -o one.tsv --quiet
  for model in alone other; do cp cache/bigdna/backgrounds/*.safetensors $model/model/background.safetensors; done
  bigdna variants alone some.vcf -g "$genome" --model-background --precision fp32 -o two.tsv --quiet
  same_rows one.tsv two.tsv
  fails 1 "background.safetensors" bigdna variants other some.vcf -g "$genome" --model-background --precision fp32 -o three.tsv --quiet
  [ "$(grep -h '^##model=' one.tsv | cut -d' ' -f2)" != "$(bigdna variants other some.vcf -g "$genome" --precision fp32 --quiet | grep '^##model=' | cut -d' ' -f2)" ]
}

@test "the kernel model alone is the same beside a network, and labels of few have their share" {
  python3 - <<'PY'
import random
random.seed(3)
with open("rare.csv", "w") as out:
    print("sequence,split,x,z,w", file=out)
    for i in range(360):
        split = "train" if i < 240 else "validation" if i < 300 else "test"
        x = i % 2
        bases = [random.choice("ACGT") for _ in range(60)]
        if x: bases[20:28] = "TGACTCAG"
        z = int(i in (3, 50, 99, 140, 201, 230, 310, 330))  # none in validation
        w = int(i in (7, 260))  # one in training, one in validation
        print("".join(bases), split, x, z, w, sep=",", file=out)
PY
  bigdna dataset table rare.csv --label-columns x,z,w -o rare --quiet
  bigdna train rare "${sum[@]}" --encoder "$shared/pre" -o without 2>err >without.out
  bigdna train rare --preset tiny --steps 20 --precision fp32 --quiet --encoder "$shared/pre" -o with >with.out
  kernel() { grep -P '\tkernel\t' "$1/features.tsv"; }
  if kernel with >one && kernel without >two; then same_rows one two; fi
  bigdna train rare --networks 0 -o kmers 2>err >/dev/null
  grep -q "warning: fewer than 10 validation examples have the rarer value of 2 labels (z, w)" err
  for run in with without kmers; do
    bigdna predict $run rare/sequences.fa.gz --precision fp32 --quiet | grep -v '^#' | sed -n 241,300p |
      awk -F'\t' '{z += $8; w += $9} END {exit !((z / NR - 6.5 / 241)^2 < 1e-7 && (w / NR - 1.5 / 241)^2 < 1e-7)}'
  done
}
