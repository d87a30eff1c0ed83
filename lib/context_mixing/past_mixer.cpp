#include "context_mixing/past_mixer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "genome/alphabet.h"

namespace bigdna::context_mixing {
namespace {

using tokenizer::TokenTree;

constexpr int kLeastRun = 12, kLeastEqual = 24;  // a copy that has fewer of both is given up
constexpr int kRuns = 33, kEquals = 17;  // of kinds of copies: the run's bases to 32, and a quarter of the equal
constexpr size_t kPairSlots = size_t{1} << 24;
constexpr uint8_t kMostPairs = 250;  // counts above this are halved
constexpr float kPrior = 4;          // what a node's counts weigh beside a pair's
constexpr float kLeast = 1e-6F;      // of probabilities whose logarithm is an input
constexpr size_t kDepths = 8, kLevels = 12;
constexpr size_t kLongest = OrderCounts::kOrders.size() - 1;  // of the orders
constexpr float kSurest = 0.999F;                             // of copies, in the mean of all

/// Classes of a probability, finer towards 1.
size_t level_of(float p) {
  return static_cast<size_t>(std::min(-std::log2(1 - std::min(p, 0.9999F)) * 1.3F, static_cast<float>(kLevels - 1)));
}

/// Classes of how often something was seen.
size_t level_of_count(float seen) {
  return static_cast<size_t>(std::min(std::log2(1 + seen) * 1.4F, static_cast<float>(kLevels - 1)));
}

/// In this order: by the model, the node, the copies, how often the longest orders' bases were seen, and what they say.
std::vector<size_t> weight_sets(const TokenTree& tree) {
  return {kDepths * kLevels, tree.nodes().size(), 2 * 3 * (kLevels + 1), kLevels * kLevels,
          kLevels * kLevels * kLevels};
}

}  // namespace

// Invariants: before a step, copies_ have places before the next base, orders_ knows all bases before it, and index_
// all bases of the tokens before this one. Nothing of the step itself is counted until its bits are fixed.

PastMixer::PastMixer(const tokenizer::Encoder& encoder, const TokenTree& tree)
    : encoder_(encoder),
      tree_(tree),
      longest_(static_cast<size_t>(encoder.vocabulary().longest_piece())),
      nodes_(tree.nodes().size()),
      pairs_(kPairSlots),
      shares_(size_t{2} * 2 * 2 * kRuns * kEquals),
      mixer_(weight_sets(tree), [] {
        LogMixer::Inputs first{};
        first[kModel] = 0.7F;
        first[kFirstOrder + kLongest] = 0.2F;
        first[kFirstCopy] = 0.2F;
        return first;
      }()) {}

float PastMixer::goes_on(int32_t node, size_t base) const {
  const auto& at = tree_.nodes()[static_cast<size_t>(node)];
  if (at.next[base] < 0) return 0;
  if (at.token < 0) return 1;
  const auto& counts = nodes_[static_cast<size_t>(node)];
  return static_cast<float>(counts.went_on[base] / (counts.went_on[base] + counts.ended[base]));
}

PastMixer::PairCounts& PastMixer::pairs(int32_t node) {
  const auto key = static_cast<uint64_t>(before_ + 1) * nodes_.size() + static_cast<uint64_t>(node);
  return pairs_[key * 0x9e3779b97f4a7c15 >> 40 & (kPairSlots - 1)];
}

void PastMixer::find_copies() {
  std::erase_if(copies_, [](const Copy& copy) {
    return std::countr_one(copy.equal) < kLeastRun && std::popcount(copy.equal) < kLeastEqual;
  });
  for (const auto& place : index_.latest())
    if (std::ranges::find(copies_, place, &Copy::place) == copies_.end())
      copies_.push_back({.place = place, .equal = index_.agreement(place)});
  std::ranges::stable_sort(copies_, [](const Copy& a, const Copy& b) {
    return std::pair(std::popcount(a.equal), std::countr_one(a.equal)) >
           std::pair(std::popcount(b.equal), std::countr_one(b.equal));
  });
  if (copies_.size() > kCopies) copies_.resize(kCopies);
  for (auto& copy : copies_) {
    const std::string follows = index_.following(copy.place, 2 * longest_);
    copy.told = follows.empty() ? -1 : encoder_.encode(follows).ids.front();
    copy.left = copy.told < 0 || tree_.steps(copy.told).empty();
  }
}

PastMixer::Voice PastMixer::voice_of(const Copy& copy, size_t depth) {
  const int step = copy.left ? index_.following(copy.place) : tree_.steps(copy.told)[depth].step;
  if (copy.left && step == CopyIndex::kUnknown) return {-1, nullptr};
  size_t kind = copy.left;
  kind = 2 * kind + (depth > 0);
  kind = 2 * kind + (step == TokenTree::kEnd);
  kind = kRuns * kind + static_cast<size_t>(std::min(std::countr_one(copy.equal), kRuns - 1));
  kind = kEquals * kind + static_cast<size_t>(std::popcount(copy.equal) / 4);
  return {step, &shares_[kind]};
}

void PastMixer::count_step(int32_t node, int step) {
  auto& counts = nodes_[static_cast<size_t>(node)];
  counts.steps[static_cast<size_t>(step)] += 1;
  auto& of_pair = pairs(node);
  if (++of_pair[static_cast<size_t>(step)] > kMostPairs)
    for (auto& n : of_pair) n /= 2;
  if (step == TokenTree::kEnd) {
    before_ = node;
    return;
  }
  counts.went_on[static_cast<size_t>(step)] += 1;
  if (node == 0 && before_ >= 0) nodes_[static_cast<size_t>(before_)].ended[static_cast<size_t>(step)] += 1;
}

void PastMixer::count_base(int base) {
  orders_.add(base);
  for (auto& copy : copies_) {
    copy.equal = copy.equal << 1 | static_cast<uint64_t>(index_.following(copy.place) == base);
    copy.place = copy.place.after(1);
  }
}

float PastMixer::mix_step(size_t depth, int32_t node, int step, const LogMixer::Probabilities& model) {
  const auto& at = tree_.nodes()[static_cast<size_t>(node)];
  std::array<bool, LogMixer::kSteps> allowed{};
  for (size_t base = 0; base < 4; ++base) allowed[base] = at.next[base] >= 0;
  allowed[TokenTree::kEnd] = at.token >= 0;
  std::array<LogMixer::Inputs, LogMixer::kSteps> inputs{};
  const auto set = [&](size_t input, const LogMixer::Probabilities& p) {
    for (size_t s = 0; s < LogMixer::kSteps; ++s)
      if (allowed[s]) inputs[s][input] = std::log(std::max(p[s], kLeast));
  };
  set(kModel, model);

  const auto& counts = nodes_[static_cast<size_t>(node)];
  const auto& of_pair = pairs(node);
  LogMixer::Probabilities tokens{}, pair{};
  double sum = 0, pair_sum = kPrior;
  for (const double n : counts.steps) sum += n;
  for (const auto n : of_pair) pair_sum += n;
  for (size_t s = 0; s < LogMixer::kSteps; ++s) {
    tokens[s] = static_cast<float>(counts.steps[s] / sum);
    pair[s] = (of_pair[s] + kPrior * tokens[s]) / static_cast<float>(pair_sum);
  }
  set(kTokens, tokens);
  set(kPairs, pair);
  inputs[TokenTree::kEnd][kEnds] = 1;

  // An order tells the next base, whether it belongs to this token or to the next one. A base that would have made the
  // token before longer is unlikely to begin this one.
  std::array<float, 4> on{}, begins{1, 1, 1, 1};
  for (size_t base = 0; base < 4; ++base) {
    on[base] = goes_on(node, base);
    if (node == 0 && before_ >= 0) begins[base] = std::max(1 - goes_on(before_, base), 1e-3F);
  }
  for (size_t k = 0; k < OrderCounts::kOrders.size(); ++k) {
    LogMixer::Probabilities steps{};
    float total = 0;
    for (size_t base = 0; base < 4; ++base) total += steps[base] = orders_.next()[k][base] * begins[base];
    for (size_t base = 0; base < 4; ++base) {
      steps[TokenTree::kEnd] += steps[base] * (1 - on[base]) / total;
      steps[base] *= on[base] / total;
    }
    set(kFirstOrder + k, steps);
  }

  // Copies: the surest ones by themselves, and the mean of all, weighted by their odds.
  std::array<Voice, kCopies> voices;
  size_t heard = 0;
  for (const auto& copy : copies_)
    if (const Voice voice = voice_of(copy, depth); voice.step >= 0 && allowed[static_cast<size_t>(voice.step)])
      voices[heard++] = voice;
  const auto others = static_cast<float>(std::ranges::count(allowed, true) - 1);
  std::stable_sort(voices.begin(), voices.begin() + static_cast<std::ptrdiff_t>(heard),
                   [](const Voice& a, const Voice& b) { return a.share->value() > b.share->value(); });
  if (others > 0 && heard > 0) {
    LogMixer::Probabilities mean{};
    float weights = 0;
    for (size_t v = 0; v < heard; ++v) {
      LogMixer::Probabilities of_voice;
      of_voice.fill((1 - voices[v].share->value()) / others);
      of_voice[static_cast<size_t>(voices[v].step)] = voices[v].share->value();
      if (v + 1 < kVoices) set(kFirstCopy + v, of_voice);
      const float share = std::min(voices[v].share->value(), kSurest), weight = share / (1 - share);
      for (size_t s = 0; s < LogMixer::kSteps; ++s) mean[s] += weight * of_voice[s];
      weights += weight;
    }
    for (float& p : mean) p /= weights;
    set(kFirstCopy + kVoices - 1, mean);
  }
  const size_t surest = heard == 0 ? 0 : 1 + level_of(voices[0].share->value());
  const size_t second = heard < 2 ? 0 : voices[1].step == voices[0].step ? 1 : 2;
  const auto level = [&](size_t back) { return level_of(*std::ranges::max_element(orders_.next()[kLongest - back])); };
  const std::array contexts{
      std::min(depth, kDepths - 1) * kLevels + level_of(*std::ranges::max_element(model)), static_cast<size_t>(node),
      (3 * surest + second) * 2 + (depth > 0),
      level_of_count(orders_.seen()[kLongest]) * kLevels + level_of_count(orders_.seen()[kLongest - 2]),
      (level(0) * kLevels + level(2)) * kLevels + level(3)};
  const float p = mixer_.mix(inputs, allowed, contexts)[static_cast<size_t>(step)];
  mixer_.learn(static_cast<size_t>(step));
  for (size_t v = 0; v < heard; ++v) voices[v].share->add(voices[v].step == step);
  return -std::log2(p);
}

void PastMixer::read(std::string_view bases) {
  copies_.clear();
  index_.append(bases);
  const auto encoding = encoder_.encode(bases);
  for (size_t i = 0; i < encoding.size(); ++i) {
    const auto& path = tree_.steps(encoding.ids[i]);
    for (const auto& [node, step] : path) {
      count_step(node, step);
      if (step != TokenTree::kEnd) orders_.add(step);
    }
    if (!path.empty()) continue;
    before_ = -1;
    for (int64_t at = encoding.begins[i]; at < encoding.begins[i + 1]; ++at)
      orders_.add(genome::base_code(bases[static_cast<size_t>(at)]));
  }
  orders_.refresh();
}

void PastMixer::end_record() { read("N"); }

float PastMixer::mix(tokenizer::TokenId token, int64_t bases, std::span<const LogMixer::Probabilities> steps) {
  const auto& vocabulary = encoder_.vocabulary();
  if (steps.empty()) {
    read(vocabulary.is_special(token) ? std::string(static_cast<size_t>(bases), 'N') : vocabulary.piece(token).text);
    return std::numeric_limits<float>::quiet_NaN();
  }
  find_copies();
  told_ += !copies_.empty();
  right_ += std::ranges::any_of(copies_, [&](const Copy& copy) { return copy.told == token; });
  float bits = 0;
  const auto& path = tree_.steps(token);
  for (size_t depth = 0; depth < path.size(); ++depth) {
    const auto& [node, step] = path[depth];
    bits += mix_step(depth, node, step, steps[depth]);
    for (auto& copy : copies_) copy.left = copy.left || tree_.steps(copy.told)[depth].step != step;
    count_step(node, step);
    if (step == TokenTree::kEnd) break;
    count_base(step);
    orders_.refresh();
  }
  index_.append(vocabulary.piece(token).text);
  return bits;
}

}  // namespace bigdna::context_mixing
