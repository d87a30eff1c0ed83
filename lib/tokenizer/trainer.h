/// BPE training: the merges SentencePiece 0.2.1 would make on the same sentences, without its periodic
/// approximation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tokenizer/vocabulary.h"

namespace bigdna::tokenizer {

/// Yields sentences one by one; nullopt at the end. The view lives until the next call.
using SentenceSource = std::function<std::optional<std::string_view>()>;

struct TrainerOptions {
  int64_t vocab_size = 32000;  // pieces, special tokens included
  int max_piece_length = 16;   // bases
  int threads = 1;
  enum class Engine { bigdna, sentencepiece } engine = Engine::bigdna;
};

/// Trains on the sentences. Fewer pieces than asked for, with a warning, when no pair occurs twice any more.
/// Error: no sentence at all; more than 250 different characters.
Vocabulary train_bpe(const SentenceSource& sentences, const TrainerOptions& options);

}  // namespace bigdna::tokenizer
