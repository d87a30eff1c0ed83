/// Which two tokens merge, with which rank, and into what; and BPE as defined, on a heap. The fast encoder is built
/// from this table and tested against this BPE.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/pair_index.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::tokenizer {

struct MergeResult {
  int32_t rank = kNone;  // lower ranks merge first; equal ranks from left to right
  TokenId token = -1;
  static constexpr int32_t kNone = INT32_MAX;  // does not merge
};

class MergeTable {
 public:
  /// Keeps a reference to the vocabulary.
  explicit MergeTable(const Vocabulary& vocabulary);

  /// What `left` followed by `right` becomes. Unknown characters (-1) never merge.
  MergeResult find(TokenId left, TokenId right) const;

  /// One merge of bpe(), for observers: symbols [position, end) became `result`.
  struct Event {
    int32_t rank;
    size_t position, end;
    TokenId result;
  };
  /// BPE as defined: of all adjacent pairs the lowest rank merges first, of equal ranks the leftmost.
  /// `symbols` are tokens of one character each, -1 for an unknown one. O(n log n). `events`, if given, takes
  /// the merges in order.
  std::vector<TokenId> bpe(std::span<const TokenId> symbols, std::vector<Event>* events = nullptr) const;

  /// The characters of a piece as tokens, -1 for those that have none.
  std::vector<TokenId> symbols_of(TokenId token) const;

 private:
  uint64_t joined_hash(TokenId left, TokenId right) const;
  const Vocabulary& vocabulary_;
  std::vector<int32_t> rank_;  // of a piece; without explicit merges
  // polynomial hash of a piece's text, and the hash's base to the power of its length
  std::vector<uint64_t> hash_, power_;
  PairIndex by_hash_;                 // halves of the hash to the piece
  std::vector<MergeResult> results_;  // with explicit merges
  PairIndex by_pair_;                 // with explicit merges: to results_
};

/// Length in bytes of the character (a UTF-8 code point, or a stray byte) that `text` begins with.
inline size_t character_length(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  const size_t length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  return length <= text.size() ? length : text.size();
}

}  // namespace bigdna::tokenizer
