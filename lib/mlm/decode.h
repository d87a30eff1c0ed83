/// The bases of a sentence, from its tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tokenizer/vocabulary.h"

namespace bigdna::mlm {

/// The bases of a sentence of `length` bases. One token of unknown length ([UNK], or a run of N) gets the bases that
/// the pieces leave over. How several share them is not recorded: none gets fewer than it must have, and what is left
/// they share evenly. So the pieces on both sides never join, but their places may be off by the shares' error. [UNK]
/// is N, and ? where the vocabulary has a piece for N. nullopt: tokens of `length` bases cannot be these.
std::optional<std::string> decode(std::span<const uint16_t> tokens, int64_t length,
                                  const tokenizer::Vocabulary& vocabulary);

}  // namespace bigdna::mlm
