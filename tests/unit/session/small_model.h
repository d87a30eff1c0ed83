/// What tests of lib/session and of what is built on it share: a vocabulary of single bases, a model small enough for
/// them, sequences.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "model_folder/config.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::test {

inline tokenizer::Vocabulary letters() {  // one piece a base: token i of a sequence is base i
  std::vector<tokenizer::Piece> pieces;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({special, 0, true});
  float score = 0;
  for (const char* base : {"A", "C", "G", "T", "N"}) pieces.push_back({base, --score, false});
  return tokenizer::Vocabulary(pieces, {});
}

/// A promoter model for letters().
inline model_folder::ModelConfig small_promoter_model() {
  model_folder::ModelConfig config;
  config.layers = 1;
  config.heads = 2;
  config.hidden = 16;
  config.ffn = 32;
  config.vocab_size = 10;
  config.max_length = 64;
  config.pattern.block = 8;
  config.head = "promoter";
  config.labels = 1;
  return config;
}

inline std::string random_bases(int64_t length, uint64_t seed) {
  Rng rng(seed);
  std::string bases;
  for (int64_t i = 0; i < length; ++i) bases += "ACGT"[rng.below(4)];
  return bases;
}

}  // namespace bigdna::test
