#!/usr/bin/env bash
# Identity with SentencePiece 0.2.1 and with transformers at full scale: about 2 hours of one core; its parts can be chosen.
#   identity.sh [PART...]     training, ids, peers; default all
# training  the pieces and their order, bigdna compared with spm's trainer; where they differ, bigdna compared with a textbook's (reference.cpp)
#           (a count of "end": bigdna ends there, because no pair occurs twice) GENOMES="human yeast" TRAIN="1:512 ... 12:32000" (Mbp:pieces) SEEDS="1 2 3" (at 1 Mbp: other sequence)
# ids       bigdna compared with SentencePiece's C++ library: RANDOM_STRINGS=100000 strings over ACGTN, pure repeats, all N, single bases, all real sequence (101 Mbp, N
#           included), for a vocabulary that knows N and one that does not
# peers     bigdna compared with the sentencepiece wheel and transformers' AutoTokenizer with [CLS] and [SEP]: all real sequence (BASES=N: so much of each genome)
source "$(dirname "$0")/common.sh"
parts=" ${*:-training ids peers} "
genome_of() { [[ $1 == human ]] && echo GRCh37.chr20 || echo sacCer3; }
# the number of the first line that differs
first_difference() { paste "$1" "$2" | awk -F'\t' '$1 != $2 && !n { n = NR } END { print n ? n : "none" }'; }
failed=0

if [[ $parts == *" training "* ]]; then
  g++ -O2 -std=c++20 "$here/reference.cpp" -o "$work/reference"
  for genome in ${GENOMES:-human yeast}; do sentences_of "$(genome_of "$genome")" >"$work/$genome.txt"; done
  printf '#genome\tmbp\tpieces\tseed\tmerges\tfirst that differs from spm\tof spm, not ours\tcount there\tdiffer from the reference\n'
  for genome in ${GENOMES:-human yeast}; do
    for job in ${TRAIN:-1:512 1:4096 1:32000 4:512 4:4096 4:32000 12:512 12:4096 12:32000}; do
      mbp=${job%:*} size=${job#*:} lines=$((${job%:*} * 1000000 / 750))
      for seed in $([[ $mbp == 1 ]] && echo "${SEEDS:-1 2 3}" || echo 1); do
        text=$work/identity.txt
        awk -v from=$(((seed - 1) * 5000)) -v lines="$lines" 'NR > from + lines { exit } NR > from' "$work/$genome.txt" >"$text"
        "$bigdna" vocab "$text" -o "$work/i" --force --size "$size" --quiet 2>"$work/log"
        "$bigdna" vocab "$text" -o "$work/s" --force --size "$size" --quiet --trainer sentencepiece
        for who in i s; do tail -n +6 "$work/$who/dna.vocab" | awk -F'\t' 'length($1) > 1 { print $1 }' >"$work/$who.pieces"; done
        merges=$(wc -l <"$work/i.pieces") first=$(first_difference "$work/i.pieces" "$work/s.pieces")
        missing=0 count=- reference=-
        if [[ $first != none ]]; then
          missing=$(comm -23 <(sort "$work/s.pieces") <(sort "$work/i.pieces") | wc -l)
          "$work/reference" "$text" $((size - 5 - $(tail -n +6 "$work/i/dna.vocab" | awk -F'\t' 'length($1) == 1' | wc -l))) >"$work/reference.tsv"
          count=$(sed -n "${first}p" "$work/reference.tsv" | cut -f2)
          reference=$(paste "$work/i.pieces" <(cut -f1 "$work/reference.tsv") | awk -F'\t' '$1 != $2 { ++n } END { print n + 0 }')
          [[ $reference == 0 ]] || failed=1
        fi
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$genome" "$mbp" "$size" "$seed" "$merges" "$first" "$missing" "${count:-end}" "$reference"
      done
    done
  done
fi

if [[ $parts == *" ids "* ]]; then
  for g in "${genomes[@]}"; do contigs_of "$g"; done >"$work/contigs.txt"
  "$bigdna" vocab "$data/genomes/GRCh37.chr20.fa.gz" -o "$work/v20" --force --quiet
  "$bigdna" vocab "$data/genomes/sacCer3.fa.gz" -o "$work/yeast4096" --force --quiet --size 4096
  compile_with_tokenizer "$here/ids.cpp" "$work/ids"
  for v in v20 yeast4096; do
    echo "#vocabulary $v"
    "$work/ids" "$work/$v/dna.model" "$work/contigs.txt" "${RANDOM_STRINGS:-100000}" || failed=1
  done
fi

[[ $parts != *" peers "* ]] || BIGDNA=$bigdna BIGDNA_SOURCE_DIR=$root BIGDNA_DATA=$data BIGDNA_PEER_BASES=${BASES:-0} \
  RAYON_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false "$peers" "$root/tests/peers/tokenizer_test.py" || failed=1
exit $failed
