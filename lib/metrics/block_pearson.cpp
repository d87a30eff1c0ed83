#include "metrics/block_pearson.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bigdna::metrics {

namespace {
constexpr double kConstant = 1e-20;  // a part of the mean square below which deviations are rounding errors

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
}
double deviation(double value, double mean) {
  return std::abs(value - mean) <= 1e-13 * std::abs(mean) ? 0 : value - mean;  // of a constant
}
}  // namespace

BlockPearson::BlockPearson(std::span<const double> x, std::span<const double> y, std::span<const int32_t> blocks,
                           int32_t count)
    : sums_(static_cast<size_t>(count)) {
  const double mean_x = mean_of(x), mean_y = mean_of(y);
  for (size_t i = 0; i < x.size(); ++i) {
    auto& of = sums_[blocks.empty() ? 0 : static_cast<size_t>(blocks[i])];
    const double dx = deviation(x[i], mean_x), dy = deviation(y[i], mean_y);
    ++of.rows;
    of.x += dx;
    of.y += dy;
    of.xx += dx * dx;
    of.yy += dy * dy;
    of.xy += dx * dy;
  }
}

BlockPearson::Sums BlockPearson::total(std::span<const double> weights) const {
  Sums all;
  for (size_t b = 0; b < sums_.size(); ++b) {
    const double w = weights.empty() ? 1 : weights[b];
    const auto& of = sums_[b];
    all.rows += w * of.rows;
    all.x += w * of.x;
    all.y += w * of.y;
    all.xx += w * of.xx;
    all.yy += w * of.yy;
    all.xy += w * of.xy;
  }
  return all;
}

double BlockPearson::value(std::span<const double> weights) const {
  const Sums of = total(weights);
  if (of.rows < 2) return NAN;
  const double xx = of.xx - of.x * of.x / of.rows, yy = of.yy - of.y * of.y / of.rows;
  if (xx <= kConstant * of.xx || yy <= kConstant * of.yy) return NAN;
  return std::clamp((of.xy - of.x * of.y / of.rows) / std::sqrt(xx) / std::sqrt(yy), -1., 1.);
}

double BlockPearson::squares_of_x(std::span<const double> weights) const {
  const Sums of = total(weights);
  if (of.rows < 2) return NAN;
  const double xx = of.xx - of.x * of.x / of.rows;
  return xx <= kConstant * of.xx ? NAN : xx;
}

}  // namespace bigdna::metrics
