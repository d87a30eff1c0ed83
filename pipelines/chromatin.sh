#!/usr/bin/env bash
# Chromatin profiles from peaks to predictions: dataset, fine-tuning of two models, their ensemble's evaluation, predictions.
#   pipelines/chromatin.sh --genome FASTA (--peaks TSV | --deepsea DIR) [--model MODEL] [--out DIR] [--scale paper|small|seconds]
#                          [--regions BED] [--no-build [--bin DIR]]
# --peaks    table of peak files (docs/commands/dataset-chromatin.md); --deepsea: the folder of DeepSEA's .mat files
# --model    a pretrained model; without it one is pretrained on the genome, at the scale's size
# --scale    paper (default): sections 5 and F.3: base, 8000 bp, 500 000 steps of 256 rows, positives weighted 8, chr8 and chr9
#            tested, chr7:30,508,751-35,296,850 validated on, for a cluster; small: one chromosome, preset tiny, contexts of
#            1000, 2000 and 8000 bp, with and without pretraining, about an hour and a half on 2 cores; seconds: as the tests run it
# --regions  what is predicted at the end (default: the first 1000 test bins)
# Steps that are complete in DIR are not done again.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/options.sh"
genome= peaks= deepsea= model= out=chromatin scale=paper regions=
read_options "genome: peaks: deepsea: model: out: scale: regions:" "$@"
[[ -n $genome && ( -n $peaks || -n $deepsea ) && ! ( -n $peaks && -n $deepsea ) ]] ||
  usage_error "give --genome FASTA, and --peaks TSV or --deepsea DIR"
rows=() pretrain=() finetune=() evaluate=(--strands average) contexts=(8000) variants=(pretrained)
case $scale in
  paper)
    pretrain=(--preset base)
    finetune=(--steps 500000 --batch 256 --learning-rate 1e-4 --evaluations 50 --patience 0 --reverse-complement) ;;
  small)
    contexts=(1000 2000 8000) variants=(pretrained scratch)
    rows=(--max-bins 8000)
    pretrain=(--preset tiny --max-length 2048 --steps 1500 --batch 4)
    finetune=(--epochs 0) ;;
  seconds)
    contexts=(600) variants=(pretrained scratch)
    rows=(--max-bins 200 --keep any)
    pretrain=(--preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 4 --batch 2 --hold-out chr3 --evaluation-tokens 1000)
    finetune=(--steps 4 --evaluations 1)
    evaluate+=(--resamples 50) ;;
  *) usage_error "--scale is paper, small or seconds" ;;
esac
programs
mkdir -p "$out"
exec 3>&1  # what is typed is shown also where a command's own output goes to a file
typed() { echo "   \$ $*" >&3; "$@"; }
begin() { echo; echo "== $1"; }

if [[ -z $model ]]; then
  begin "Pretraining"
  typed bigdna pretrain "$genome" "${pretrain[@]}" -o "$out/pretrain" --resume
  model=$out/pretrain
fi

begin "Dataset"
widest=0
for context in "${contexts[@]}"; do ((context > widest)) && widest=$context; done
flank() { echo $((($1 - 200) / 2)); }
if [[ -n $deepsea ]]; then
  rows=(--deepsea "$deepsea")
else
  rows+=(--peaks "$peaks")
  if [[ $scale == paper ]]; then
    printf 'chr7\t30508750\t35296850\n' >"$out/validation.bed"
    rows+=(--test chr8,chr9 --validation "$out/validation.bed")
  else
    rows+=(--split-like "$model")
  fi
fi
typed bigdna dataset chromatin "${rows[@]}" -g "$genome" --upstream "$(flank $widest)" --downstream "$(flank $widest)" -o "$out/dataset" --resume

for context in "${contexts[@]}"; do
  for variant in "${variants[@]}"; do
    scratch=()
    [[ $variant == pretrained ]] || scratch=(--from-scratch)
    for seed in 1 2; do
      begin "Fine-tuning: $context bp, $variant, model $seed of 2"
      typed bigdna finetune "$model" "$out/dataset" "${finetune[@]}" "${scratch[@]}" --upstream "$(flank $context)" \
        --downstream "$(flank $context)" --seed $seed -o "$out/$variant.$context.$seed" --resume
    done
  done
done

evaluated() {  # NAME MODEL ARGUMENTS...: unless it was done before
  local name=$1
  if [[ ! -e $out/$name.tsv ]]; then
    typed bigdna evaluate "$2" "$out/dataset" "${evaluate[@]}" "${@:3}" --features "$out/$name.features.tsv" --json "$out/$name.json" \
      --picture "$out/$name.svg" >"$out/$name.tsv.partial"
    mv "$out/$name.tsv.partial" "$out/$name.tsv"
  fi
  sed 's/^/   /' "$out/$name.tsv"
}
for context in "${contexts[@]}"; do
  for variant in "${variants[@]}"; do
    begin "Evaluation of the two models' ensemble, both strands: $context bp, $variant"
    beside=(--no-baseline)
    [[ $variant.$context != "pretrained.$widest" ]] || beside=()  # k-mers beside the widest context
    evaluated "metrics.$variant.$context" "$out/$variant.$context.1" --ensemble "$out/$variant.$context.2" "${beside[@]}"
  done
done
others=()
for context in "${contexts[@]}"; do ((context == widest)) || others+=(--compare "$out/pretrained.$context.1"); done
[[ ${#variants[@]} == 1 ]] || others+=(--compare "$out/scratch.$widest.1")
if ((${#others[@]})); then
  begin "Paired differences, one model each: $widest bp to narrower contexts, and to no pretraining"
  evaluated comparison "$out/pretrained.$widest.1" --no-baseline "${others[@]}"
fi

begin "Predictions"
if [[ -z $regions ]]; then
  regions=$out/regions.bed
  gzip -dc "$out/dataset/regions.bed.gz" | awk -F'\t' '!/^#/ && $7 == "test" && ++n <= 1000' >"$regions"
fi
typed bigdna chromatin "$out/pretrained.$widest.1" "$regions" -g "$genome" --ensemble "$out/pretrained.$widest.2" --strands average \
  -o "$out/predictions.h5" --resume

begin "Summary: median AUROC by group (the paper's table 7: TF 96.1, HM 88.7, DHS 92.1)"
for file in "$out"/metrics.*.tsv; do
  [[ $file != *.features.tsv ]] || continue
  name=${file##*/metrics.}
  awk -F'\t' -v name="${name%.tsv}" '!/^#/ {printf "   %-20s %-6s %-28s median %s [%s, %s], mean %s\n", name, $1, $2, $6, $10, $11, $7}' "$file"
done
