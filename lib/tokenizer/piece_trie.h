/// A trie over the bytes of a vocabulary's reachable pieces: tells which of them match at a position. Used for pieces
/// that DnaTables does not cover.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tokenizer/token_boundary.h"

namespace bigdna::tokenizer {

class PieceTrie {
 public:
  PieceTrie(const Vocabulary& vocabulary, const TokenBoundary& pairs);

  struct Match {
    TokenId id = -1;
    size_t length = 0;
  };
  /// The longest piece of fewer than `limit` bytes that `text` begins with; id -1 if there is none.
  Match longest(std::string_view text, size_t limit) const;

 private:
  std::array<uint16_t, 256> class_{};  // of a byte; 0 for bytes in no piece
  size_t classes_ = 1;
  std::vector<int32_t> child_;  // [node * classes + class]; 0 for none
  std::vector<TokenId> piece_;  // of a node, or -1
};

}  // namespace bigdna::tokenizer
