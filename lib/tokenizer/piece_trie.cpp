#include "tokenizer/piece_trie.h"

#include "base/error.h"

namespace bigdna::tokenizer {

PieceTrie::PieceTrie(const Vocabulary& vocabulary, const TokenBoundary& pairs) : piece_{-1} {
  constexpr size_t kMostEntries = size_t{1} << 27;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!pairs.reachable(id)) continue;
    for (const char c : vocabulary.piece(id).text) {
      uint16_t& number = class_[static_cast<unsigned char>(c)];
      if (number == 0) number = static_cast<uint16_t>(classes_++);
    }
  }
  child_.assign(classes_, 0);
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!pairs.reachable(id)) continue;
    size_t node = 0;
    for (const char c : vocabulary.piece(id).text) {
      const size_t slot = node * classes_ + class_[static_cast<unsigned char>(c)];
      if (child_[slot] == 0) {
        child_[slot] = static_cast<int32_t>(piece_.size());
        piece_.push_back(-1);
        child_.resize(child_.size() + classes_, 0);
        if (child_.size() > kMostEntries) fail("the vocabulary is too large; it was probably not made for DNA");
      }
      node = static_cast<size_t>(child_[slot]);
    }
    piece_[node] = id;
  }
}

PieceTrie::Match PieceTrie::longest(std::string_view text, size_t limit) const {
  Match best;
  size_t node = 0;
  for (size_t i = 0; i < text.size() && i + 1 < limit; ++i) {
    const uint16_t number = class_[static_cast<unsigned char>(text[i])];
    if (number == 0) break;
    node = static_cast<size_t>(child_[node * classes_ + number]);
    if (node == 0) break;
    if (piece_[node] >= 0) best = {piece_[node], i + 1};
  }
  return best;
}

}  // namespace bigdna::tokenizer
