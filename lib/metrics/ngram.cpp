#include "metrics/ngram.h"

#include <algorithm>

#include "base/error.h"

namespace bigdna::metrics {

namespace {

/// Sorts and merges equal keys: ascending distinct keys and their counts.
template <class Key>
std::vector<uint32_t> count_keys(std::vector<Key>& keys) {
  std::sort(keys.begin(), keys.end());
  std::vector<uint32_t> counts;
  size_t kept = 0;
  for (size_t i = 0; i < keys.size();) {
    size_t end = i;
    while (end < keys.size() && keys[end] == keys[i]) ++end;
    keys[kept++] = keys[i];
    counts.push_back(static_cast<uint32_t>(end - i));
    i = end;
  }
  keys.resize(kept);
  return counts;
}

/// Ney's estimate n1 / (n1 + 2 n2), from how many n-grams occur once and twice; 0.5 where that says nothing.
double discount(const std::vector<uint32_t>& counts) {
  const double once = static_cast<double>(std::count(counts.begin(), counts.end(), 1u));
  const double twice = static_cast<double>(std::count(counts.begin(), counts.end(), 2u));
  return once > 0 && twice > 0 ? once / (once + 2 * twice) : 0.5;
}

constexpr uint64_t context(int32_t before2, int32_t before) {
  return static_cast<uint64_t>(before2) << 32 | static_cast<uint64_t>(before) << 16;
}

}  // namespace

double NgramModel::find(std::span<const Entry> entries, int32_t token) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), token,
                                   [](const Entry& entry, int32_t wanted) { return entry.token < wanted; });
  return at != entries.end() && at->token == token ? at->weight : 0;
}

std::span<const NgramModel::Entry> NgramModel::after(int32_t before) const {
  if (before < 0) return {};
  const auto b = static_cast<size_t>(before);
  return {after_.data() + after_starts_[b], after_.data() + after_starts_[b + 1]};
}

std::span<const NgramModel::Entry> NgramModel::before(int32_t after) const {
  if (after < 0) return {};
  const auto a = static_cast<size_t>(after);
  return {before_.data() + before_starts_[a], before_.data() + before_starts_[a + 1]};
}

double NgramModel::unigram(int32_t t) const { return unigram_[static_cast<size_t>(t)]; }

double NgramModel::bigram(int32_t before, int32_t t) const { return find(after(before), t) + rest(before) * unigram(t); }

double NgramModel::causal(int32_t before2, int32_t before, int32_t t) const {
  const double lower = bigram(before, t);
  if (before2 < 0 || before < 0) return lower;
  const uint64_t first = context(before2, before);
  const auto begin = std::lower_bound(trigrams_.begin(), trigrams_.end(), first);
  double total = 0, kinds = 0, count = 0;
  for (auto at = begin; at != trigrams_.end() && (*at >> 16) == (first >> 16); ++at) {
    const double n = trigram_counts_[static_cast<size_t>(at - trigrams_.begin())];
    total += n;
    ++kinds;
    if (static_cast<int32_t>(*at & 0xFFFF) == t) count = n;
  }
  if (total == 0) return lower;
  return (std::max(count - trigram_discount_, 0.0) + trigram_discount_ * kinds * lower) / total;
}

double NgramModel::two_sided(int32_t left, int32_t t, int32_t right) const {
  if (right < 0) return bigram(left, t);
  const double joint = bigram(left, t) * bigram(t, right);
  // The normaliser, without a loop over the vocabulary: what follows `left` and what precedes `right` are sparse.
  const auto follows = after(left), precedes = before(right);
  double both = 0;
  for (size_t i = 0, j = 0; i < follows.size() && j < precedes.size();) {
    if (follows[i].token == precedes[j].token)
      both += static_cast<double>(follows[i++].weight) * precedes[j++].weight;
    else if (follows[i].token < precedes[j].token)
      ++i;
    else
      ++j;
  }
  const double unigram_right = unigram(right);
  const double left_rest = left < 0 ? 0 : expected_rest_[static_cast<size_t>(left)];
  const double total = both + left_rest * unigram_right +
                       rest(left) * (expected_before_[static_cast<size_t>(right)] + mean_rest_ * unigram_right);
  return joint / total;
}

NgramTrainer::NgramTrainer(int64_t vocab_size, int64_t max_tokens) : vocab_size_(vocab_size), max_tokens_(max_tokens) {
  if (vocab_size > 65536) fail("n-gram baselines take at most 65536 pieces, not ", vocab_size);
}

bool NgramTrainer::add(std::span<const uint16_t> tokens) {
  const auto room = static_cast<size_t>(max_tokens_) - tokens_.size();
  const auto taken = tokens.first(std::min(room, tokens.size()));
  starts_.push_back(static_cast<uint32_t>(tokens_.size()));
  tokens_.insert(tokens_.end(), taken.begin(), taken.end());
  return tokens_.size() < static_cast<size_t>(max_tokens_);
}

NgramModel NgramTrainer::finish() {
  if (tokens_.empty()) fail("no tokens to train the n-gram baselines on");
  NgramModel model;
  const auto vocabulary = static_cast<size_t>(vocab_size_);
  model.tokens_ = static_cast<int64_t>(tokens_.size());

  std::vector<uint32_t> unigrams(vocabulary);
  for (const uint16_t token : tokens_) ++unigrams.at(token);
  const double total = static_cast<double>(tokens_.size()) + 0.5 * static_cast<double>(vocabulary);
  model.unigram_.resize(vocabulary);
  for (size_t t = 0; t < vocabulary; ++t) model.unigram_[t] = (unigrams[t] + 0.5) / total;

  starts_.push_back(static_cast<uint32_t>(tokens_.size()));
  std::vector<uint32_t> pairs;
  for (size_t s = 0; s + 1 < starts_.size(); ++s)
    for (size_t i = starts_[s] + 1; i < starts_[s + 1]; ++i)
      pairs.push_back(static_cast<uint32_t>(tokens_[i - 1]) << 16 | tokens_[i]);
  const auto pair_counts = count_keys(pairs);
  const double pair_discount = discount(pair_counts);

  model.rest_.assign(vocabulary, 1);
  model.after_starts_.assign(vocabulary + 1, 0);
  model.before_starts_.assign(vocabulary + 1, 0);
  for (const uint32_t pair : pairs) {
    ++model.after_starts_[(pair >> 16) + 1];
    ++model.before_starts_[(pair & 0xFFFF) + 1];
  }
  for (size_t t = 0; t < vocabulary; ++t) {
    model.after_starts_[t + 1] += model.after_starts_[t];
    model.before_starts_[t + 1] += model.before_starts_[t];
  }
  model.after_.resize(pairs.size());
  model.before_.resize(pairs.size());
  std::vector<uint32_t> fill(model.before_starts_.begin(), model.before_starts_.end() - 1);
  for (size_t left = 0; left < vocabulary; ++left) {
    const uint32_t begin = model.after_starts_[left], end = model.after_starts_[left + 1];
    double count = 0;
    for (uint32_t i = begin; i < end; ++i) count += pair_counts[i];
    if (end > begin) model.rest_[left] = pair_discount * (end - begin) / count;
    for (uint32_t i = begin; i < end; ++i) {
      const auto right = static_cast<uint16_t>(pairs[i] & 0xFFFF);
      const auto weight = static_cast<float>((pair_counts[i] - pair_discount) / count);
      model.after_[i] = {right, weight};
      model.before_[fill[right]++] = {static_cast<uint16_t>(left), weight};
    }
  }
  model.expected_rest_.assign(vocabulary, 0);
  model.expected_before_.assign(vocabulary, 0);
  for (size_t t = 0; t < vocabulary; ++t) {
    for (const auto& [token, weight] : model.after(static_cast<int32_t>(t))) model.expected_rest_[t] += weight * model.rest_[token];
    for (const auto& [token, weight] : model.before(static_cast<int32_t>(t)))
      model.expected_before_[t] += weight * model.unigram_[token];
    model.mean_rest_ += model.unigram_[t] * model.rest_[t];
  }

  pairs = {};
  for (size_t s = 0; s + 1 < starts_.size(); ++s)
    for (size_t i = starts_[s] + 2; i < starts_[s + 1]; ++i)
      model.trigrams_.push_back(context(tokens_[i - 2], tokens_[i - 1]) | tokens_[i]);
  tokens_ = {};
  starts_ = {};
  model.trigram_counts_ = count_keys(model.trigrams_);
  model.trigram_discount_ = discount(model.trigram_counts_);
  return model;
}

}  // namespace bigdna::metrics
