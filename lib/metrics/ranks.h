/// Ranks of numbers, as Spearman's correlation coefficient takes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::metrics {

/// How often a number counts; none: once each.
inline double weight_of(std::span<const int64_t> weights, size_t i) {
  return weights.empty() ? 1 : static_cast<double>(weights[i]);
}
/// The places of the numbers, from the smallest to the largest.
std::vector<uint32_t> order_of(const std::vector<double>& values);
/// Their ranks from 1 on, of ties the mean rank, as if each occurred as often as it counts. `order`: order_of(values).
std::vector<double> ranks_of(const std::vector<double>& values, const std::vector<uint32_t>& order,
                             std::span<const int64_t> weights = {});

}  // namespace bigdna::metrics
