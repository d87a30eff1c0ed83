/// The sparse phase consists of epochs. An epoch counts every pair and lists the occurrences of those that occur at
/// least T times; a merge then touches its own occurrences only. When no pair of T occurrences is left, the next epoch
/// begins with a lower T. This is exact, because a pair gains occurrences only when its newer token is created: one
/// below T stays below.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tokenizer/dense_phase.h"
#include "tokenizer/pair_index.h"
#include "tokenizer/sparse_shard.h"

namespace bigdna::tokenizer {

template <class Token>
class SparsePhase {
 public:
  /// Takes over the text after the dense phase. `memory` is a limit in bytes for the whole phase; 0 for none.
  SparsePhase(SentenceText& text, const std::vector<DenseShard>& dense, PieceList& pieces, size_t wanted, Team& team,
              int64_t memory);
  /// Merges until `pieces` holds `wanted` merges or no pair occurs twice. Error: not enough memory.
  void run(const DenseResult& dense, const OnMerge& on_merge);
  /// How often each piece occurs in the text now.
  std::vector<int64_t> token_counts() const;

 private:
  using Shard = SparseShard<Token>;
  struct List {
    uint64_t offset = 0;
    uint32_t length = 0;
  };
  struct Pair {
    Token left, right;
    uint64_t count;  // exact during the epoch; 0 once merged or dropped
  };
  struct Candidate {
    uint64_t count;  // at least the pair's count now
    uint32_t pair;
  };
  /// One side of a new token: the pairs with each neighbour.
  enum class Side { before, after };

  bool begin_epoch();
  bool list_range(size_t from, size_t to);
  void count_followers(size_t from, size_t to);
  void merge_best(uint32_t best);
  void subtract(uint32_t left, uint32_t right, uint64_t count);
  void add_neighbours(Side side, Token left, Token right, Token merged, uint64_t adjacent);
  uint32_t add_pair(Token left, Token right, uint64_t count);
  void reserve_list(uint32_t pair, size_t shard, uint64_t length);
  bool lists_fit() const;
  List& list(uint32_t pair, size_t shard) { return lists_[pair * shards_.size() + shard]; }
  bool later(const Candidate& a, const Candidate& b) const;
  void push(const Candidate& candidate);
  Candidate pop();

  PieceList& pieces_;
  size_t wanted_;
  Team& team_;
  std::vector<Shard> shards_;
  uint64_t sort_capacity_;  // occurrences sorted at a time, per shard
  uint64_t list_capacity_;  // listed occurrences, per shard
  uint64_t threshold_ = 2;

  std::vector<Pair> pairs_;
  std::vector<List> lists_;  // [pair * shards + shard]
  PairIndex index_, dropped_;
  std::vector<Candidate> heap_;
  std::vector<uint32_t> pair_before_, pair_after_;  // by neighbour of the new token; PairIndex::kNone
  std::vector<Token> neighbours_;
  bool epoch_over_ = false;  // lists did not fit
};

}  // namespace bigdna::tokenizer
