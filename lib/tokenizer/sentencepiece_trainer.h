/// The SentencePiece library's own BPE trainer: the reference, slow and hungry on text without spaces.
#pragma once

#include "tokenizer/trainer.h"

namespace bigdna::tokenizer {

/// As train_bpe. Error: a sentence of more than 65535 characters, and whatever SentencePiece refuses.
Vocabulary train_sentencepiece(const SentenceSource& sentences, const TrainerOptions& options);

}  // namespace bigdna::tokenizer
