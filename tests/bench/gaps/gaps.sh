#!/usr/bin/env bash
# Bits per base of middles given both flanks: a causal model of pretrain --gaps, beside the left flank alone, the flanks of other middles, and
# counts. usage: gaps.sh GENOME CONTIG FIRST LAST OUT [OPTION...] (a FASTA with an index; [FIRST, LAST) of CONTIG is held out; options of
# pretrain, such as --bidirectional-flanks). STEPS (1000) of training, SIZE (512) of the vocabulary, LENGTH (128) in tokens.
# OTHER: middles.tsv of another run, whose model is compared as well.
set -euo pipefail
genome=$1 contig=$2 first=$3 last=$4 out=$5
shift 5
here=$(dirname "$(readlink -f "$0")")
bigdna=${BIGDNA:-bigdna}
mkdir -p "$out"
printf '%s\t%s\t%s\n' "$contig" "$first" "$last" >"$out/held_out.bed"
printf '%s\t0\t%s\n' "$contig" "$first" >"$out/training.bed"
[ -e "$out/vocabulary" ] || "$bigdna" vocab "$genome" -R "$out/training.bed" --size "${SIZE:-512}" -o "$out/vocabulary" --quiet
[ -e "$out/corpus" ] || "$bigdna" corpus "$genome" --vocab "$out/vocabulary" --passes 1 --hold-out "$out/held_out.bed" -o "$out/corpus" --quiet
"$bigdna" pretrain "$out/corpus" --objective next --gaps 0.5 --preset tiny --pattern full --max-length "${LENGTH:-128}" --batch 16 --steps "${STEPS:-1000}" \
  --precision fp32 --evaluate-every 0 --evaluation-tokens 30000 "$@" -o "$out/run" --resume ${THREADS:+-@ "$THREADS"}
"${PYTHON:-python3}" "$here/middles.py" draw "$genome" "$contig" "$first" "$last" "${MIDDLES:-1200}" >"$out/middles.bed"
samtools faidx "$genome" "$contig" >"$out/contig.fa"
"$bigdna" fill "$out/run" "$out/contig.fa" -R "$out/middles.bed" --table "$out/middles.tsv" --precision fp32 -o /dev/null ${THREADS:+-@ "$THREADS"}
"${PYTHON:-python3}" "$here/middles.py" compare "$out/contig.fa" "$first" "$out/middles.tsv" ${OTHER:+"$OTHER"}
