/// n-gram models: what a masked-language model has to beat at the positions that it predicts. They see what the model
/// sees on both sides of a hidden token, and nothing else.
///
/// The distribution of a hidden token t between its neighbours is u(t) r_left(t) r_right(t), normalised, where u is the
/// unigram and r the factor by which one side makes t more likely. A side's estimate is P(t | neighbour) with alpha
/// pseudo-counts distributed like the unigram (Dirichlet smoothing, MacKay and Peto 1995); the stronger model backs off
/// from two tokens on that side to one. The numbers of pseudo-counts are chosen on a part of the training tokens that
/// is left out of the counts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/log.h"

namespace bigdna::mlm {

/// How often token b occurs a certain distance after token a, indexed by either of them.
class PairCounts {
 public:
  struct Entry {
    uint16_t token;
    uint32_t count;
  };
  PairCounts() = default;
  /// `keys`: a << 16 | b for every pair, in any order; sorted here.
  PairCounts(size_t vocab_size, std::vector<uint32_t> keys);
  /// The tokens after (before) `token` with their counts, ascending by token; and the number of these pairs.
  std::span<const Entry> after(int32_t token) const { return row(after_, after_starts_, token); }
  std::span<const Entry> before(int32_t token) const { return row(before_, before_starts_, token); }
  double count_after(int32_t token) const { return after_totals_[static_cast<size_t>(token)]; }
  double count_before(int32_t token) const { return before_totals_[static_cast<size_t>(token)]; }

 private:
  static std::span<const Entry> row(const std::vector<Entry>& entries, const std::vector<uint32_t>& starts,
                                    int32_t token) {
    const auto t = static_cast<size_t>(token);
    return {entries.data() + starts[t], entries.data() + starts[t + 1]};
  }
  std::vector<Entry> after_, before_;
  std::vector<uint32_t> after_starts_, before_starts_;
  std::vector<double> after_totals_, before_totals_;
};

/// Numbers of pseudo-counts: of the unigram for one neighbour, of that estimate for two neighbours on a side, and of
/// the unigram for the second neighbour alone, if the first is hidden.
struct Smoothing {
  double one = 1000, two = 1000, second = 10000;
};

class NgramModel {
 public:
  static constexpr int32_t kUnknown = -1;  // a neighbour that cannot be seen: hidden, special, or past an end
  static constexpr int kDistances = 2;

  struct Context {
    int32_t left2 = kUnknown, left = kUnknown, right = kUnknown, right2 = kUnknown;
  };
  /// Of one token: by the unigram, by the nearest neighbour on each side, by two on each side.
  struct Probabilities {
    double unigram = 0, bigram = 0, trigram = 0;
  };
  Probabilities probabilities(const Context& context, int32_t token) const;

  double unigram(int32_t token) const { return unigram_[static_cast<size_t>(token)]; }
  std::span<const double> unigrams() const { return unigram_; }
  /// Counts of pairs `distance` tokens apart, 1 to kDistances.
  const PairCounts& pairs(int distance) const { return pairs_[static_cast<size_t>(distance - 1)]; }
  const Smoothing& bigram_smoothing() const { return bigram_; }
  const Smoothing& trigram_smoothing() const { return trigram_; }
  /// Number of tokens that were counted.
  int64_t tokens() const { return tokens_; }

 private:
  friend class NgramTrainer;
  /// Counts of tokens beside a pair of neighbours: keys near << 32 | far << 16 | token, ascending.
  struct Triples {
    std::vector<uint64_t> keys;
    std::vector<uint32_t> counts;
  };
  struct Ratios;
  void side(int32_t far, int32_t near, bool left, const Smoothing& smoothing, Ratios& ratios) const;
  double probability(const Context& context, int32_t token, const Smoothing& smoothing) const;
  double bigram(Context context, int32_t token) const {
    context.left2 = context.right2 = kUnknown;
    return probability(context, token, bigram_);
  }

  int64_t tokens_ = 0;
  Smoothing bigram_, trigram_;
  std::vector<double> unigram_;
  std::array<PairCounts, kDistances> pairs_;
  std::array<Triples, 2> triples_;  // left, right
};

/// The neighbours that a token is predicted from: those on both sides, some of which are hidden, or those to its left.
enum class Sides { both, left };

/// Collects token sequences, then counts them. Memory is bounded by `max_tokens` (about 40 bytes each at the peak).
class NgramTrainer {
 public:
  static constexpr int64_t kMaxTokens = int64_t{1} << 25;
  /// vocab_size at most 65536.
  explicit NgramTrainer(int64_t vocab_size, int64_t max_tokens = kMaxTokens);
  /// Adds a stretch of consecutive tokens; false once full (the rest of `tokens` is left out).
  bool add(std::span<const uint16_t> tokens);
  /// Counts all tokens, with the pseudo-counts that predict a twentieth of them best from the rest. Error without
  /// tokens.
  NgramModel finish(Sides sides = Sides::both);

 private:
  using Stretch = std::span<const uint16_t>;
  NgramModel count(const std::vector<Stretch>& stretches, log::Progress& tables) const;
  int64_t vocab_size_, max_tokens_;
  std::vector<uint16_t> tokens_;
  std::vector<size_t> starts_;
};

}  // namespace bigdna::mlm
