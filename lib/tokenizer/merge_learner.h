/// The trainer's core: which pairs to merge, in order. Dense phase, then sparse phase.
#pragma once

#include "tokenizer/dense_phase.h"

namespace bigdna::tokenizer {

struct LearnedMerges {
  std::vector<std::string> pieces;  // in order
  std::vector<int64_t> counts;
  std::vector<int64_t> token_counts;  // of the text at the end: of each symbol, then of each merge
};

struct LearnerOptions {
  size_t wanted = 0;  // merges
  int max_length = 16;
  int threads = 1;
  int64_t memory = 0;                      // bytes; 0: no limit
  size_t dense_tokens = kMostDenseTokens;  // pieces at which the dense phase ends
};

/// Error: `memory` is too little.
LearnedMerges learn_merges(SentenceText text, const LearnerOptions& options);

}  // namespace bigdna::tokenizer
