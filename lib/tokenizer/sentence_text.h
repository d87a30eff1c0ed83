/// The training text in memory: sentences as symbols, one byte each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tokenizer/pages.h"
#include "tokenizer/trainer.h"

namespace bigdna::tokenizer {

struct SentenceText {
  static constexpr uint8_t kEnd = 255;  // after each sentence
  static constexpr size_t kMostSymbols = 250;
  Pages<uint8_t> tokens;
  size_t size = 0;                   // of tokens, the ends included
  std::vector<std::string> symbols;  // the characters, most frequent first, then in code point order
};

/// Reads all sentences except empty ones. Error: no sentence; more than kMostSymbols different characters; more than
/// `memory` bytes (0: no limit).
SentenceText read_sentences(const SentenceSource& sentences, int64_t memory);

}  // namespace bigdna::tokenizer
