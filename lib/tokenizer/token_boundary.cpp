#include "tokenizer/token_boundary.h"

#include <algorithm>

namespace bigdna::tokenizer {

TokenBoundary::TokenBoundary(const Vocabulary& vocabulary, const MergeTable& merges)
    : merges_(merges), unknown_(vocabulary.special().unk), pieces_(static_cast<size_t>(vocabulary.size())) {
  std::vector<MergeTable::Event> events;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.is_special(id)) continue;
    PieceInfo& piece = pieces_[static_cast<size_t>(id)];
    const std::vector<TokenId> symbols = merges.symbols_of(id);
    if (symbols.empty() || std::count(symbols.begin(), symbols.end(), -1)) continue;
    events.clear();
    const auto tokens = merges.bpe(symbols, &events);
    piece.reachable = tokens.size() == 1 && tokens[0] == id;
    if (!piece.reachable) continue;
    piece.first_symbol = symbols.front();
    piece.last_symbol = symbols.back();
    piece.events = static_cast<uint32_t>(events_.size());
    piece.count = static_cast<uint32_t>(events.size());
    TokenId first = piece.first_symbol, last = piece.last_symbol;
    for (const auto& event : events) {
      piece.left = first, piece.right = last;  // before the last event these are its two tokens
      if (event.position == 0) first = event.result;
      if (event.end == symbols.size()) last = event.result;
      piece.regular &= event.rank >= piece.last_rank;
      piece.last_rank = event.rank;
      events_.push_back({event.rank, first, last});
    }
  }
}

bool TokenBoundary::stay_apart(TokenId a, TokenId b) const {
  if (a == unknown_ || b == unknown_) return true;
  return regular(a) && regular(b) ? walk(a, b) : replay(a, b);
}

/// Goes back in time from the end, undoing the later of the two last merges. Two tokens that touched until a merge of
/// rank r would have merged with each other if that merge had a lower rank; of equal ranks, the left merge comes first.
bool TokenBoundary::walk(TokenId a, TokenId b) const {
  for (int64_t limit = MergeResult::kNone;;) {
    if (merges_.find(a, b).rank < limit) return false;
    const PieceInfo &x = pieces_[static_cast<size_t>(a)], &y = pieces_[static_cast<size_t>(b)];
    if (x.count == 0 && y.count == 0) return true;
    if (x.last_rank > y.last_rank) {
      limit = x.last_rank;
      a = x.right;
    } else {
      limit = int64_t{y.last_rank} + 1;
      b = y.left;
    }
  }
}

/// Goes forward in time: the merges of both tokens, each in its own order, the one with the lower rank first.
bool TokenBoundary::replay(TokenId a, TokenId b) const {
  const PieceInfo &x = pieces_[static_cast<size_t>(a)], &y = pieces_[static_cast<size_t>(b)];
  const Event *next = events_.data() + x.events, *end = next + x.count;
  const Event *next_b = events_.data() + y.events, *end_b = next_b + y.count;
  TokenId last = x.last_symbol, first = y.first_symbol;
  int32_t across = merges_.find(last, first).rank;
  while (true) {
    const int32_t rank_a = next < end ? next->rank : MergeResult::kNone;
    const int32_t rank_b = next_b < end_b ? next_b->rank : MergeResult::kNone;
    if (across < rank_a && across <= rank_b && across != MergeResult::kNone) return false;
    if (next == end && next_b == end_b) return true;
    const bool left = next < end && rank_a <= rank_b;
    TokenId& edge = left ? last : first;
    const TokenId now = left ? next++->last : next_b++->first;
    if (now == edge) continue;
    edge = now;
    across = merges_.find(last, first).rank;
  }
}

}  // namespace bigdna::tokenizer
