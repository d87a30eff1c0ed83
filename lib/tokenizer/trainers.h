/// The two trainers behind train_bpe.
#pragma once

#include "tokenizer/trainer.h"

namespace bigdna::tokenizer {

Vocabulary train_with_sentencepiece(const SentenceSource& sentences, const TrainerOptions& options);

}  // namespace bigdna::tokenizer
