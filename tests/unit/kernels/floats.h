/// What the row kernels' tests share: random rows, shapes, and differences from double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/rng.h"

namespace bigdna::kernels {

using Floats = std::vector<float>;

inline Floats random_floats(int64_t count, uint64_t seed) {
  Floats values(static_cast<size_t>(count));
  Rng rng(seed);
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

/// Rows and columns: fewer than a vector, whole vectors and a rest.
constexpr int64_t kRowShapes[][2] = {{1, 2}, {3, 5}, {40, 33}, {7, 256}};

/// Largest difference, relative to the largest value.
inline double error(const Floats& ours, const std::vector<double>& expected) {
  double difference = 0, largest = 1e-3;
  for (size_t i = 0; i < ours.size(); ++i) {
    difference = std::max(difference, std::abs(ours[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return difference / largest;
}

}  // namespace bigdna::kernels
