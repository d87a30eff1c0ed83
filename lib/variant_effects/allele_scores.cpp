#include "variant_effects/allele_scores.h"

#include <algorithm>
#include <cmath>

#include "models/spread.h"

namespace bigdna::variant_effects {

using variants::Effect;
using variants::Prediction;

namespace {
void add(std::vector<Prediction>& sums, const std::vector<Prediction>& others) {
  for (size_t f = 0; f < others.size(); ++f) sums[f].probability += others[f].probability;
}

/// Of each feature the larger of both.
void keep_larger(std::vector<Prediction>& all, const std::vector<Prediction>& others) {
  for (size_t f = 0; f < all.size(); ++f) {
    all[f].probability = std::max(all[f].probability, others[f].probability);
    all[f].logit = std::max(all[f].logit, others[f].logit);
  }
}

void apply(auto change, Scores& to, const Scores& from) {
  change(to.ref, from.ref);
  change(to.left, from.left);
  change(to.right, from.right);
}

double mean_of_sides(Effect effect, size_t f, const Scores& of) {
  return (variants::effect_of(effect, of.ref[f], of.left[f]) + variants::effect_of(effect, of.ref[f], of.right[f])) / 2;
}
}  // namespace

AlleleScores collect(size_t count, bool largest, const std::function<Scores(size_t)>& of_interval) {
  AlleleScores all;
  for (size_t i = 0; i < count; ++i) {
    Scores of = of_interval(i);
    if (i == 0)
      all.sums = of;
    else
      apply(add, all.sums, of);
    if (i == 0 || !largest)
      all.intervals.push_back(std::move(of));
    else
      apply(keep_larger, all.intervals[0], of);
  }
  return all;
}

double effect_of(Effect effect, size_t feature, const AlleleScores& scores) {
  if (effect == Effect::lfc) return mean_of_sides(effect, feature, scores.sums);
  double value = 0;
  for (const auto& of : scores.intervals) {
    const double candidate = mean_of_sides(effect, feature, of);
    if (std::isnan(candidate) || std::abs(candidate) > std::abs(value)) value = candidate;
  }
  return value;
}

double spread_of(size_t feature, variants::Predicted predicted, std::span<const AlleleScores> networks) {
  std::vector<double> values(networks.size());
  if (predicted == variants::Predicted::counts) {
    for (size_t n = 0; n < networks.size(); ++n)
      values[n] = std::log(2.0) * mean_of_sides(Effect::lfc, feature, networks[n].sums);
    return models::Spread::deviation(values);
  }
  const Effect change = predicted == variants::Predicted::numbers ? Effect::diff : Effect::logit;
  double largest = -1, spread = 0;
  for (size_t i = 0; i < networks.front().intervals.size(); ++i) {
    double sum = 0;
    for (size_t n = 0; n < networks.size(); ++n)
      sum += values[n] = mean_of_sides(change, feature, networks[n].intervals[i]);
    if (std::abs(sum) <= largest) continue;
    largest = std::abs(sum);
    spread = models::Spread::deviation(values);
  }
  return spread;
}

}  // namespace bigdna::variant_effects
