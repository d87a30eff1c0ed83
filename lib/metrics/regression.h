/// How well predicted numbers agree with measured ones; as in SciPy and scikit-learn, which tests/peers compares with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::metrics {

/// Pairs of a measured and a predicted number. The metrics take an optional weight per pair, in the order given: how
/// often it counts (a bootstrap's resample). They are NaN if fewer than two pairs count, and correlations also if
/// either side is constant.
class RegressionPairs {
 public:
  /// Error if the lengths differ or a number is not finite.
  RegressionPairs(std::span<const float> measured, std::span<const float> predicted);
  int64_t size() const { return static_cast<int64_t>(measured_.size()); }
  /// Pearson's correlation coefficient.
  double pearson(std::span<const int64_t> weights = {}) const;
  /// Spearman's correlation coefficient: Pearson's of the ranks, where ties have their mean rank.
  double spearman(std::span<const int64_t> weights = {}) const;
  /// 1 - sum of squared errors / sum of squared deviations of the measured from their mean.
  double r2(std::span<const int64_t> weights = {}) const;
  /// Root of the mean squared error.
  double rmse(std::span<const int64_t> weights = {}) const;

 private:
  std::vector<double> measured_, predicted_;
  std::vector<uint32_t> by_measured_, by_predicted_;  // indices of the pairs, by ascending value
};

}  // namespace bigdna::metrics
