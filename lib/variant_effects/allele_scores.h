/// What a model, or one of its networks, predicts for both alleles, and how effects follow from it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "variants/effects.h"

namespace bigdna::variant_effects {

/// Predictions by feature: of the reference, and of the alternative with the interval's left or right side in place.
struct Scores {
  std::vector<variants::Prediction> ref, left, right;
};

struct AlleleScores {
  std::vector<Scores> intervals;  // of each interval, or the largest of all
  Scores sums;                    // over all intervals; probabilities (expected counts) alone
};
/// Those of `count` intervals, each of which `of_interval` predicts. `largest`: one Scores holds the largest of all.
AlleleScores collect(size_t count, bool largest, const std::function<Scores(size_t)>& of_interval);

/// An effect of outputs on a feature: of the interval on which its absolute value is largest; LFC of the sums.
double effect_of(variants::Effect effect, size_t feature, const AlleleScores& scores);
/// SPREAD: the standard deviation, over networks, of the change on a feature. The change is DIFF of numbers, ln of the
/// ratio of the sums of counts, and LOGIT otherwise; of the interval on which its mean is largest.
double spread_of(size_t feature, variants::Predicted predicted, std::span<const AlleleScores> networks);

}  // namespace bigdna::variant_effects
