#include "metrics/regression.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "metrics/ranks.h"

namespace bigdna::metrics {

namespace {
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Weighted means of two columns, and sums of squares and products about them.
struct Moments {
  double count = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  Moments(const std::vector<double>& xs, const std::vector<double>& ys, std::span<const int64_t> weights) {
    for (size_t i = 0; i < xs.size(); ++i) {
      const double w = weight_of(weights, i);
      count += w;
      x += w * xs[i];
      y += w * ys[i];
    }
    x /= count;
    y /= count;
    for (size_t i = 0; i < xs.size(); ++i) {
      const double w = weight_of(weights, i), dx = xs[i] - x, dy = ys[i] - y;
      xx += w * dx * dx;
      yy += w * dy * dy;
      xy += w * dx * dy;
    }
  }
  double correlation() const {
    // the deviations of a constant column are rounding errors
    const auto constant = [&](double squares, double mean) { return squares <= 1e-26 * count * mean * mean; };
    if (count < 2 || constant(xx, x) || constant(yy, y)) return kNone;
    return std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0);
  }
};
}  // namespace

RegressionPairs::RegressionPairs(std::span<const float> measured, std::span<const float> predicted)
    : measured_(measured.begin(), measured.end()), predicted_(predicted.begin(), predicted.end()) {
  if (measured.size() != predicted.size())
    fail(measured.size(), " measured numbers and ", predicted.size(), " predicted ones");
  for (const auto* values : {&measured_, &predicted_})
    if (!std::all_of(values->begin(), values->end(), [](double value) { return std::isfinite(value); }))
      fail("a measured or predicted value is not finite");
  by_measured_ = order_of(measured_);
  by_predicted_ = order_of(predicted_);
}

double RegressionPairs::pearson(std::span<const int64_t> weights) const {
  return Moments(measured_, predicted_, weights).correlation();
}

double RegressionPairs::spearman(std::span<const int64_t> weights) const {
  return Moments(ranks_of(measured_, by_measured_, weights), ranks_of(predicted_, by_predicted_, weights), weights)
      .correlation();
}

double RegressionPairs::r2(std::span<const int64_t> weights) const {
  const Moments moments(measured_, predicted_, weights);
  double errors = 0;
  for (size_t i = 0; i < measured_.size(); ++i)
    errors += weight_of(weights, i) * std::pow(measured_[i] - predicted_[i], 2);
  return moments.count < 2 || moments.xx <= 0 ? kNone : 1 - errors / moments.xx;
}

double RegressionPairs::rmse(std::span<const int64_t> weights) const {
  double errors = 0, count = 0;
  for (size_t i = 0; i < measured_.size(); ++i) {
    count += weight_of(weights, i);
    errors += weight_of(weights, i) * std::pow(measured_[i] - predicted_[i], 2);
  }
  return count < 2 ? kNone : std::sqrt(errors / count);
}

}  // namespace bigdna::metrics
