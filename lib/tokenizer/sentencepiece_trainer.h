/// The SentencePiece library's own BPE trainer: the reference. It is slow and takes much memory on text without spaces.
#pragma once

#include "tokenizer/trainer.h"

namespace bigdna::tokenizer {

/// Like train_bpe(). Error: a sentence of more than 65535 characters, and anything that SentencePiece refuses.
Vocabulary train_sentencepiece(const SentenceSource& sentences, const TrainerOptions& options);

}  // namespace bigdna::tokenizer
