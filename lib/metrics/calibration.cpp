#include "metrics/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/rng.h"
#include "base/streams.h"
#include "base/threads.h"

namespace bigdna::metrics {

std::vector<CalibrationBin> calibration(std::span<const float> probabilities, std::span<const uint8_t> labels,
                                        std::span<const int64_t> weights, int bins) {
  std::vector<CalibrationBin> result(static_cast<size_t>(bins));
  for (int b = 0; b < bins; ++b) {
    result[static_cast<size_t>(b)].low = static_cast<double>(b) / bins;
    result[static_cast<size_t>(b)].high = static_cast<double>(b + 1) / bins;
  }
  for (size_t i = 0; i < probabilities.size(); ++i) {
    const int64_t weight = weights.empty() ? 1 : weights[i];
    const double p = probabilities[i];
    auto& bin = result[static_cast<size_t>(std::clamp(static_cast<int>(p * bins), 0, bins - 1))];
    bin.rows += weight;
    bin.positives += labels[i] ? weight : 0;
    bin.probabilities += p * static_cast<double>(weight);
  }
  return result;
}

double calibration_error(std::span<const CalibrationBin> bins) {
  double sum = 0, rows = 0;
  for (const auto& bin : bins) {
    sum += std::abs(static_cast<double>(bin.positives) - bin.probabilities);
    rows += static_cast<double>(bin.rows);
  }
  return rows > 0 ? sum / rows : std::numeric_limits<double>::quiet_NaN();
}

Estimate chance_calibration_error(std::span<const float> probabilities, int draws, uint64_t seed, int threads) {
  std::vector<double> errors(static_cast<size_t>(draws));
  parallel_for(draws, threads, [&](int64_t draw) {
    Rng rng(mix({seed, kChanceCalibration}), static_cast<uint64_t>(draw));
    std::vector<uint8_t> labels;
    labels.reserve(probabilities.size());
    for (const float p : probabilities) labels.push_back(rng.uniform() < p);
    errors[static_cast<size_t>(draw)] = calibration_error(calibration(probabilities, labels));
  });
  const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(draws);
  return interval_of(mean, std::move(errors));
}

double brier_score(std::span<const float> probabilities, std::span<const uint8_t> labels,
                   std::span<const int64_t> weights) {
  double sum = 0, rows = 0;
  for (size_t i = 0; i < probabilities.size(); ++i) {
    const double weight = weights.empty() ? 1 : static_cast<double>(weights[i]);
    const double difference = probabilities[i] - (labels[i] ? 1.0 : 0.0);
    sum += weight * difference * difference;
    rows += weight;
  }
  return rows > 0 ? sum / rows : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace bigdna::metrics
