#include "metrics/counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "metrics/ranks.h"

namespace bigdna::metrics {

namespace {
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = 1e-12;     // of an expected count, whose logarithm is taken
constexpr double kConstant = 1e-20;  // a part of the mean square below which deviations are rounding errors

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
}

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
  const Values x(observed.begin(), observed.end()), y(expected.begin(), expected.end());
  const Values log_x = log1p_of(x), log_y = log1p_of(y);
  for (size_t i = 0; i < x.size(); ++i) {
    auto& sums = sums_[blocks.empty() ? 0 : static_cast<size_t>(blocks[i])];
    ++sums.rows;
    sums.observed += x[i];
    sums.expected += y[i];
    if (x[i] > 0) sums.own_log += x[i] * std::log(x[i]);
    sums.cross_log += x[i] * std::log(std::max(y[i], kLeast));
    sums.squared_errors += (log_x[i] - log_y[i]) * (log_x[i] - log_y[i]);
  }
  add(&Sums::log1p, log_x, log_y, blocks);
  add(&Sums::counts, x, y, blocks);
  add(&Sums::ranks, ranks_of(x, order_of(x)), ranks_of(y, order_of(y)), blocks);
}

void CountPairs::add(Moments Sums::*moments, const Values& observed, const Values& expected,
                     std::span<const int32_t> blocks) {
  const double mean_x = mean_of(observed), mean_y = mean_of(expected);
  for (size_t i = 0; i < observed.size(); ++i) {
    auto& of = sums_[blocks.empty() ? 0 : static_cast<size_t>(blocks[i])].*moments;
    const auto deviation = [](double value, double mean) {
      return std::abs(value - mean) <= 1e-13 * std::abs(mean) ? 0 : value - mean;  // of a constant
    };
    const double x = deviation(observed[i], mean_x), y = deviation(expected[i], mean_y);
    of.x += x;
    of.y += y;
    of.xx += x * x;
    of.yy += y * y;
    of.xy += x * y;
  }
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
    for (const auto moments : {&Sums::log1p, &Sums::counts, &Sums::ranks}) {
      auto& to = all.*moments;
      const auto& from = of.*moments;
      to.x += w * from.x;
      to.y += w * from.y;
      to.xx += w * from.xx;
      to.yy += w * from.yy;
      to.xy += w * from.xy;
    }
  }
  return all;
}

double CountPairs::correlation(Moments Sums::*moments, std::span<const double> weights) const {
  const Sums all = total(weights);
  if (all.rows < 2) return kNone;
  const auto& of = all.*moments;
  const double xx = of.xx - of.x * of.x / all.rows, yy = of.yy - of.y * of.y / all.rows;
  if (xx <= kConstant * of.xx || yy <= kConstant * of.yy) return kNone;
  return std::clamp((of.xy - of.x * of.y / all.rows) / std::sqrt(xx) / std::sqrt(yy), -1., 1.);
}

double CountPairs::deviance_explained(std::span<const double> weights) const {
  const Sums all = total(weights);
  if (all.rows < 2 || all.observed <= 0) return kNone;
  const double of_mean = all.own_log - all.observed * std::log(all.observed / all.rows);
  const double deviance = all.own_log - all.cross_log - all.observed + all.expected;
  return of_mean <= 1e-12 * all.observed ? kNone : 1 - deviance / of_mean;
}

double CountPairs::r2_log1p(std::span<const double> weights) const {
  const Sums all = total(weights);
  if (all.rows < 2) return kNone;
  const double squares = all.log1p.xx - all.log1p.x * all.log1p.x / all.rows;
  return squares <= kConstant * all.log1p.xx ? kNone : 1 - all.squared_errors / squares;
}

double CountPairs::total_ratio(std::span<const double> weights) const {
  const Sums all = total(weights);
  return all.observed > 0 ? all.expected / all.observed : kNone;
}

}  // namespace bigdna::metrics
