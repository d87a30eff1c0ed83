#include "mlm/ngram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/rng.h"

namespace bigdna::mlm {

namespace {

/// Sorts keys that consist of `tokens` tokens of 16 bits each, by one token after another, the last first.
template <class Key>
void sort_by_tokens(std::vector<Key>& keys, int tokens) {
  std::vector<Key> sorted(keys.size());
  for (int token = 0; token < tokens; ++token) {
    const auto value = [shift = 16 * token](Key key) { return static_cast<size_t>(key >> shift & 0xFFFF); };
    std::vector<uint32_t> ends(65536);
    for (const Key key : keys) ++ends[value(key)];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (size_t i = keys.size(); i-- > 0;) sorted[--ends[value(keys[i])]] = keys[i];
    keys.swap(sorted);
  }
}

/// Sorts keys and merges equal ones: distinct keys in ascending order, and their counts.
template <class Key>
std::vector<uint32_t> count_keys(std::vector<Key>& keys, int tokens) {
  sort_by_tokens(keys, tokens);
  size_t distinct = 0, kept = 0;
  for (size_t i = 0; i < keys.size(); ++i) distinct += i == 0 || keys[i] != keys[i - 1];
  std::vector<uint32_t> counts;
  counts.reserve(distinct);
  for (size_t i = 0; i < keys.size();) {
    size_t end = i;
    while (end < keys.size() && keys[end] == keys[i]) ++end;
    keys[kept++] = keys[i];
    counts.push_back(static_cast<uint32_t>(end - i));
    i = end;
  }
  keys.resize(kept);
  keys.shrink_to_fit();
  return counts;
}

constexpr uint64_t neighbours(int32_t far, int32_t near) {
  return static_cast<uint64_t>(near) << 32 | static_cast<uint64_t>(far) << 16;
}

}  // namespace

PairCounts::PairCounts(size_t vocab_size, std::vector<uint32_t> keys)
    : after_starts_(vocab_size + 1),
      before_starts_(vocab_size + 1),
      after_totals_(vocab_size),
      before_totals_(vocab_size) {
  const auto counts = count_keys(keys, 2);
  for (const uint32_t key : keys) {
    ++after_starts_[(key >> 16) + 1];
    ++before_starts_[(key & 0xFFFF) + 1];
  }
  for (size_t t = 0; t < vocab_size; ++t) {
    after_starts_[t + 1] += after_starts_[t];
    before_starts_[t + 1] += before_starts_[t];
  }
  after_.resize(keys.size());
  before_.resize(keys.size());
  std::vector<uint32_t> fill(before_starts_.begin(), before_starts_.end() - 1);
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto a = static_cast<uint16_t>(keys[i] >> 16), b = static_cast<uint16_t>(keys[i] & 0xFFFF);
    after_[i] = {b, counts[i]};
    before_[fill[b]++] = {a, counts[i]};
    after_totals_[a] += counts[i];
    before_totals_[b] += counts[i];
  }
}

/// How much likelier each token is than by the unigram, up to a common factor: 1 for all tokens that are not in
/// `touched`.
struct NgramModel::Ratios {
  explicit Ratios(size_t vocab_size) : values(vocab_size, 1.0) {}
  void add(int32_t token, double amount) {
    double& value = values[static_cast<size_t>(token)];
    if (value == 1.0) touched.push_back(token);
    value += amount;
  }
  void clear() {
    for (const int32_t token : touched) values[static_cast<size_t>(token)] = 1.0;
    touched.clear();
  }
  std::vector<double> values;
  std::vector<int32_t> touched;
};

/// One side's ratios. With one neighbour, (C(t) + alpha u(t)) / u(t) = alpha (1 + C(t) / (alpha u(t))); with two, the
/// same relative to the first instead of the unigram.
void NgramModel::side(int32_t far, int32_t near, bool left, const Smoothing& smoothing, Ratios& ratios) const {
  const auto entries = [left](const PairCounts& pairs, int32_t token) {
    return left ? pairs.after(token) : pairs.before(token);
  };
  if (near < 0) {
    if (far < 0) return;
    for (const auto& [token, count] : entries(pairs(2), far))
      ratios.add(token, count / (smoothing.second * unigram(token)));
    return;
  }
  for (const auto& [token, count] : entries(pairs(1), near))
    ratios.add(token, count / (smoothing.one * unigram(token)));
  if (far < 0) return;
  const double seen = left ? pairs(1).count_after(near) : pairs(1).count_before(near);
  const double factor = (seen + smoothing.one) / (smoothing.one * smoothing.two);
  const auto& [keys, counts] = triples_[left ? 0 : 1];
  const uint64_t first = neighbours(far, near);
  for (auto at = std::lower_bound(keys.begin(), keys.end(), first); at != keys.end() && *at >> 16 == first >> 16;
       ++at) {
    const auto token = static_cast<int32_t>(*at & 0xFFFF);
    ratios.add(token, factor * counts[static_cast<size_t>(at - keys.begin())] / unigram(token));
  }
}

double NgramModel::probability(const Context& context, int32_t token, const Smoothing& smoothing) const {
  thread_local Ratios left(0), right(0);
  if (left.values.size() != unigram_.size()) left = right = Ratios(unigram_.size());
  side(context.left2, context.left, true, smoothing, left);
  side(context.right2, context.right, false, smoothing, right);
  const auto product = [&](int32_t t) {
    return unigram(t) * left.values[static_cast<size_t>(t)] * right.values[static_cast<size_t>(t)];
  };
  double total = 1;  // the sum over all tokens: 1 for the unigram, plus the changes by both sides
  for (const int32_t t : left.touched) total += product(t) - unigram(t);
  for (const int32_t t : right.touched)
    if (left.values[static_cast<size_t>(t)] == 1.0) total += product(t) - unigram(t);
  const double result = product(token) / total;
  left.clear();
  right.clear();
  return result;
}

NgramModel::Probabilities NgramModel::probabilities(const Context& context, int32_t token) const {
  return {unigram(token), bigram(context, token), probability(context, token, trigram_)};
}

NgramTrainer::NgramTrainer(int64_t vocab_size, int64_t max_tokens) : vocab_size_(vocab_size), max_tokens_(max_tokens) {
  if (vocab_size > 65536) fail("n-gram baselines take at most 65536 pieces, not ", vocab_size);
}

bool NgramTrainer::add(std::span<const uint16_t> tokens) {
  const auto room = static_cast<size_t>(max_tokens_) - tokens_.size();
  const auto taken = tokens.first(std::min(room, tokens.size()));
  starts_.push_back(tokens_.size());
  tokens_.insert(tokens_.end(), taken.begin(), taken.end());
  return tokens_.size() < static_cast<size_t>(max_tokens_);
}

NgramModel NgramTrainer::count(const std::vector<Stretch>& stretches, log::Progress& tables) const {
  NgramModel model;
  const auto vocabulary = static_cast<size_t>(vocab_size_);
  std::vector<uint32_t> unigrams(vocabulary);
  for (const Stretch& stretch : stretches) {
    model.tokens_ += static_cast<int64_t>(stretch.size());
    for (const uint16_t token : stretch) ++unigrams.at(token);
  }
  const double total = static_cast<double>(model.tokens_) + 0.5 * static_cast<double>(vocabulary);
  for (const uint32_t seen : unigrams) model.unigram_.push_back((seen + 0.5) / total);
  for (size_t distance = 1; distance <= NgramModel::kDistances; ++distance) {
    std::vector<uint32_t> keys;
    keys.reserve(static_cast<size_t>(model.tokens_));
    for (const Stretch& stretch : stretches)
      for (size_t i = distance; i < stretch.size(); ++i)
        keys.push_back(static_cast<uint32_t>(stretch[i - distance]) << 16 | stretch[i]);
    model.pairs_[distance - 1] = PairCounts(vocabulary, std::move(keys));
    tables.add(1);
  }
  for (const bool left : {true, false}) {
    auto& [keys, counts] = model.triples_[left ? 0 : 1];
    keys.reserve(static_cast<size_t>(model.tokens_));
    for (const Stretch& stretch : stretches)
      for (size_t i = 2; i < stretch.size(); ++i)
        keys.push_back(neighbours(stretch[left ? i - 2 : i], stretch[i - 1]) | stretch[left ? i : i - 2]);
    counts = count_keys(keys, 3);
    tables.add(1);
  }
  return model;
}

NgramModel NgramTrainer::finish(Sides sides) {
  if (tokens_.empty()) fail("no tokens to train the n-gram baselines on");
  log::Progress tables("counting n-grams", 2 * (NgramModel::kDistances + 2), "tables");  // twice pairs and triples
  std::vector<Stretch> all, counted, kept;
  starts_.push_back(tokens_.size());
  constexpr size_t kPart = 20;  // a twentieth of the tokens: whole stretches, or their ends if there are few
  const bool few = starts_.size() <= kPart;
  for (size_t s = 0; s + 1 < starts_.size(); ++s) {
    const Stretch stretch(tokens_.data() + starts_[s], starts_[s + 1] - starts_[s]);
    all.push_back(stretch);
    const size_t cut = few ? stretch.size() - stretch.size() / kPart : s % kPart == kPart - 1 ? 0 : stretch.size();
    counted.push_back(stretch.first(cut));
    kept.push_back(stretch.subspan(cut));
  }
  // Positions of the kept part with their neighbours, some of which are hidden too, as they are in training.
  constexpr size_t kPositions = 4'000;
  size_t tokens = 0;
  for (const Stretch& stretch : kept) tokens += stretch.size();
  Rng rng(1);
  std::vector<NgramModel::Context> contexts;
  std::vector<int32_t> truth;
  for (const Stretch& stretch : kept)
    for (size_t i = 2; i + 2 < stretch.size(); ++i) {
      if (rng.below(std::max<size_t>(tokens, 1)) >= kPositions) continue;
      const auto seen = [&](size_t at) { return rng.below(100) < 15 ? NgramModel::kUnknown : int32_t{stretch[at]}; };
      NgramModel::Context context;
      context.left2 = seen(i - 2), context.left = seen(i - 1), context.right = seen(i + 1),
      context.right2 = seen(i + 2);
      if (sides == Sides::left) context = {.left2 = stretch[i - 2], .left = stretch[i - 1]};
      contexts.push_back(context);
      truth.push_back(stretch[i]);
    }
  NgramModel model = count(counted, tables);
  // From the present choice to better neighbours: the loss has one minimum in each of the numbers.
  const auto choose = [&](Smoothing& smoothing, double Smoothing::*which, const auto& probability) {
    constexpr std::array kChoices{30., 100., 300., 700., 1500., 3000., 10000., 100000.};
    std::array<std::optional<double>, kChoices.size()> losses;
    const auto loss = [&](size_t choice) {
      if (losses[choice]) return *losses[choice];
      smoothing.*which = kChoices[choice];
      double sum = 0;
      for (size_t i = 0; i < truth.size(); ++i) sum -= std::log(probability(contexts[i], truth[i]));
      return *(losses[choice] = sum);
    };
    const auto* present = std::lower_bound(kChoices.begin(), kChoices.end(), smoothing.*which);
    auto best = static_cast<size_t>(present - kChoices.begin());
    while (best + 1 < kChoices.size() && loss(best + 1) < loss(best)) ++best;
    while (best > 0 && loss(best - 1) < loss(best)) --best;
    smoothing.*which = kChoices[best];
  };
  if (!truth.empty()) {
    choose(model.bigram_, &Smoothing::one,
           [&](const auto& context, int32_t token) { return model.bigram(context, token); });
    for (int round = 0; round < 2; ++round)
      for (const auto which : {&Smoothing::one, &Smoothing::two, &Smoothing::second})
        choose(model.trigram_, which,
               [&](const auto& context, int32_t token) { return model.probability(context, token, model.trigram_); });
  }
  const Smoothing bigram = model.bigram_, trigram = model.trigram_;
  model = {};  // before memory for the next is taken
  model = count(all, tables);
  model.bigram_ = bigram;
  model.trigram_ = trigram;
  return model;
}

}  // namespace bigdna::mlm
