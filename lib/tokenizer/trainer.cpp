#include "tokenizer/trainer.h"

#include "tokenizer/trainers.h"

namespace bigdna::tokenizer {

Vocabulary train_bpe(const SentenceSource& sentences, const TrainerOptions& options) {
  return train_with_sentencepiece(sentences, options);
}

}  // namespace bigdna::tokenizer
