/// The dense phase: while a token fits a byte, each merge streams once over the whole text, and a 256 x 256
/// table holds every pair's count.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tokenizer/piece_list.h"
#include "tokenizer/sentence_text.h"
#include "tokenizer/team.h"

namespace bigdna::tokenizer {

/// A thread's part of the text, in whole sentences: tokens[begin, begin + size). It may use [begin, begin + capacity).
struct DenseShard {
  size_t begin = 0, size = 0, capacity = 0;
};

/// Cuts a text into `count` shards of about equal size, or fewer if there are fewer sentences.
std::vector<DenseShard> cut_into_shards(const SentenceText& text, size_t count);

/// Called after each merge with the pair's count.
using OnMerge = std::function<void(int64_t count)>;

struct DenseResult {
  int64_t last_count = 0;                    // no remaining pair occurs more often
  bool exhausted = false;                    // no pair occurs twice
  std::vector<std::pair<int, int>> dropped;  // pairs that never merge: their text is another pair's piece
};

/// The most token ids that are used in a byte; SentenceText::kEnd is another value.
inline constexpr size_t kMostDenseTokens = 250;

/// Merges until `pieces` holds `wanted` merges or `most_tokens` (at most kMostDenseTokens) pieces, or no pair
/// occurs twice.
DenseResult dense_phase(SentenceText& text, std::vector<DenseShard>& shards, size_t wanted, size_t most_tokens,
                        PieceList& pieces, Team& team, const OnMerge& on_merge);

}  // namespace bigdna::tokenizer
