#include "tokenizer/sparse_phase.h"

#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "base/log.h"

namespace bigdna::tokenizer {
namespace {

constexpr uint32_t kNone = PairIndex::kNone;

/// Copies a shard's bytes to wider tokens behind a sentence end, in the text's own memory if they fit there.
template <class Token>
void widen(SentenceText& text, const DenseShard& dense, SparseShard<Token>& shard) {
  using Shard = SparseShard<Token>;
  const uint8_t* from = text.tokens.data() + dense.begin;
  const size_t gap = (alignof(Token) - dense.begin % alignof(Token)) % alignof(Token);
  const size_t length = 1 + dense.size + Shard::kPadding;
  if (gap + length * sizeof(Token) <= dense.capacity) {
    shard.tokens = reinterpret_cast<Token*>(text.tokens.data() + dense.begin + gap);
  } else {
    shard.own = Pages<Token>(length);
    shard.tokens = shard.own.data();
  }
  shard.size = 1 + dense.size;
  for (size_t i = dense.size; i-- > 0;)  // from the end: a wide token lies at or behind its byte
    shard.tokens[1 + i] = from[i] == SentenceText::kEnd ? Shard::kEnd : Token{from[i]};
  shard.tokens[0] = Shard::kEnd;
  for (size_t i = 0; i < Shard::kPadding; ++i) shard.tokens[shard.size + i] = Shard::kEnd;
  const size_t kept = shard.own.data() ? 0 : gap + length * sizeof(Token);
  text.tokens.release(dense.begin + kept, dense.begin + dense.capacity);
}

}  // namespace

template <class Token>
SparsePhase<Token>::SparsePhase(SentenceText& text, const std::vector<DenseShard>& dense, PieceList& pieces,
                                size_t wanted, Team& team, int64_t memory)
    : pieces_(pieces), wanted_(wanted), team_(team), shards_(dense.size()) {
  team_.run(dense.size(), [&](size_t s) { widen(text, dense[s], shards_[s]); });
  const size_t most = pieces.size() - pieces.merges() + wanted + 1;
  uint64_t tokens = 0;
  for (Shard& shard : shards_) {
    shard.count_before.assign(most, 0);
    shard.count_after.assign(most, 0);
    tokens = std::max<uint64_t>(tokens, shard.size);
  }
  pair_before_.assign(most, kNone);
  pair_after_.assign(most, kNone);
  // Sorting half of the tokens at a time costs one more reading of the text and saves a third of the peak. An
  // epoch lists an occurrence of each token at most, and each merge at most two more.
  sort_capacity_ = std::max<uint64_t>(tokens / 2, 1 << 16);
  list_capacity_ = 3 * tokens + 1024;
  if (memory > 0) {
    const int64_t left = memory / static_cast<int64_t>(shards_.size()) - static_cast<int64_t>(tokens * sizeof(Token));
    const int64_t per_occurrence = 4 + sizeof(Token);
    if (left < 1 << 20) fail("--memory ", memory, " is too little for ", tokens * shards_.size(), " tokens");
    sort_capacity_ = std::min<uint64_t>(sort_capacity_, static_cast<uint64_t>(left / 3 / per_occurrence));
    list_capacity_ = std::min<uint64_t>(list_capacity_, static_cast<uint64_t>(left / 2 / 4));
  }
  for (Shard& shard : shards_) shard.lists.grow(list_capacity_);
}

template <class Token>
std::vector<int64_t> SparsePhase<Token>::token_counts() const {
  std::vector<int64_t> counts(pieces_.size());
  for (const Shard& shard : shards_)
    for (size_t i = 0; i < shard.size; ++i)
      if (shard.tokens[i] < pieces_.size()) ++counts[shard.tokens[i]];  // holes and ends are above every id
  return counts;
}

template <class Token>
bool SparsePhase<Token>::later(const Candidate& a, const Candidate& b) const {
  if (a.count != b.count) return a.count < b.count;
  const Pair &x = pairs_[a.pair], &y = pairs_[b.pair];
  return pieces_.before(y.left, y.right, x.left, x.right);
}

template <class Token>
void SparsePhase<Token>::push(const Candidate& candidate) {
  heap_.push_back(candidate);
  std::push_heap(heap_.begin(), heap_.end(), [this](const auto& a, const auto& b) { return later(a, b); });
}

template <class Token>
typename SparsePhase<Token>::Candidate SparsePhase<Token>::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), [this](const auto& a, const auto& b) { return later(a, b); });
  const Candidate candidate = heap_.back();
  heap_.pop_back();
  return candidate;
}

template <class Token>
bool SparsePhase<Token>::lists_fit() const {
  return std::all_of(shards_.begin(), shards_.end(), [&](const Shard& s) { return s.listed <= list_capacity_; });
}

template <class Token>
uint32_t SparsePhase<Token>::add_pair(Token left, Token right, uint64_t count) {
  const auto id = static_cast<uint32_t>(pairs_.size());
  pairs_.push_back({left, right, count});
  lists_.resize(lists_.size() + shards_.size());
  index_.add(left, right, id);
  return id;
}

template <class Token>
void SparsePhase<Token>::reserve_list(uint32_t pair, size_t shard, uint64_t length) {
  list(pair, shard) = {shards_[shard].listed, 0};
  shards_[shard].listed += length;
}

/// Adds the pairs of left tokens [from, to) that occur often enough; their occurrences are sorted.
template <class Token>
void SparsePhase<Token>::count_followers(size_t from, size_t to) {
  std::vector<std::vector<Pair>> found(to - from);
  std::atomic<size_t> next{from};
  team_.run(shards_.size(), [&](size_t) {
    std::vector<uint32_t> counts(pieces_.size());
    std::vector<Token> seen;
    for (size_t left; (left = next.fetch_add(1)) < to;) {
      for (const Shard& shard : shards_) {
        const uint64_t base = shard.offsets[from];
        for (uint64_t k = shard.offsets[left] - base; k < shard.offsets[left + 1] - base; ++k) {
          const Token right = shard.follower[k];
          if (right != Shard::kEnd && counts[right]++ == 0) seen.push_back(right);
        }
      }
      std::sort(seen.begin(), seen.end());
      for (const Token right : seen) {
        if (counts[right] >= threshold_ && pieces_.fits(left, right))
          found[left - from].push_back({static_cast<Token>(left), right, counts[right]});
        counts[right] = 0;
      }
      seen.clear();
    }
  });
  for (const auto& pairs : found)
    for (const Pair& pair : pairs)
      if (dropped_.find(pair.left, pair.right) == kNone) add_pair(pair.left, pair.right, pair.count);
}

/// Counts and lists the pairs of left tokens [from, to); false if the lists do not fit.
template <class Token>
bool SparsePhase<Token>::list_range(size_t from, size_t to) {
  team_.run(shards_.size(), [&](size_t s) { shards_[s].sort_range(from, to); });
  const size_t first = pairs_.size();
  count_followers(from, to);
  team_.run(shards_.size(), [&](size_t s) {
    Shard& shard = shards_[s];
    const uint64_t base = shard.offsets[from];
    std::vector<uint32_t> pair_of(pieces_.size(), kNone);
    for (size_t begin = first, end; begin < pairs_.size(); begin = end) {
      const Token left = pairs_[begin].left;
      for (end = begin; end < pairs_.size() && pairs_[end].left == left; ++end)
        pair_of[pairs_[end].right] = static_cast<uint32_t>(end);
      const uint64_t low = shard.offsets[left] - base, high = shard.offsets[left + size_t{1}] - base;
      const auto each = [&](const auto& act) {
        for (uint64_t k = low; k < high; ++k) {
          const Token right = shard.follower[k];
          if (right != Shard::kEnd && pair_of[right] != kNone) act(list(pair_of[right], s), k);
        }
      };
      each([](List& l, uint64_t) { ++l.length; });
      for (size_t p = begin; p < end; ++p)
        reserve_list(static_cast<uint32_t>(p), s, list(static_cast<uint32_t>(p), s).length);
      if (shard.listed <= list_capacity_)
        each([&](List& l, uint64_t k) { shard.lists[l.offset + l.length++] = shard.position[k]; });
      for (size_t p = begin; p < end; ++p) pair_of[pairs_[p].right] = kNone;
    }
  });
  return lists_fit();
}

/// Compacts, counts and lists; false if no pair occurs often enough.
template <class Token>
bool SparsePhase<Token>::begin_epoch() {
  const size_t pieces = pieces_.size();
  team_.run(shards_.size(), [&](size_t s) { shards_[s].compact(pieces); });
  while (true) {
    pairs_.clear();
    lists_.clear();
    heap_.clear();
    index_.clear(1 << 16);
    epoch_over_ = false;
    for (Shard& shard : shards_) shard.listed = 0;
    bool fits = true;
    for (size_t from = 0, to; fits && from < pieces; from = to) {  // as many left tokens at a time as can be sorted
      const auto sortable = [&](size_t end) {
        return std::all_of(shards_.begin(), shards_.end(),
                           [&](const Shard& s) { return s.offsets[end] - s.offsets[from] <= sort_capacity_; });
      };
      for (to = from + 1; to < pieces && sortable(to + 1);) ++to;
      fits = list_range(from, to);
    }
    if (fits) break;
    threshold_ *= 2;
  }
  for (uint32_t p = 0; p < pairs_.size(); ++p) heap_.push_back({pairs_[p].count, p});
  std::make_heap(heap_.begin(), heap_.end(), [this](const auto& a, const auto& b) { return later(a, b); });
  return !heap_.empty();
}

template <class Token>
void SparsePhase<Token>::subtract(uint32_t left, uint32_t right, uint64_t count) {
  const uint32_t pair = index_.find(left, right);
  if (pair != kNone) pairs_[pair].count -= std::min(count, pairs_[pair].count);
}

/// Counts of the pairs that a merge of (left, right) took away and made on one side of the new token.
template <class Token>
void SparsePhase<Token>::add_neighbours(Side side, Token left, Token right, Token merged, uint64_t adjacent) {
  const bool before = side == Side::before;
  neighbours_.clear();
  for (const Shard& shard : shards_) {
    const auto& seen = before ? shard.seen_before : shard.seen_after;
    neighbours_.insert(neighbours_.end(), seen.begin(), seen.end());
  }
  std::sort(neighbours_.begin(), neighbours_.end());
  neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
  for (const Token other : neighbours_) {
    uint64_t count = 0;
    for (const Shard& shard : shards_) count += before ? shard.count_before[other] : shard.count_after[other];
    if (before)
      subtract(other, left, count);
    else
      subtract(right, other, count);
    if (!before && other == left) count -= adjacent;  // those are (merged, merged) now
    if (count < threshold_ || !pieces_.fits(other, merged)) continue;
    const uint32_t pair = before ? add_pair(other, merged, count) : add_pair(merged, other, count);
    (before ? pair_before_ : pair_after_)[other] = pair;
    for (size_t s = 0; s < shards_.size(); ++s)
      reserve_list(pair, s, (before ? shards_[s].count_before : shards_[s].count_after)[other]);
  }
}

template <class Token>
void SparsePhase<Token>::merge_best(uint32_t best) {
  constexpr uint64_t kWorthWaking = 1500;  // occurrences
  const auto [left, right, count] = pairs_[best];
  const auto merged = static_cast<Token>(pieces_.size() - 1);
  pairs_[best].count = 0;
  const auto on_shards = [&](const auto& task) {
    if (count > kWorthWaking) return team_.run(shards_.size(), task);
    for (size_t s = 0; s < shards_.size(); ++s) task(s);
  };
  on_shards([&](size_t s) {
    const List& l = list(best, s);
    shards_[s].merge(shards_[s].lists.data() + l.offset, l.length, left, right, merged);
  });
  uint64_t adjacent = 0;
  for (const Shard& shard : shards_) adjacent += shard.adjacent;
  const auto first = static_cast<uint32_t>(pairs_.size());
  add_neighbours(Side::before, left, right, merged, adjacent);
  add_neighbours(Side::after, left, right, merged, adjacent);
  uint32_t twice = kNone;
  if (adjacent >= threshold_ && pieces_.fits(merged, merged)) {
    twice = add_pair(merged, merged, adjacent);
    for (size_t s = 0; s < shards_.size(); ++s) reserve_list(twice, s, shards_[s].adjacent);
  }
  epoch_over_ = !lists_fit();
  const bool any = pairs_.size() > first && !epoch_over_;
  on_shards([&](size_t s) {
    Shard& shard = shards_[s];
    const auto note = [&](uint32_t pair, uint32_t position) {
      if (pair == kNone) return;
      List& l = list(pair, s);
      shard.lists[l.offset + l.length++] = position;
    };
    if (any) {
      for (const auto& o : shard.occurrences) {
        if (o.before != merged && o.before != Shard::kEnd) note(pair_before_[o.before], o.previous);
        if (o.after == merged)
          note(twice, o.position);
        else if (o.after != Shard::kEnd)
          note(pair_after_[o.after], o.position);
      }
    }
    shard.forget_counts();
  });
  for (uint32_t p = first; p < pairs_.size(); ++p) {
    if (pairs_[p].left != merged) pair_before_[pairs_[p].left] = kNone;
    if (pairs_[p].right != merged) pair_after_[pairs_[p].right] = kNone;
    if (any) push({pairs_[p].count, p});
  }
}

template <class Token>
void SparsePhase<Token>::run(const DenseResult& dense, const OnMerge& on_merge) {
  for (const auto& [left, right] : dense.dropped)
    dropped_.add(static_cast<uint32_t>(left), static_cast<uint32_t>(right), 0);
  uint64_t bound = static_cast<uint64_t>(dense.last_count);  // no pair occurs more often
  while (pieces_.merges() < wanted_) {
    threshold_ = std::max<uint64_t>(2, bound / 4);
    const bool any = begin_epoch();
    if (threshold_ > std::max<uint64_t>(2, bound)) fail("--memory is too little for this text");
    log::verbose("sparse epoch: ", pieces_.merges(), " merges, pairs of ", threshold_, " or more: ", pairs_.size());
    while (any && pieces_.merges() < wanted_ && !heap_.empty() && !epoch_over_) {
      const Candidate candidate = pop();
      const Pair pair = pairs_[candidate.pair];
      if (pair.count != candidate.count) {
        if (pair.count >= threshold_) push({pair.count, candidate.pair});
        continue;
      }
      if (!pieces_.add(pair.left, pair.right)) {
        pairs_[candidate.pair].count = 0;
        dropped_.add(pair.left, pair.right, 0);
        continue;
      }
      merge_best(candidate.pair);
      bound = pair.count;
      on_merge(static_cast<int64_t>(pair.count));
    }
    if (epoch_over_) continue;
    if (threshold_ == 2) break;
    bound = threshold_ - 1;
  }
}

template class SparsePhase<uint16_t>;
template class SparsePhase<uint32_t>;

}  // namespace bigdna::tokenizer
