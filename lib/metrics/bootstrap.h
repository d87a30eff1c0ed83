/// Confidence intervals by resampling blocks of the genome. Neighbouring intervals are not independent, so whole blocks
/// are drawn with replacement, never single rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "metrics/classification.h"

namespace bigdna::metrics {

struct Estimate {
  double value = 0;
  double low = 0,
         high = 0;  // 95 % percentile interval; NaN if there are fewer than two blocks, or no value
};

/// `value` with the 95 % percentile interval of `resampled`, without its NaN.
Estimate interval_of(double value, std::vector<double> resampled);

/// `blocks[i]` names row i's block (any integers). `statistic(weights)` gives the value with row i counted
/// weights[i] times. Resamples where the statistic is NaN are left out. The same for any number of threads.
Estimate bootstrap(std::span<const int64_t> blocks, int resamples, uint64_t seed, int threads,
                   const std::function<double(std::span<const int64_t> weights)>& statistic);

/// The metrics of one binary task, each with its interval.
struct BinaryMetrics {
  int64_t rows = 0, positives = 0;
  double threshold = 0.5;
  Confusion counts;
  Estimate f1, precision, recall, mcc, accuracy, auroc, auprc, calibration_error, brier;
};
BinaryMetrics binary_metrics(std::span<const float> scores, std::span<const uint8_t> labels,
                             std::span<const int64_t> blocks, double threshold, int resamples, uint64_t seed,
                             int threads);

}  // namespace bigdna::metrics
