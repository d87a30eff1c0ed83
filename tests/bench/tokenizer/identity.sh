#!/usr/bin/env bash
# Identity with SentencePiece 0.2.1 at full scale. Hours for the large trainings: choose with TRAIN and BASES.
#   identity.sh
# TRAIN="1:512 1:4096 4:4096 12:32000" (Mbp:pieces); SEEDS="1 2 3" offsets at 1 Mbp; BASES=0 (all real sequence for the ids)
source "$(dirname "$0")/common.sh"
real_text
printf '#mbp\tpieces\toffset\tfirst_that_differs\tthat_differ\n'
for job in ${TRAIN:-1:512 1:4096 4:4096 12:32000}; do
  mbp=${job%:*} size=${job#*:}
  for seed in $([[ $mbp == 1 ]] && echo "${SEEDS:-1 2 3}" || echo 1); do
    tail -n +$((1 + (seed - 1) * 20000)) "$work/real.txt" | head -n $((mbp * 1000000 / 750)) >"$work/i.txt"
    "$bigdna" vocab "$work/i.txt" -o "$work/i" --force --size "$size" --quiet
    "$bigdna" vocab "$work/i.txt" -o "$work/s" --force --size "$size" --quiet --trainer sentencepiece
    paste <(cut -f1 "$work/i/dna.vocab") <(cut -f1 "$work/s/dna.vocab") |
      awk -v OFS='\t' -v m="$mbp" -v z="$size" -v s="$seed" '$1 != $2 { ++n; if (!f) f = NR - 5 } END { print m, z, s, f ? f : "none", n + 0 }'
  done
done
BIGDNA=$bigdna BIGDNA_SOURCE_DIR=$root BIGDNA_DATA=$data BIGDNA_PEER_BASES=${BASES:-0} "$peers" "$root/tests/peers/tokenizer_test.py"
