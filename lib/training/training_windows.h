/// What a network on bases is trained on: windows of bins with their labels.
#pragma once

#include <cstdint>
#include <vector>

#include "rows/task_rows.h"
#include "corpus/example.h"
#include "model_folder/network_config.h"
#include "training/bin_grid.h"

namespace bigdna::training {

class TrainingWindows {
 public:
  /// `data`, `grid`: must outlive this. Error if no window holds training rows.
  TrainingWindows(const rows::TaskRows& data, const BinGrid& grid, const model_folder::NetworkConfig& config,
                  double background_weight);

  /// Windows of an epoch, which together hold every training row once (up to those near the ends of stretches).
  int64_t size() const { return static_cast<int64_t>(windows_.size()); }
  /// Example `index` of a run with this seed, a pure function of both: in each epoch all windows once, in an order and
  /// moved by a number of bins drawn for the epoch; bases are moved by up to a fifth of a bin against the labels, and
  /// half of the windows are read from the reverse strand. `ids` are codes of bases, `targets` [bins * labels]
  /// (of counts NaN in bins that are no training rows), `weights` [bins] of labels of 0 and 1, of which background has
  /// less.
  corpus::Example example(uint64_t seed, int64_t index) const;

  /// For each label the weighted share of training rows that have it, or the mean of its counts.
  const std::vector<double>& means() const { return means_; }
  /// For each label a factor of its loss, with a mean of 1: in proportion to its prevalence to the power of -balance,
  /// so that labels of few bins are not drowned out by those of many. Of counts: 1 / mean.
  std::vector<float> label_weights(double balance) const;

 private:
  bool is_count(int64_t label) const;

  const rows::TaskRows& data_;
  const BinGrid& grid_;
  const model_folder::NetworkConfig& config_;
  int64_t bins_;
  std::vector<Window> windows_;
  std::vector<float> weights_;  // of each row of the dataset; 0 for those of other splits
  std::vector<double> means_;
};

}  // namespace bigdna::training
