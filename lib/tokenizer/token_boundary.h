/// Tests whether two tokens stay apart when their text is encoded together. A token sequence is the BPE of its text
/// exactly when each adjacent pair stays apart, because the first merge across a boundary would also be made in that
/// pair alone. This holds for any vocabulary, whatever its merges.
#pragma once

#include <cstdint>
#include <vector>

#include "tokenizer/merge_table.h"

namespace bigdna::tokenizer {

class TokenBoundary {
 public:
  /// Keeps references to both.
  TokenBoundary(const Vocabulary& vocabulary, const MergeTable& merges);

  /// Whether the BPE of the piece's own text is the piece. Other pieces never occur in an encoding.
  bool reachable(TokenId id) const { return pieces_[static_cast<size_t>(id)].reachable; }
  /// Whether the piece's merges are made in the order of their ranks, as nearly always in trained vocabularies.
  bool regular(TokenId id) const { return pieces_[static_cast<size_t>(id)].regular; }
  /// The two tokens of a piece's last merge; -1 for a character.
  TokenId left(TokenId id) const { return pieces_[static_cast<size_t>(id)].left; }
  TokenId right(TokenId id) const { return pieces_[static_cast<size_t>(id)].right; }

  /// Whether the tokens stay apart; both must be reachable. [UNK] stays apart from every token.
  bool stay_apart(TokenId a, TokenId b) const;

 private:
  /// A merge inside a piece's own encoding, and the outermost tokens after it.
  struct Event {
    int32_t rank;
    TokenId first, last;
  };
  struct PieceInfo {
    bool reachable = false, regular = true;
    TokenId left = -1, right = -1;
    int32_t last_rank = -1;  // of its last merge
    TokenId first_symbol, last_symbol;
    uint32_t events = 0, count = 0;  // in events_
  };
  bool walk(TokenId a, TokenId b) const;
  bool replay(TokenId a, TokenId b) const;

  const MergeTable& merges_;
  TokenId unknown_;
  std::vector<PieceInfo> pieces_;
  std::vector<Event> events_;
};

}  // namespace bigdna::tokenizer
