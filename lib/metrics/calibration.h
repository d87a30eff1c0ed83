/// Whether probabilities agree with observed frequencies: reliability in bins of equal width, after Guo et al. 2017.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/bootstrap.h"

namespace bigdna::metrics {

/// Rows whose probability lies in [low, high), the last bin in [low, 1].
struct CalibrationBin {
  double low = 0, high = 0;
  int64_t rows = 0, positives = 0;
  double probabilities = 0;  // their sum
  double mean_probability() const { return rows ? probabilities / static_cast<double>(rows) : 0; }
  double share_of_positives() const { return rows ? static_cast<double>(positives) / static_cast<double>(rows) : 0; }
};

/// `weights` say how often each row counts (a bootstrap's resample); without them, each counts once.
std::vector<CalibrationBin> calibration(std::span<const float> probabilities, std::span<const uint8_t> labels,
                                        std::span<const int64_t> weights = {}, int bins = 10);
/// Expected calibration error: the mean over the rows of |share of positives - mean probability| of their
/// bin. NaN without rows.
double calibration_error(std::span<const CalibrationBin> bins);
/// The calibration error that these probabilities would show by chance if they were correct: mean and 95 % interval
/// over `draws` sets of labels drawn from them. NaN without rows or draws. The same for any number of threads.
Estimate chance_calibration_error(std::span<const float> probabilities, int draws, uint64_t seed, int threads);
/// Mean squared difference between probability and label (Brier 1950). NaN without rows.
double brier_score(std::span<const float> probabilities, std::span<const uint8_t> labels,
                   std::span<const int64_t> weights = {});

}  // namespace bigdna::metrics
