/// Pearson's correlation coefficient under resampling of whole blocks, without going over the rows again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::metrics {

/// Holds sums of each block. Any weighting of blocks then takes a few operations for each block.
class BlockPearson {
 public:
  /// No rows.
  BlockPearson() = default;
  /// `blocks[i]` in [0, count) is the block of row i; none: all rows are in one. x and y have the same length.
  BlockPearson(std::span<const double> x, std::span<const double> y, std::span<const int32_t> blocks = {},
               int32_t count = 1);
  /// With the rows of block b counted weights[b] times; none: all once. NaN without two rows, or where either side is
  /// constant.
  double value(std::span<const double> weights = {}) const;
  /// The sum of squared deviations of x from its mean; NaN where value() is, but for a constant y.
  double squares_of_x(std::span<const double> weights = {}) const;

 private:
  /// Sums about the means of all rows.
  struct Sums {
    double rows = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  };
  Sums total(std::span<const double> weights) const;

  std::vector<Sums> sums_;  // of each block
};

}  // namespace bigdna::metrics
