#include "metrics/counts.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "metrics/ranks.h"

namespace bigdna::metrics {

namespace {
constexpr double kLeast = 1e-12;  // of an expected count, whose logarithm is taken

std::vector<double> log1p_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log1p(value));
  return logs;
}
}  // namespace

CountPairs::CountPairs(std::span<const float> observed, std::span<const float> expected,
                       std::span<const int32_t> blocks, int32_t count)
    : sums_(static_cast<size_t>(count)) {
  if (observed.size() != expected.size() || (!blocks.empty() && blocks.size() != observed.size()))
    fail(observed.size(), " observed counts, ", expected.size(), " expected ones, blocks of ", blocks.size());
  const auto bad = [](float value) { return !(value >= 0 && std::isfinite(value)); };
  for (const auto values : {observed, expected})
    if (std::ranges::any_of(values, bad)) fail("an observed or expected count is below 0 or not finite");
  if (observed.empty()) return;
  const std::vector<double> x(observed.begin(), observed.end()), y(expected.begin(), expected.end());
  const auto log_x = log1p_of(x), log_y = log1p_of(y);
  for (size_t i = 0; i < x.size(); ++i) {
    auto& sums = sums_[blocks.empty() ? 0 : static_cast<size_t>(blocks[i])];
    ++sums.rows;
    sums.observed += x[i];
    sums.expected += y[i];
    if (x[i] > 0) sums.own_log += x[i] * std::log(x[i]);
    sums.cross_log += x[i] * std::log(std::max(y[i], kLeast));
    sums.squared_errors += (log_x[i] - log_y[i]) * (log_x[i] - log_y[i]);
  }
  log1p_ = BlockPearson(log_x, log_y, blocks, count);
  counts_ = BlockPearson(x, y, blocks, count);
  ranks_ = BlockPearson(ranks_of(x, order_of(x)), ranks_of(y, order_of(y)), blocks, count);
}

CountPairs::Sums CountPairs::total(std::span<const double> weights) const {
  Sums all;
  for (size_t b = 0; b < sums_.size(); ++b) {
    const double w = weights.empty() ? 1 : weights[b];
    const auto& of = sums_[b];
    all.rows += w * of.rows;
    all.observed += w * of.observed;
    all.expected += w * of.expected;
    all.own_log += w * of.own_log;
    all.cross_log += w * of.cross_log;
    all.squared_errors += w * of.squared_errors;
  }
  return all;
}

double CountPairs::deviance_explained(std::span<const double> weights) const {
  const Sums all = total(weights);
  if (all.rows < 2 || all.observed <= 0) return NAN;
  const double of_mean = all.own_log - all.observed * std::log(all.observed / all.rows);
  const double deviance = all.own_log - all.cross_log - all.observed + all.expected;
  return of_mean <= 1e-12 * all.observed ? NAN : 1 - deviance / of_mean;
}

double CountPairs::r2_log1p(std::span<const double> weights) const {
  return 1 - total(weights).squared_errors / log1p_.squares_of_x(weights);
}

double CountPairs::total_ratio(std::span<const double> weights) const {
  const Sums all = total(weights);
  return all.observed > 0 ? all.expected / all.observed : NAN;
}

}  // namespace bigdna::metrics
