/// What unit tests of tokens and bases share.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "genome/alphabet.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::test {

inline std::string random_bases(size_t size, uint64_t seed) {
  Rng rng(seed, 0);
  std::string bases;
  for (size_t i = 0; i < size; ++i) bases += genome::kBases[rng.below(4)];
  return bases;
}

/// The five special tokens, then these pieces, the best merge first. All merges that give one are allowed.
inline tokenizer::Vocabulary vocabulary_of(std::initializer_list<const char*> pieces) {
  std::vector<tokenizer::Piece> all;
  for (const char* text : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) all.push_back({text, 0, true});
  float score = 0;
  for (const char* text : pieces) all.push_back({text, score--, false});
  return {std::move(all), {}};
}

}  // namespace bigdna::test
