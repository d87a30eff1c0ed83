/// BPE training: the merges that SentencePiece 0.2.1 would learn from the same sentences, without its periodic
/// approximation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace bigdna::tokenizer {

/// Yields sentences one by one, and nullopt at the end. The view is valid until the next call.
using SentenceSource = std::function<std::optional<std::string_view>()>;

struct TrainerOptions {
  int64_t vocab_size = 32000;  // pieces, special tokens included
  int max_piece_length = 16;   // characters (bases)
  int threads = 1;
  int64_t memory = 0;  // limit for training in bytes, besides the program itself; 0: as much as is fastest
  enum class Engine { bigdna, sentencepiece } engine = Engine::bigdna;
};

/// What training counted.
struct TrainingReport {
  int64_t sentences = 0;
  int64_t characters = 0;             // bases
  std::vector<int64_t> token_counts;  // by id, in the tokenised sentences; empty if unknown (SentencePiece's engine)
  std::vector<int64_t> merge_counts;  // how often each merge's pair occurred when it was chosen
};

/// Trains on the sentences. If no pair occurs twice any more, there are fewer pieces than requested, and a warning.
/// Error: no sentence; more than 250 different characters; a vocabulary too small for the characters and the special
/// tokens; not enough memory.
Vocabulary train_bpe(const SentenceSource& sentences, const TrainerOptions& options, TrainingReport* report = nullptr);

}  // namespace bigdna::tokenizer
