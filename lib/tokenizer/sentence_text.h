/// The training text in memory: sentences as symbols, one byte each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tokenizer/trainer.h"

namespace bigdna::tokenizer {

struct SentenceText {
  static constexpr uint8_t kEnd = 255;  // before the first sentence and after each
  static constexpr size_t kMostSymbols = 250;
  std::vector<uint8_t> tokens;
  std::vector<std::string> symbols;  // the characters, most frequent first, then in code point order
  std::vector<uint64_t> counts;      // of each symbol
};

/// Reads all sentences. Empty ones are passed over. Error: no sentence; more than kMostSymbols different
/// characters.
SentenceText read_sentences(const SentenceSource& sentences);

}  // namespace bigdna::tokenizer
