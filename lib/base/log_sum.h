/// Sums of numbers that are known by their logarithms.
#pragma once

#include <algorithm>
#include <cmath>

namespace bigdna {

/// ln of the sum of exp(values), which must not be empty. -infinity counts as 0.
template <class Values>
double log_sum(const Values& values) {
  const double largest = *std::ranges::max_element(values);
  double total = 0;
  for (const double value : values) total += std::exp(value - largest);
  return largest + std::log(total);
}

}  // namespace bigdna
