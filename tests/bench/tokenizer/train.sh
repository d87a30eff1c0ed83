#!/usr/bin/env bash
# Vocabulary training: time and memory of bigdna vocab beside spm_train, tokenizers and YouTokenToMe (where it is installed: tests/peers/setup.sh --bench)
# on the same sentences; then ratios to the peers' CPU seconds, memory per base and the growth exponent.
#   train.sh [MBP...]     default 1 4 12 36 97 400; above 97 the text is simulated (order 12, seed 1); 3100 is a whole human genome
# SIZE=32000 REPEATS=3 THREADS=2; peers run once, each up to MAX_SPM=36, MAX_TOKENIZERS=97, MAX_YTTM=97 Mbp. spm_train takes 10 minutes for 12 Mbp and
# 20 for 36: SPM_ROWS=FILE holds rows of an earlier run, taken in its place.
source "$(dirname "$0")/common.sh"
real_text
size=${SIZE:-32000} threads=${THREADS:-2} repeats=${REPEATS:-3}
rows=$work/train.tsv
: >"$rows"
simulated() {
  [[ -s $work/sim$1.fa ]] && return
  g++ -O2 -std=c++20 -o "$work/simulate" "$here/simulate.cpp"
  local sources=()
  for g in "${genomes[@]}"; do
    sources+=("$work/$g.fa")
    [[ -s $work/$g.fa ]] || zcat "$data/genomes/$g.fa.gz" >"$work/$g.fa"
  done
  "$work/simulate" "$work/sim$1.fa.partial" "$1"000000 12 1 "${sources[@]}" && mv "$work/sim$1.fa.partial" "$work/sim$1.fa"
}
# row TOOL MBP CMD...: timed, kept for the summary
row() {
  local name="$1	$2"; shift 2
  timed "$name" "$@" | tee -a "$rows"
}
printf '#tool\tMbp\twall_s\tcpu_s\tpeak_MB\n'
for mbp in "${@:-1 4 12 36 97 400}"; do for mbp in $mbp; do
  text=$work/$mbp.txt
  if ((mbp > 97)); then
    simulated "$mbp"
    for i in $(seq "$((mbp > 1000 ? 1 : repeats))"); do
      row "bigdna, $threads threads" "$mbp" "$bigdna" vocab "$work/sim$mbp.fa" -o "$work/v" --force --size "$size" --every-base -@"$threads"
    done
    continue
  fi
  first_mbp "$mbp" "$text"
  for i in $(seq "$repeats"); do
    row "bigdna, $threads threads" "$mbp" "$bigdna" vocab "$text" -o "$work/v" --force --size "$size" -@"$threads"
    row "bigdna, 1 thread" "$mbp" "$bigdna" vocab "$text" -o "$work/v1" --force --size "$size" -@1
  done
  if ((mbp <= ${MAX_SPM:-36})); then
    if ! grep -sP "^spm_train\t$mbp\t" "${SPM_ROWS:-/dev/null}" | tee -a "$rows"; then
      row spm_train "$mbp" "$spm/bin/spm_train" --input="$text" --model_prefix="$work/spm$mbp" --model_type=bpe \
        --vocab_size="$size" --character_coverage=1 --normalization_rule_name=identity --add_dummy_prefix=false --max_sentence_length=10000 \
        --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3 --pad_piece='[PAD]' --unk_piece='[UNK]' --bos_piece='[CLS]' --eos_piece='[SEP]' --control_symbols='[MASK]'
      printf '#  merges, and the first that differs from spm_train: %s\n' \
        "$(paste <(cut -f1 "$work/v/dna.vocab") <(cut -f1 "$work/spm$mbp.vocab") | awk '$1 != $2 && !n { n = NR - 5 } END { print NR - 5, n ? n : "none" }')"
    fi
  fi
  ((mbp > ${MAX_TOKENIZERS:-97})) || row tokenizers "$mbp" "$peers" -c "
from tokenizers import Tokenizer, models, trainers
t = Tokenizer(models.BPE(unk_token='[UNK]'))
t.train(['$text'], trainers.BpeTrainer(vocab_size=$size, max_token_length=16, show_progress=False, special_tokens=['[PAD]','[UNK]','[CLS]','[SEP]','[MASK]']))"
  if ((mbp <= ${MAX_YTTM:-97})) && "$peers" -c 'import youtokentome' 2>"$work/log"; then
    row YouTokenToMe "$mbp" "$peers" -c "
import youtokentome
youtokentome.BPE.train(data='$text', model='$work/yttm.model', vocab_size=$size, n_threads=$threads)"
  fi
done; done

# The median of the runs of each tool and size; CPU seconds of a peer over bigdna's on one thread, wall seconds of a peer over bigdna's on all threads.
sort -t$'\t' -k1,1 -k2,2n -k4,4n "$rows" | awk -F'\t' -v all="bigdna, $threads threads" '
  $3 !~ /^failed/ { k = $1 FS $2; ++n[k]; wall[k, n[k]] = $3; cpu[k, n[k]] = $4; peak[k] = $5 > peak[k] ? $5 : peak[k]; tool[$1]; size[$2] }
  function median(a, k,   i, j, m, t, v) {
    m = n[k]; for (i = 1; i <= m; ++i) v[i] = a[k, i]
    for (i = 2; i <= m; ++i) for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
    return v[int((m + 1) / 2)]
  }
  END {
    print "#Mbp\ttool\tcpu_s\tover ours, 1 thread\twall_s\tover ours, all threads\tbytes of peak a base"
    for (s in size) for (t in tool) {
      k = t FS s; if (!n[k]) continue
      one = "bigdna, 1 thread" FS s; if (!n[one]) one = all FS s
      printf "%s\t%s\t%.2f\t%.1f\t%.2f\t%.1f\t%.2f\n", s, t, median(cpu, k), median(cpu, k) / median(cpu, one), median(wall, k), median(wall, k) / median(wall, all FS s), peak[k] * 1.048576 / s | "sort -n"
      if (t == all && s + 0 >= 12) { if (!low || s + 0 < low + 0) low = s; if (s + 0 > high + 0) high = s }
    }
    close("sort -n")
    if (high + 0 > low + 0) printf "#growth exponent of ours, %s to %s Mbp: CPU %.3f, wall %.3f\n", low, high, log(median(cpu, all FS high) / median(cpu, all FS low)) / log(high / low), log(median(wall, all FS high) / median(wall, all FS low)) / log(high / low)
  }'
