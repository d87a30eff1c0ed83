#include "profile_training/region_metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "metrics/counts.h"
#include "metrics/ranks.h"

namespace bigdna::profile_training {

using evaluation::at_places;
using evaluation::Line;
using evaluation::Resamples;

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A metric as a function of the blocks' weights; none: each block once.
struct Statistic {
  std::string_view metric;
  bool compared;  // between methods
  std::function<double(std::span<const double> weights)> of;
};

std::vector<Statistic> of_distances(const RegionScores& method, const std::vector<size_t>& places,
                                    const std::vector<int32_t>& blocks) {
  std::vector<double> values;
  std::vector<int32_t> of_value;
  for (const size_t i : places)
    if (!std::isnan(method.distances[i])) {
      values.push_back(method.distances[i]);
      of_value.push_back(blocks[i]);
    }
  const auto weights_of = [of_value](std::span<const double> weights) {
    std::vector<double> all(of_value.size(), 1);
    for (size_t i = 0; i < all.size() && !weights.empty(); ++i) all[i] = weights[static_cast<size_t>(of_value[i])];
    return all;
  };
  return {{kDistanceMedian, true,
           [=, order = metrics::order_of(values)](std::span<const double> weights) {
             return weighted_median(values, order, weights_of(weights));
           }},
          {kDistanceMean, true, [=](std::span<const double> weights) {
             const auto all = weights_of(weights);
             const double total = std::accumulate(all.begin(), all.end(), 0.);
             return total > 0 ? std::inner_product(values.begin(), values.end(), all.begin(), 0.) / total : kNan;
           }}};
}

std::vector<Statistic> of_counts(const RegionScores& method, const std::vector<size_t>& places,
                                 const Resamples& resamples) {
  const metrics::CountPairs pairs(at_places(method.observed, places), at_places(method.expected, places),
                                  at_places(resamples.blocks, places), resamples.count);
  std::vector<Statistic> all;
  for (const auto& metric : metrics::kCountMetrics)
    if (metric.symmetric || !method.compares_halves)
      all.push_back({metric.name, metric.symmetric,
                     [pairs, of = metric.of](std::span<const double> weights) { return (pairs.*of)(weights); }});
  return all;
}

Line line_of(std::string name, const Statistic& statistic, const Statistic* minus, const Resamples& resamples) {
  const auto value = [&](std::span<const double> weights) {
    return statistic.of(weights) - (minus ? minus->of(weights) : 0);
  };
  return evaluation::line_of(std::move(name), statistic.metric, value, resamples);
}
}  // namespace

float expected_count(double log_counts) { return static_cast<float>(std::max(0., std::expm1(log_counts))); }

double weighted_median(std::span<const double> values, std::span<const uint32_t> order,
                       std::span<const double> weights) {
  const double half = std::accumulate(weights.begin(), weights.end(), 0.) / 2;
  if (half <= 0) return kNan;
  double before = 0, lower = kNan;
  for (const uint32_t i : order) {
    if (weights[i] == 0) continue;
    if (!std::isnan(lower)) return (lower + values[i]) / 2;
    before += weights[i];
    if (before > half) return values[i];
    if (before == half) lower = values[i];
  }
  return lower;
}

std::vector<Line> lines_of(const std::vector<RegionScores>& methods, const std::vector<size_t>& places,
                           const Resamples& resamples) {
  std::vector<std::vector<Statistic>> statistics;
  for (const auto& method : methods) {
    auto& all = statistics.emplace_back();
    if (!method.distances.empty()) all = of_distances(method, places, resamples.blocks);
    if (method.expected.empty()) continue;
    for (auto& statistic : of_counts(method, places, resamples)) all.push_back(std::move(statistic));
  }
  std::vector<Line> lines;
  for (size_t m = 0; m < methods.size(); ++m)
    for (const auto& statistic : statistics[m])
      lines.push_back(line_of(methods[m].name, statistic, nullptr, resamples));
  for (size_t m = 1; m < methods.size(); ++m)
    for (const auto& statistic : statistics[m])
      if (const auto own = std::ranges::find(statistics[0], statistic.metric, &Statistic::metric);
          statistic.compared && own != statistics[0].end() && !methods[m].compares_halves)
        lines.push_back(line_of(concat(methods[0].name, "-", methods[m].name), *own, &statistic, resamples));
  return lines;
}

}  // namespace bigdna::profile_training
