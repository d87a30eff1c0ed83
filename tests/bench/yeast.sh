#!/usr/bin/env bash
# Real input, another organism: yeast (sacCer3) with the preset tiny. Held-out bits per base at 512 and at 4096 tokens after
# the same number of training tokens, beside the baselines at the same masked positions; then promoters (measured
# start sites) and a panel derived from the transcripts, predicted on real intervals; throughput and peak memory of each.
#   tests/bench/yeast.sh [OUT]      about 5 minutes on 2 cores; needs $BIGDNA_DATA (default ../shared/data)
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
data=${BIGDNA_DATA:-$root/../shared/data} out=${1:-bench_yeast}
PATH=${BIGDNA_BIN:-$root/build/bin}:$PATH
tokens=${TOKENS:-2000000}
genome=$data/genomes/sacCer3.fa.gz transcripts=$data/promoters/sacCer3_polII_transcripts_adjustedTSS.bed.gz
mkdir "$out"
timed() { /usr/bin/time -f "   %e s, %M KiB peak: $*" "$@"; }

cp "$genome" "$out/sacCer3.fa.gz"
genome=$out/sacCer3.fa.gz
for length in 512 4096; do  # the same seed: the same vocabulary and corpus
  timed bigdna pretrain "$genome" --preset tiny --architecture bigbird --vocab-size 4096 --hold-out chrIV --max-length $length --batch $((8192 / length)) \
    --steps $((tokens / 8192)) --passes 2 --evaluate-every 0 --quiet -o "$out/pretrain_$length"
done
echo "context   held-out evaluation after $tokens training tokens"
for length in 512 4096; do echo "$length   $(grep held_out_bpc "$out/pretrain_$length/metrics.jsonl" | tail -1)"; done

# Yeast is dense: a start site each 1.9 kb. So short intervals, negatives 300 bp away from every start site.
zcat "$transcripts" | awk -v OFS='\t' '{tss = $6 == "-" ? $3 - 1 : $2; print $1, tss, tss + 1, $4, 0, $6}' | sort -k1,1 -k2,2n >"$out/tss.bed"
timed bigdna dataset promoter --promoters "$out/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 300 \
  --split-like "$out/pretrain_512/model" -o "$out/promoter_dataset"
timed bigdna finetune "$out/pretrain_512/model" "$out/promoter_dataset" --epochs 3 -o "$out/promoter"
zcat "$out/promoter_dataset/regions.bed.gz" | awk -F'\t' '!/^#/ && $7 == "test"' | cut -f1-6 >"$out/test.bed"
timed bigdna predict-promoter "$out/promoter/model" -R "$out/test.bed" -g "$genome" -o "$out/promoters.tsv"

# A panel derived from the transcripts (there are no peaks of yeast here): body, promoter, end, and divergent promoters.
mkdir -p "$out/panel"
zcat "$transcripts" | cut -f1-3 >"$out/panel/transcript.bed"
zcat "$transcripts" | awk -v OFS='\t' '{a = $6 == "-" ? $3 : $2 - 400; if (a < 0) a = 0; print $1, a, a + 400}' >"$out/panel/promoter.bed"
zcat "$transcripts" | awk -v OFS='\t' '{a = ($6 == "-" ? $2 : $3) - 150; if (a < 0) a = 0; print $1, a, a + 300}' >"$out/panel/transcript_end.bed"
zcat "$transcripts" | awk -v OFS='\t' '$6 == "+" {print $1, $2, $3}' >"$out/panel/plus_strand.bed"
{
  printf 'file\tname\tgroup\n'
  for name in transcript promoter transcript_end plus_strand; do printf 'panel/%s.bed\t%s\tother\n' $name $name; done
} >"$out/panel.tsv"
timed bigdna dataset chromatin --peaks "$out/panel.tsv" -g "$genome" --max-bins 4000 --split-like "$out/pretrain_512/model" --upstream 900 --downstream 900 -o "$out/chromatin_dataset"
timed bigdna finetune "$out/pretrain_512/model" "$out/chromatin_dataset" --epochs 2 -o "$out/chromatin"
zcat "$out/chromatin_dataset/regions.bed.gz" | awk -F'\t' '!/^#/ && $7 == "test"' | cut -f1-3 >"$out/bins.bed"
timed bigdna chromatin "$out/chromatin/model" "$out/bins.bed" -g "$genome" -o "$out/chromatin.tsv"
