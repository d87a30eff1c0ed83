#!/usr/bin/env bash
# Vocabulary training: time and memory of bigdna vocab beside spm_train, tokenizers and YouTokenToMe (where it is
# installed in the peer environment), on the same sentences.
#   train.sh [MBP...]     default 1 4 12 36 97 (real); above 97 the text is simulated (order 12, seed 1)
# SIZE=32000 REPEATS=3; peers run once, each up to MAX_SPM=36, MAX_TOKENIZERS=97, MAX_YTTM=97 Mbp.
source "$(dirname "$0")/common.sh"
real_text
size=${SIZE:-32000}
simulated() {
  [[ -s $work/sim$1.fa ]] && return
  g++ -O2 -std=c++20 -o "$work/simulate" "$here/simulate.cpp"
  for g in GRCh37.chr20 dm3.chr2R.softmasked sacCer3 Ecoli_K12_MG1655; do
    [[ -s $work/$g.fa ]] || zcat "$data/genomes/$g.fa.gz" >"$work/$g.fa"
  done
  "$work/simulate" "$work/sim$1.fa" "$1"000000 12 1 "$work"/{GRCh37.chr20,dm3.chr2R.softmasked,sacCer3,Ecoli_K12_MG1655}.fa
}
printf '#tool\twall_s\tcpu_s\tpeak_MB\n'
for mbp in "${@:-1 4 12 36 97}"; do for mbp in $mbp; do
  if ((mbp > 97)); then
    simulated "$mbp"
    timed "bigdna $mbp Mbp simulated" "$bigdna" vocab "$work/sim$mbp.fa" -o "$work/v" --force --size "$size" --every-base
    continue
  fi
  text=$work/$mbp.txt
  first_mbp "$mbp" "$text"
  for i in $(seq "${REPEATS:-3}"); do timed "bigdna $mbp Mbp" "$bigdna" vocab "$text" -o "$work/v" --force --size "$size"; done
  timed "bigdna $mbp Mbp, 1 thread" "$bigdna" vocab "$text" -o "$work/v1" --force --size "$size" -@1
  ((mbp > ${MAX_SPM:-36})) || timed "spm_train $mbp Mbp" "$spm/bin/spm_train" --input="$text" --model_prefix="$work/spm" --model_type=bpe \
    --vocab_size="$size" --character_coverage=1 --normalization_rule_name=identity --add_dummy_prefix=false --max_sentence_length=10000 \
    --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3 --pad_piece='[PAD]' --unk_piece='[UNK]' --bos_piece='[CLS]' --eos_piece='[SEP]' --control_symbols='[MASK]'
  ((mbp > ${MAX_SPM:-36})) || printf '#pieces that differ from spm_train, in order, the first at merge: %s\n' \
    "$(diff --unchanged-line-format= --old-line-format='%dn ' --new-line-format= "$work/v/dna.vocab" "$work/spm.vocab" | awk '{ print NF, $1 }')"
  ((mbp > ${MAX_TOKENIZERS:-97})) || timed "tokenizers $mbp Mbp" "$peers" -c "
from tokenizers import Tokenizer, models, trainers
t = Tokenizer(models.BPE(unk_token='[UNK]'))
t.train(['$text'], trainers.BpeTrainer(vocab_size=$size, max_token_length=16, show_progress=False, special_tokens=['[PAD]','[UNK]','[CLS]','[SEP]','[MASK]']))"
  if ((mbp <= ${MAX_YTTM:-97})) && "$peers" -c 'import youtokentome' 2>"$work/log"; then
    timed "YouTokenToMe $mbp Mbp" "$peers" -c "
import youtokentome
youtokentome.BPE.train(data='$text', model='$work/yttm.model', vocab_size=$size, n_threads=2)"
  fi
done; done
