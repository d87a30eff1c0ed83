#!/usr/bin/env bash
# Makes the models of models/ from raw files: trains and evaluates them, and writes their folders and model cards.
#   pipelines/release_models.sh [--data DIR] [--work DIR] [--out DIR] [--scale full|seconds] [--no-build [--bin DIR]] [MODEL...]
# MODEL    human-chr20-chrX, yeast or human-chr20-encoder (default: all)
# --data   the folder with genomes/, chromatin/, promoters/ and liftover/ (default: $BIGDNA_DATA)
# --work   datasets and runs (default: release); what is complete there is not done again, so the command may be stopped and repeated
# --out    the folder of models (default: models of this checkout)
# --scale  seconds: the same steps on less of everything, as the tests run it
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/options.sh"
data=${BIGDNA_DATA:-$root/../shared/data} work=release out=$root/models scale=full
read_options "data: work: out: scale: ..." "$@"
models=("${arguments[@]}")
((${#models[@]})) || models=(human-chr20-chrX yeast human-chr20-encoder)
data=$(readlink -e "$data") || { echo "release_models: --data: no such folder" >&2; exit 1; }
out=$(readlink -m "$out")
human_options=(--preset base) two_options=(--preset base --epochs 8) yeast_options=(--preset small --networks 4 --epochs 20 --window 16000 --batch 8 --label-balance 0) encoder_options=(--preset mini --hours 0.6)
left_out= background=1500  # random variants
case $scale in
  full) ;;
  seconds)  # most of each genome is left out
    human_options=(--preset tiny --epochs 1) two_options=(--preset tiny --epochs 1) yeast_options=(--preset tiny --epochs 1)
    encoder_options=(--preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 300 --vocab-bases 500000 --steps 4 --batch 2 --evaluation-tokens 1000)
    left_out=1 background=40 ;;
  *) usage_error "--scale is full or seconds" ;;
esac
programs
mkdir -p "$work" "$out"
cd "$work"  # manifests then hold no path of this machine
exec 3>&1  # what is typed is shown also where a command's own output goes to a file
typed() { echo "   \$ $*" >&3; "$@"; }
begin() { echo; echo "== $1"; }

# released RUN NAME: the run's model, with weights as fp16, as the folder NAME.
released() { [[ -e $2/bigdna.json ]] || typed bigdna convert "$1" --weights fp16 -o "$2"; }

# release NAME: copies the folder NAME to OUT, with the card that is read from stdin.
release() {
  rm -rf "${out:?}/$1" && mkdir "$out/$1"
  find "$1" -maxdepth 1 -type f ! -name options.json -exec cp {} "$out/$1/" \;
  cat >"$out/$1/README.md"
  (cd "$out" && find . -mindepth 2 -type f | sort | sed 's|^\./||' | xargs sha256sum >SHA256SUMS)
  bigdna info --verify "$out/$1" | tail -1
}

# evaluated NAME DATASET: NAME.tsv, test metrics of the folder NAME beside k-mers of the same training rows, and NAME.features.tsv.
evaluated() {
  [[ -e $1.tsv ]] || {
    typed bigdna evaluate "$1" "$2" --refit-kmers --features "$1.features.tsv" >"$1.tsv.partial"
    mv "$1.tsv.partial" "$1.tsv"
  }
}

# metrics_table NAME: of NAME.tsv, as a Markdown table.
metrics_table() {
  echo '| labels | method | features | mean AUROC | 95 % interval | mean AUPRC |'
  echo '| --- | --- | --- | --- | --- | --- |'
  awk -F'\t' 'BEGIN {name["bigdna"] = "the model"; name["kmers-refit"] = "k-mers of the context"; name["kmers-refit-bin"] = "k-mers of the bin"}
    !/^#/ && $1 != "all" && $2 in name {
      printf "| %s | %s | %s | %.3f | %s | %.3f |\n", $1, name[$2], $5, $7, ($12 == "NA" ? "not defined" : sprintf("%.3f to %.3f", $12, $13)), $9
    }' "$1.tsv"
  awk -F'\t' '
    /^#index/ {for (i = 1; i <= NF; ++i) column[$i] = i}
    !/^#/ && ($column["minus_kmers-refit"] + 0 < 0 || $column["minus_kmers-refit-bin"] + 0 < 0) {worse[++n] = $column["name"] ($column["cell"] == "-" ? "" : " in " $column["cell"])}
    END {
      printf "\nK-mers of the context or of the bin have the higher AUROC in %d of %d features", n, NR - 1
      for (i = 1; i <= n; ++i) printf "%s%s", (i == 1 ? ": " : ", "), worse[i]
      print "."
    }' <(grep -v '^##' "$1.features.tsv")
}

# front_matter LICENSE NAME...: the head of a card in Hugging Face's form.
front_matter() {
  printf -- '---\nlicense: %s\nlibrary_name: bigdna\ntags:\n- genomics\n- dna\n' "$1"
  printf -- '- %s\n' "${@:2}"
  printf -- '---\n'
}

machine() { lscpu | sed -n 's/^Model name: *//p' | head -1; }
# timed RUN COMMAND...: keeps the minutes that the command took in RUN.minutes.
timed() {
  local run=$1 started=$SECONDS
  shift
  typed "$@"
  [[ -e $run.minutes ]] || echo "$(((SECONDS - started + 30) / 60)) minutes on $(nproc) cores ($(machine)), $(date +%F)" >"$run.minutes"
}

human_genome() {
  mkdir -p "inputs"
  [[ -e inputs/GRCh37.chr20.fa.gz ]] || cp "$data/genomes/GRCh37.chr20.fa.gz" "inputs/"
  chmod u+w "inputs/GRCh37.chr20.fa.gz"
  printf '20\t50000000\t63025520\n' >"inputs/human.test.bed"
  printf '20\t20000000\t22500000\n20\t40000000\t42500000\n' >"inputs/human.validation.bed"
  : >"inputs/human.exclude.bed"
  [[ -z $left_out ]] || printf '20\t2000000\t20000000\n20\t20500000\t50000000\n20\t51000000\t63025520\n' >"inputs/human.exclude.bed"
}

# The first 50 Mb of chromosome X beside chromosome 20. Nothing may read chromosome X behind them: it is kept for checks.
two_chromosomes() {
  human_genome
  [[ -e inputs/GRCh37.chr20_chrX.fa.gz ]] || {
    gzip -dc inputs/GRCh37.chr20.fa.gz "$data/genomes/GRCh37.chrX_1-50000000.fa.gz" | bgzip >inputs/two.partial
    mv inputs/two.partial inputs/GRCh37.chr20_chrX.fa.gz
  }
  cat inputs/human.validation.bed <(sed 's/^20/X/' inputs/human.validation.bed) >inputs/two.validation.bed
  cat inputs/human.exclude.bed <(sed -n 's/^20\t2000000/X\t2000000/p; s/^20\t20500000/X\t20500000/p' inputs/human.exclude.bed) >inputs/two.exclude.bed
}

# human_labels: the 41 peak files and both strands' start sites (EPDnew, lifted from hg38), without chromosome X behind 50 Mb
human_labels() {
  within() { awk '$1 != "chrX" || $3 <= 50000000'; }
  while IFS=$'\t' read -r file _ cell target _; do
    [[ -e $data/chromatin/$file ]] || continue
    mkdir -p "inputs/$(dirname "$file")"
    bgzip -dc "$data/chromatin/$file" | within | gzip -n >"inputs/$file"
    case $target in DNase) group=DHS ;; H[0-9]*) group=HM ;; *) group=TF ;; esac
    source=$(sed -E 's/.*\.(ENCFF[A-Z0-9]+|wgEncode[A-Za-z0-9]+)\..*/\1/; t; s/.*/ENCODE-DREAM/' <<<"$file")
    printf '%s\t%s\t%s\t%s\t%s\n' "$file" "$target" "$cell" "$source" $group
  done < <(sed 1d "$data/chromatin/PEAKS_MANIFEST.tsv") | awk -F'\t' -v few="$left_out" '!few || ++n[$5] <= 2' >"inputs/peaks.rows"
  { printf 'file\tname\tcell\tassay\tgroup\n'; cat "inputs/peaks.rows"; } >"inputs/peaks.tsv"
  bigdna liftover "$data/promoters/EPDnew_human_hg38_29598.bed.gz" --chain "$data/liftover/hg38ToHg19.over.chain.gz" --quiet |
    within >"inputs/EPDnew.hg19.bed"
}

# human_bins FOLDER GENOME VALIDATION EXCLUDE: every bin of it, with these labels
human_bins() {
  typed bigdna dataset chromatin --peaks "inputs/peaks.tsv" --start-sites "inputs/EPDnew.hg19.bed" -g "$2" \
    --test "inputs/human.test.bed" --validation "$3" --exclude "$4" --keep all --upstream 0 --downstream 0 -o "$1" --resume
}

# background NAME: effects of random variants, for variants --model-background
background() {
  [[ -e $1/background.safetensors ]] || {
    printf '##fileformat=VCFv4.2\n##contig=<ID=20>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >inputs/none.vcf
    rm -rf cache
    BIGDNA_CACHE=$PWD/cache typed bigdna variants "$1" inputs/none.vcf -g inputs/GRCh37.chr20.fa.gz --null $background -o inputs/none.tsv
    cp cache/backgrounds/*.safetensors "$1/background.safetensors"
  }
}

human_card() {
  front_matter apache-2.0 chromatin promoter "human (GRCh37 chromosomes 20 and X)"
  cat <<END

# human-chr20-chrX

Predicts $(wc -l <inputs/peaks.rows) chromatin features (transcription factors, DNase, histone marks in GM12878, K562, HMEC, kidney and colon
adenocarcinoma) and start sites of transcription on either strand, for every 200-bp bin of a sequence. It is the sum of k-mers and of the mean of four
convolutional networks that read bases (\`bigdna train\`, preset base).

    bigdna chromatin human-chr20-chrX regions.bed -g hg19.fa -o scores.tsv
    bigdna predict-promoter human-chr20-chrX -g hg19.fa --bed start_sites.bed
    bigdna variants human-chr20-chrX variants.vcf.gz -g hg19.fa -o annotated.vcf.gz

**Training.** Chromosomes 20 and X of GRCh37, 0 to 50 Mb of each (validation: 20 to 22.5 and 40 to 42.5 Mb of both, on which
probabilities are calibrated and the share of k-mers is chosen). \`bigdna train one.bins ${human_options[*]} --no-kmers\` trains
networks on chromosome 20: $(cat one.run.minutes).
\`bigdna train two.bins --from one.run ${two_options[*]}\` continues with both chromosomes and adds k-mers:
$(cat two.run.minutes).
\`pipelines/release_models.sh human-chr20-chrX\` repeats it.

**Data.** Peaks: ENCODE (free use with citation; accessions in features.tsv) and the ENCODE-DREAM challenge; start sites: EPDnew
human v006. Sequence: GRCh37.

**Held-out metrics.** Chromosome 20, 50 to 63 Mb, all bins, both strands averaged; intervals by bootstrap over 1-Mb blocks.
K-mers are a logistic regression on k-mer frequencies of the 13.4 kb that the network reads (the context), or of the bin alone.
They have the same examples and calibration. For start sites they are k-mers of one strand, fitted to both readings. Chance:
a network of this kind that was trained on shuffled labels has a mean AUROC of .49 to .55 (docs/benchmarks.md).

$(metrics_table "human-chr20-chrX")

**Background.** background.safetensors holds the effects (DIFF, LOGIT, SAR) of $background random single-base variants of
chromosome 20, read on both strands: \`bigdna variants human-chr20-chrX variants.vcf.gz -g hg19.fa --model-background\`.

**Not for** clinical use, nor for statements about single variants. On saturation mutagenesis of 29 elements,
predicted effects hardly correlate with measured ones (docs/limitations.md). Its probabilities are too low
on balanced sets, because they hold for a genome, where promoters are rare. It has seen two chromosomes. A model of a whole
genome is better, and \`bigdna train\` makes it.
END
}

# The networks that human-chr20-chrX starts from: chromosome 20 alone
one_chromosome() {
  [[ -e one.run/run.json ]] || {
    human_genome
    human_labels
    human_bins one.bins inputs/GRCh37.chr20.fa.gz inputs/human.validation.bed inputs/human.exclude.bed
    timed one.run bigdna train one.bins "${human_options[@]}" --no-kmers --no-baseline -o one.run --resume
  }
}

human-chr20-chrX() {
  begin "human-chr20-chrX: networks of one chromosome"
  one_chromosome
  begin "human-chr20-chrX: dataset"
  two_chromosomes
  human_labels
  human_bins two.bins inputs/GRCh37.chr20_chrX.fa.gz inputs/two.validation.bed inputs/two.exclude.bed
  begin "human-chr20-chrX: training and evaluation"
  timed two.run bigdna train two.bins --from one.run "${two_options[@]}" --no-baseline -o two.run --resume
  released two.run human-chr20-chrX
  background human-chr20-chrX
  evaluated human-chr20-chrX two.bins
  begin "human-chr20-chrX: the folder"
  human_card | release human-chr20-chrX
}

yeast() {
  begin "yeast: dataset"
  mkdir -p "inputs"
  bgzip -dc "$data/genomes/sacCer3.fa.gz" | bgzip >"inputs/sacCer3.fa.gz"
  zcat "$data/promoters/sacCer3_polII_transcripts_adjustedTSS.bed.gz" >"inputs/yeast.transcripts.bed"
  : >"inputs/yeast.exclude.bed"
  [[ -z $left_out ]] || awk -v OFS='\t' '$1 != "chrM" {print $1, 100000, 2000000}' <(bigdna_contigs "inputs/sacCer3.fa.gz") >"inputs/yeast.exclude.bed"
  typed bigdna dataset chromatin --start-sites "inputs/yeast.transcripts.bed" -g "inputs/sacCer3.fa.gz" --test chrIV,chrXI --validation chrXV \
    --exclude "inputs/yeast.exclude.bed" --keep all --upstream 0 --downstream 0 -o yeast.bins --resume
  begin "yeast: training and evaluation"
  timed yeast.run bigdna train yeast.bins "${yeast_options[@]}" --no-baseline -o yeast.run --resume
  released yeast.run yeast
  evaluated yeast yeast.bins
  begin "yeast: the folder"
  {
    front_matter gpl-3.0 promoter "yeast (sacCer3)"
    cat <<END

# yeast

Predicts where transcripts of RNA polymerase II start, on either strand, for every 200-bp bin of a sequence of Saccharomyces
cerevisiae. It is the mean of four convolutional networks that read bases (\`bigdna train\`, preset small).

    bigdna predict-promoter yeast -g sacCer3.fa --bed start_sites.bed
    bigdna chromatin yeast regions.bed -g sacCer3.fa --tile 200 -o scores.tsv

**Training.** sacCer3 without chromosomes IV and XI (test) and XV (validation), no pretraining: \`bigdna train
yeast.bins ${yeast_options[*]}\`; training took $(cat yeast.run.minutes).
\`pipelines/release_models.sh yeast\` repeats it.

**Data.** Measured start sites: Scer_polIItranscripts-adjustedTSS.bed of winston-lab/genomefiles-cerevisiae, whose licence
(GPL-3) these weights carry.

**Held-out metrics.** Chromosomes IV and XI, all bins, both strands averaged; intervals by bootstrap over blocks. K-mers
are a logistic regression on k-mer frequencies of the 13.4 kb that the network reads (the context), or of the bin alone. They have
the same examples and calibration, and are k-mers of one strand, fitted to both readings.

$(metrics_table yeast)

**Not for** other species.
END
  } | release yeast
}

human-chr20-encoder() {
  begin "human-chr20-encoder: pretraining"
  human_genome
  cat "inputs/human.exclude.bed" "inputs/human.test.bed" >"inputs/human.held_out.bed"
  timed encoder.run bigdna pretrain "inputs/GRCh37.chr20.fa.gz" "${encoder_options[@]}" --hold-out "inputs/human.held_out.bed" -o encoder.run --resume
  released encoder.run human-chr20-encoder
  begin "human-chr20-encoder: the folder"
  {
    front_matter apache-2.0 masked-language-modelling "human (GRCh37 chromosome 20)"
    cat <<END

# human-chr20-encoder

A BPE vocabulary and an encoder (ModernBERT's architecture with BigBird's attention, preset mini), pretrained by masked
language modelling as in section 5 of the BigBird paper, for \`bigdna embed\`, \`bigdna finetune\` and
\`bigdna variants\` (DIST).

    bigdna embed human-chr20-encoder sequences.fa -o embeddings.npy
    bigdna finetune human-chr20-encoder dataset -o run

**Training.** Chromosome 20 of GRCh37, 0 to 50 Mb: \`bigdna pretrain GRCh37.chr20.fa.gz ${encoder_options[*]}\`, which took
$(cat encoder.run.minutes).
\`pipelines/release_models.sh human-chr20-encoder\` repeats it.

**Data.** Sequence: chromosome 20 of GRCh37 (Genome Reference Consortium; no restrictions on its use), as Debian's package
vt-examples has it.

**Held-out metrics.** Bits per base of masked tokens, chromosome 20, 50 to 63 Mb (uniform bases: 2):

$(tail -1 encoder.run/metrics.jsonl | tr -d '{}"' | tr ',' '\n' | awk -F: '
  BEGIN {name["held_out_bpc"] = "the encoder"; name["held_out_bpc_shuffled"] = "the same with its context shuffled (chance)"
         name["unigram_bpc"] = "unigrams"; name["two_sided_bigram_bpc"] = "two-sided bigrams"; name["two_sided_trigram_bpc"] = "two-sided trigrams"
         print "| model | bits |\n| --- | --- |"}
  {gsub(/ /, "", $1)} $1 in name {printf "| %s | %.4f |\n", name[$1], $2}')

**Not for** conclusions about what pretraining brings. On chromatin labels an encoder of this size is worth no more than a
random one, and \`bigdna train\` makes better models from labels alone (docs/benchmarks.md).
END
  } | release human-chr20-encoder
}

bigdna_contigs() { bgzip -dc "$1" | sed -n 's/^>\([^ ]*\).*/\1/p'; }

for model in "${models[@]}"; do
  case $model in
    human-chr20-chrX | yeast | human-chr20-encoder) "$model" ;;
    *) usage_error "unknown model $model (human-chr20-chrX, yeast, human-chr20-encoder)" ;;
  esac
done
