/// The honest baselines of masked-token prediction: n-grams of tokens, smoothed by interpolated absolute discounting
/// (Ney, Essen and Kneser 1994). A unigram is almost no bar on DNA, and a masked model sees both sides: what it has
/// to beat is the two-sided bigram at the same masked positions.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bigdna::metrics {

class NgramModel {
 public:
  static constexpr int32_t kUnknown = -1;  // a neighbour that cannot be seen: masked, special, or past an end

  /// Probability of token `t` among all of the vocabulary.
  double unigram(int32_t t) const;
  /// p(t | before): the bigram interpolated with the unigram.
  double bigram(int32_t before, int32_t t) const;
  /// p(t | before2, before): a causal trigram interpolated with the bigram.
  double causal(int32_t before2, int32_t before, int32_t t) const;
  /// p(t | left, right) = p(t | left) p(right | t) / sum over t' of the same: exact under the bigram model.
  double two_sided(int32_t left, int32_t t, int32_t right) const;

  /// Tokens it was trained on.
  int64_t tokens() const { return tokens_; }

 private:
  friend class NgramTrainer;
  struct Entry {
    uint16_t token;
    float weight;  // the discounted relative frequency
  };
  /// Interpolation weight of what follows `before` left to the unigram: 1 for an unknown or unseen one.
  double rest(int32_t before) const { return before < 0 ? 1 : rest_[static_cast<size_t>(before)]; }
  std::span<const Entry> after(int32_t before) const;   // p(token | before) without the unigram's part
  std::span<const Entry> before(int32_t after) const;   // p(after | token) without the unigram's part
  static double find(std::span<const Entry> entries, int32_t token);

  int64_t tokens_ = 0;
  std::vector<double> unigram_, rest_;
  std::vector<uint32_t> after_starts_, before_starts_;
  std::vector<Entry> after_, before_;
  std::vector<double> expected_rest_;    // sum over t' of after(left)[t'] rest(t')
  std::vector<double> expected_before_;  // sum over t' of unigram(t') before(right)[t']
  double mean_rest_ = 0;                 // sum over t' of unigram(t') rest(t')
  std::vector<uint64_t> trigrams_;       // before2, before, token in 16 bits each, ascending
  std::vector<uint32_t> trigram_counts_;
  double trigram_discount_ = 0;
};

/// Collects token sequences and counts them once: memory is bounded by `max_tokens` (about 30 bytes each at the peak).
class NgramTrainer {
 public:
  /// vocab_size at most 65536.
  explicit NgramTrainer(int64_t vocab_size, int64_t max_tokens = int64_t{1} << 24);
  /// Adds a stretch of consecutive tokens; false once full (the rest of `tokens` is left out).
  bool add(std::span<const uint16_t> tokens);
  /// Error where there were no tokens.
  NgramModel finish();

 private:
  int64_t vocab_size_, max_tokens_;
  std::vector<uint16_t> tokens_;
  std::vector<uint32_t> starts_;
};

}  // namespace bigdna::metrics
