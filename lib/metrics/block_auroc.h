/// AUROC under resampling of whole blocks, without the rows: what a paired bootstrap over hundreds of
/// features needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::metrics {

/// For each pair of blocks, how many of their (1, 0) pairs of rows are in the right order (ties count half).
/// Any weighting of blocks then takes blocks^2 multiplications in place of a walk over all rows.
class BlockAuroc {
 public:
  /// `blocks[i]` in [0, count) is row i's. Error where a score is NaN.
  BlockAuroc(std::span<const float> scores, std::span<const uint8_t> labels, std::span<const int32_t> blocks,
             int32_t count);
  /// With the rows of block b counted weights[b] times: Ranking::auroc() of those weights. NaN where a class
  /// is missing.
  double auroc(std::span<const double> weights) const;

 private:
  size_t count_;
  std::vector<double> twice_pairs_;  // [block of the 1][block of the 0]
  std::vector<double> ones_, zeros_;
};

}  // namespace bigdna::metrics
