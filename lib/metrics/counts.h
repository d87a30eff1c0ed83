/// How well expected counts agree with observed ones, over all rows or under resampling of whole blocks of them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/block_pearson.h"

namespace bigdna::metrics {

/// Pairs of an observed count and the expected one. Any weighting of blocks takes a few operations for each block
/// instead of a pass over all rows.
class CountPairs {
 public:
  /// `blocks[i]` in [0, count) is the block of row i; none: all rows are in one. Error if the lengths differ, a count
  /// is below 0 or not finite, or an expected count is below 0 or not a number.
  CountPairs(std::span<const float> observed, std::span<const float> expected, std::span<const int32_t> blocks = {},
             int32_t count = 1);

  // With the rows of block b counted weights[b] times; none: all once. NaN without two rows, or where either side is
  // constant.
  /// Pearson's correlation coefficient of log(1 + count), and of the counts.
  double pearson_log1p(std::span<const double> weights = {}) const { return log1p_.value(weights); }
  double pearson(std::span<const double> weights = {}) const { return counts_.value(weights); }
  /// Spearman's: Pearson's of the ranks among all rows, whose ties have their mean rank; blocks keep these ranks.
  double spearman(std::span<const double> weights = {}) const { return ranks_.value(weights); }
  /// The share of Poisson's deviance from the mean count of the same rows that is explained: 1 - deviance / deviance of
  /// that mean.
  double deviance_explained(std::span<const double> weights = {}) const;
  /// 1 - sum of squared errors of log(1 + count) / sum of squared deviations from its mean.
  double r2_log1p(std::span<const double> weights = {}) const;
  /// Sum of the expected counts / sum of the observed.
  double total_ratio(std::span<const double> weights = {}) const;

 private:
  struct Sums {
    double rows = 0, observed = 0, expected = 0;
    double own_log = 0, cross_log = 0;  // of observed x log observed, and of observed x log expected
    double squared_errors = 0;          // of log(1 + count)
  };
  Sums total(std::span<const double> weights) const;

  std::vector<Sums> sums_;               // of each block
  BlockPearson log1p_, counts_, ranks_;  // x: observed, y: expected
};

/// A metric by its name in tables.
struct CountMetric {
  std::string_view name;
  double (CountPairs::*of)(std::span<const double> weights) const;
  bool symmetric;  // the same whichever side is expected, and defined where counts of 0 are
};
/// All of them; the first is the one by which models are judged.
inline constexpr CountMetric kCountMetrics[] = {{"pearson_log1p", &CountPairs::pearson_log1p, true},
                                                {"pearson", &CountPairs::pearson, true},
                                                {"spearman", &CountPairs::spearman, true},
                                                {"r2_log1p", &CountPairs::r2_log1p, false},
                                                {"deviance_explained", &CountPairs::deviance_explained, false},
                                                {"total_ratio", &CountPairs::total_ratio, false}};

}  // namespace bigdna::metrics
