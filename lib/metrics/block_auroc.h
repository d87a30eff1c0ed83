/// AUROC under resampling of whole blocks, without going over the rows again: for a paired bootstrap over hundreds of
/// features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::metrics {

/// Holds, for each pair of blocks, how many of their (1, 0) pairs of rows are in the right order (ties count half). Any
/// weighting of blocks then takes blocks^2 multiplications instead of a pass over all rows.
class BlockAuroc {
 public:
  /// `blocks[i]` in [0, count) is the block of row i. Error if a score is NaN.
  BlockAuroc(std::span<const float> scores, std::span<const uint8_t> labels, std::span<const int32_t> blocks,
             int32_t count);
  /// AUROC with the rows of block b counted weights[b] times, as Ranking::auroc() of those weights. NaN if a class is
  /// missing.
  double auroc(std::span<const double> weights) const;

 private:
  size_t count_;
  std::vector<double> twice_pairs_;  // [block of the row of class 1][block of the row of class 0]
  std::vector<double> ones_, zeros_;
};

}  // namespace bigdna::metrics
