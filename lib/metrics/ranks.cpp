#include "metrics/ranks.h"

#include <algorithm>
#include <numeric>

namespace bigdna::metrics {

std::vector<uint32_t> order_of(const std::vector<double>& values) {
  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
  return order;
}

std::vector<double> ranks_of(const std::vector<double>& values, const std::vector<uint32_t>& order,
                             std::span<const int64_t> weights) {
  std::vector<double> ranks(values.size(), 0);
  double before = 0;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double tied = 0;
    for (end = begin; end < order.size() && values[order[end]] == values[order[begin]]; ++end)
      tied += weight_of(weights, order[end]);
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = before + (tied + 1) / 2;
    before += tied;
  }
  return ranks;
}

}  // namespace bigdna::metrics
