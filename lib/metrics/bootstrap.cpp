#include "metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/rng.h"
#include "base/threads.h"
#include "metrics/calibration.h"

namespace bigdna::metrics {

namespace {
double quantile(const std::vector<double>& sorted, double q) {  // linear between neighbours, as in NumPy
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}
}  // namespace

Estimate interval_of(double value, std::vector<double> resampled) {
  std::erase_if(resampled, [](double each) { return std::isnan(each); });
  std::sort(resampled.begin(), resampled.end());
  Estimate estimate{value, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  if (!resampled.empty()) {
    estimate.low = quantile(resampled, 0.025);
    estimate.high = quantile(resampled, 0.975);
  }
  return estimate;
}

Estimate bootstrap(std::span<const int64_t> blocks, int resamples, uint64_t seed, int threads,
                   const std::function<double(std::span<const int64_t>)>& statistic) {
  std::vector<int64_t> names(blocks.begin(), blocks.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<size_t> block_of_row;
  for (const int64_t block : blocks)
    block_of_row.push_back(static_cast<size_t>(std::lower_bound(names.begin(), names.end(), block) - names.begin()));

  std::vector<double> values(static_cast<size_t>(resamples));
  parallel_for(resamples, threads, [&](int64_t resample) {
    Rng rng(seed, static_cast<uint64_t>(resample));
    std::vector<int64_t> drawn(names.size(), 0), weights;
    for (size_t i = 0; i < names.size(); ++i) ++drawn[rng.below(names.size())];
    weights.reserve(block_of_row.size());
    for (const size_t block : block_of_row) weights.push_back(drawn[block]);
    values[static_cast<size_t>(resample)] = statistic(weights);
  });
  if (names.size() < 2) values.clear();
  return interval_of(statistic({}), std::move(values));
}

BinaryMetrics binary_metrics(std::span<const float> scores, std::span<const uint8_t> labels,
                             std::span<const int64_t> blocks, double threshold, int resamples, uint64_t seed,
                             int threads) {
  const Ranking ranking(scores, labels);
  BinaryMetrics result;
  result.rows = static_cast<int64_t>(scores.size());
  result.positives = std::count_if(labels.begin(), labels.end(), [](uint8_t label) { return label != 0; });
  result.threshold = threshold;
  result.counts = confusion(scores, labels, threshold);
  using Weights = std::span<const int64_t>;
  auto estimate = [&](const std::function<double(Weights)>& statistic) {
    return bootstrap(blocks, resamples, seed, threads, statistic);
  };
  auto at_threshold = [&](double (Confusion::*member)() const) {
    return estimate([&, member](Weights weights) { return (confusion(scores, labels, threshold, weights).*member)(); });
  };
  result.f1 = at_threshold(&Confusion::f1);
  result.precision = at_threshold(&Confusion::precision);
  result.recall = at_threshold(&Confusion::recall);
  result.mcc = at_threshold(&Confusion::mcc);
  result.accuracy = at_threshold(&Confusion::accuracy);
  result.auroc = estimate([&](Weights weights) { return ranking.auroc(weights); });
  result.auprc = estimate([&](Weights weights) { return ranking.auprc(weights); });
  result.calibration_error =
      estimate([&](Weights weights) { return metrics::calibration_error(calibration(scores, labels, weights)); });
  result.brier = estimate([&](Weights weights) { return brier_score(scores, labels, weights); });
  return result;
}

}  // namespace bigdna::metrics
