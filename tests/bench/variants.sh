#!/usr/bin/env bash
# `bigdna variants`: equality with predictions on edited sequences, measured effects of HNF4A's promoter, speed beside
# transformers, memory. docs/benchmarks/chromatin-and-variants-speed_zen4_2026-11-21.md.
#   tests/bench/variants.sh [FOLDER] [equality] [effects] [speed] [memory]     (default: all four)
# equality  PROMOTER, a model of 300 bp: 2109 records of 1000 Genomes (all 1320 that are no single bases), and 300 random ones
#           of which half are in the first or last kilobase of yeast's chromosomes, many with several ALTs or next to each other
# effects   ENCODER, a pretrained model: fine-tuned to 41 features of human chr20 without 40-45 Mb, where HNF4A is (also to
#           shuffled labels), beside its k-mers and deepsea_cnn.py; Spearman correlations with saturation mutagenesis
# speed     base size, 8000 bp, 919 features: BASE_VARIANTS (4); preset tiny, promoters of 8000 bp: TINY_VARIANTS (24); random
#           weights; bigdna (whole runs) and transformers (predictions alone), 1 and 2 threads, in CPU seconds
# memory    preset tiny cut to 200 bp: 1000, 4000 and 16 000 variants, 0 and 2504 samples
# Needs $BIGDNA_DATA (default ../shared/data), samtools and the peers' Python (tests/peers/setup.sh).
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
data=$(readlink -f "${BIGDNA_DATA:-$root/../shared/data}")
here=$root/tests/bench/variants python=$("$root/cmake/setup.sh" --print)/peers/bin/python
folder=${1:-variants_bench}
shift || true
what=${*:-equality effects speed memory}
export PATH=$root/build/bin:$PATH
export GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-10000}
mkdir -p "$folder"
cd "$folder"
human=$data/genomes/GRCh37.chr20.fa.gz thousand=$data/variants/1000G_b37_chr20_1-4Mb_300hap.reference.vcf.gz

edited() { "$python" "$root/tests/cli/edited_fasta.py" "$@"; }
doing() { [[ " $what " == *" $1 "* ]]; }
measured() {  # NAME COMMAND...: CPU seconds and peak memory
  "$python" - "$@" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{sys.argv[1]}\t{used.ru_utime + used.ru_stime:.1f} CPU s\t{used.ru_maxrss / 1024:.0f} MB", flush=True)
END
}

if doing equality; then
  promoter=${PROMOTER:?a promoter model that reads 300 bp}
  bcftools view -V snps "$thousand" | bcftools annotate -x INFO,FORMAT 2>/dev/null | cut -f1-8 >human.vcf
  bcftools view -H -v snps "$thousand" | cut -f1-8 | awk 'NR % 30 == 0' >>human.vcf
  edited random "$data/genomes/sacCer3.fa.gz" 1 300 >yeast.vcf
  for what_of in human yeast; do
    genome=$human
    [[ $what_of == human ]] || genome=$data/genomes/sacCer3.fa.gz
    edited promoter "$genome" $what_of.vcf 300 75 $what_of
    bigdna predict-promoter "$promoter" $what_of.fa --precision fp32 --parts --quiet -@ 1 -o $what_of.scores.tsv
    bigdna variants "$promoter" $what_of.vcf -g "$genome" --quiet -@ 1 -o $what_of.tsv
    echo "$what_of: $(edited compare $what_of.tsv $what_of.scores.tsv)"
  done
fi

if doing effects; then
  encoder=${ENCODER:?a pretrained model}
  while IFS=$'\t' read -r file _ cell target _; do
    [[ -e $data/chromatin/$file ]] && printf '%s\t%s\t%s\t%s\n' "$data/chromatin/$file" "$target" "$cell" \
      "$(case $target in DNase) echo DHS ;; H[0-9]*) echo HM ;; *) echo TF ;; esac)"
  done < <(sed 1d "$data/chromatin/PEAKS_MANIFEST.tsv") |
    awk -F'\t' -v OFS='\t' 'BEGIN {print "file", "name", "cell", "assay", "group"} {print $1, $2, $3, "file" NR, $4}' >peaks.tsv
  printf '20\t40000000\t45000000\n' >test.bed
  bigdna dataset chromatin --peaks peaks.tsv -g "$human" --test test.bed --max-bins 12000 --upstream 400 --downstream 400 -o bins --resume --quiet
  [[ -e shuffled ]] || "$python" "$here/shuffle_labels.py" bins shuffled
  "$python" "$here/mpra_vcf.py" "$data/variants/MPRA_satmut_kircher2019_GRCh37_GRCh38.elements.tsv.gz" HNF4A GRCh37 "$human" >hnf4a.vcf
  edited chromatin "$human" hnf4a.vcf 400 hnf4a
  train() { bigdna finetune "$encoder" "$1" --reverse-complement --precision fp32 -@ 1 -o "$1.run" --resume --quiet "${@:2}" >/dev/null; }
  train bins --epochs 4
  train shuffled --steps 60 --no-baseline
  for labels in bins shuffled; do
    bigdna variants $labels.run hnf4a.vcf -g "$human" --strands average -@ 1 --quiet -o $labels.tsv
    bigdna chromatin $labels.run hnf4a.bed -g hnf4a.fa --strands average --parts --precision fp32 -@ 1 --quiet -o $labels.parts.tsv
  done
  [[ -e cnn.tsv ]] || OMP_NUM_THREADS=1 "$python" "$root/tests/peers/deepsea_cnn.py" bins --width "${WIDTH:-0.125}" --batch 32 --epochs "${EPOCHS:-6}" \
    --score hnf4a.fa cnn.tsv >cnn.out
  grep -P '^all\t(bigdna|kmers|encoder)\t' bins.run/metrics.tsv
  grep -P '^all\t' cnn.out
  OMP_NUM_THREADS=1 "$python" "$here/correlate.py" hnf4a.vcf bigdna=bins.tsv encoder=bins.parts.tsv:encoder kmers=bins.parts.tsv:kmers cnn=cnn.tsv \
    bigdna_shuffled=shuffled.tsv encoder_shuffled=shuffled.parts.tsv:encoder kmers_shuffled=shuffled.parts.tsv:kmers
fi

if doing speed; then
  [[ -e vocabulary/vocabulary.json ]] || bigdna vocab "$human" --vocab-size 32000 -o vocabulary --resume --quiet
  head=(--no-baseline --pool cls --head classification --steps 1 --batch 1 --quiet)  # what transformers has too
  if [[ ! -e base/run.json ]]; then
    { printf 'file\tname\tcell\tgroup\n'
      for i in $(seq 919); do printf '%s\tf%s\tcell\tTF\n' "$root/test-data/tf.narrowPeak" "$i"; done; } >919.tsv
    bigdna dataset chromatin --peaks 919.tsv -g "$root/test-data/genome.fa.gz" --max-bins 100 --negatives 1 --test 0 --validation 0 -o wide --resume --quiet
    bigdna pretrain "$root/test-data/genome.fa.gz" --preset base --vocab vocabulary --steps 1 --batch 1 --evaluation-tokens 1000 --hold-out none -o base_encoder --resume --quiet
    bigdna finetune base_encoder wide "${head[@]}" -o base >/dev/null
  fi
  if [[ ! -e tiny/run.json ]]; then
    bigdna dataset promoter --promoters "$root/test-data/tss.bed" -g "$root/test-data/genome.fa.gz" --test 0 --validation 0 -o starts --resume --quiet
    bigdna pretrain "$human" --preset tiny --architecture bigbird --max-length 2048 --steps 1 --batch 1 --evaluation-tokens 1000 --hold-out none -o tiny_encoder --resume --quiet
    bigdna finetune tiny_encoder starts "${head[@]}" -o tiny >/dev/null
  fi
  sed -i 's/"random_blocks": *"uniform"/"random_blocks": "huggingface"/' base/model/config.json tiny/model/config.json  # as transformers evaluates
  sites() { bcftools view -H -v snps "$thousand" | cut -f1-5 | awk -v n="$1" 'NR % 1000 == 1 && n-- > 0 {print $0 "\t.\t.\t."}'; }
  for size in base tiny; do
    variants=${BASE_VARIANTS:-4}
    [[ $size == base ]] || variants=${TINY_VARIANTS:-24}
    { printf '##fileformat=VCFv4.2\n##contig=<ID=20>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'; sites "$variants"; } >$size.vcf
    if [[ $size == base ]]; then edited chromatin "$human" $size.vcf 3900 $size; else edited promoter "$human" $size.vcf 8000 2000 $size; fi
    for threads in 1 2; do
      measured "$size, $variants variants, bigdna, $threads threads" bigdna variants $size $size.vcf -g "$human" -o $size.tsv -@ $threads --quiet
      OMP_NUM_THREADS=$threads "$python" "$here/transformers_peer.py" $size/model $size.fa $size.tsv $threads
    done
  done
fi

if doing memory; then
  if [[ ! -e short/run.json ]]; then
    bigdna dataset chromatin --peaks "$root/test-data/peaks.tsv" -g "$root/test-data/genome.fa.gz" --upstream 0 --downstream 0 --keep any --negatives 1 --test 0 \
      --validation 0 -o short_bins --resume --quiet
    bigdna pretrain "$root/test-data/genome.fa.gz" --preset tiny --architecture bigbird --max-length 128 --vocab-size 500 --steps 1 --batch 2 --hold-out none -o short_encoder --resume --quiet
    bigdna finetune short_encoder short_bins --steps 1 --no-baseline --quiet -o short >/dev/null
  fi
  for samples in 0 2504; do
    for variants in 1000 4000 16000; do
      ((samples == 0 || variants < 16000)) || continue  # 50 MB are enough
      "$python" - "$thousand" "$variants" "$samples" >many.vcf <<'END'
import gzip, sys
path, variants, samples = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rows = [line.split("\t")[:5] for line in gzip.open(path, "rt") if line[0] != "#"]
print('##fileformat=VCFv4.2\n##contig=<ID=20>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">')
names = [f"s{i}" for i in range(samples)]
print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", *(["FORMAT", *names] if samples else []), sep="\t")
genotypes = "\tGT" + "\t0|1" * samples if samples else ""
for i in range(variants):
    print(*rows[i % len(rows)], ".", ".", ".", sep="\t", end=genotypes + "\n")
END
      measured "$variants variants, $samples samples" bigdna variants short many.vcf -g "$human" -o many.out.vcf.gz -@ 1 --quiet
      rm -f many.vcf many.out.vcf.gz
    done
  done
fi
