#include "motif/q_values.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

namespace bigdna::motif {

std::vector<double> q_values(std::span<const double> observed, std::span<const double> null, double ratio) {
  std::vector<double> from(null.begin(), null.end()), q(observed.size());
  std::ranges::sort(from, std::greater());
  std::vector<size_t> order(observed.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return observed[i]; });
  size_t reached = 0;  // null scores
  for (size_t begin = 0; begin < order.size();) {
    const double threshold = observed[order[begin]];
    size_t end = begin;
    while (end < order.size() && observed[order[end]] == threshold) ++end;
    while (reached < from.size() && from[reached] >= threshold) ++reached;
    const double rate = ratio * static_cast<double>(1 + reached) / static_cast<double>(end);
    for (; begin < end; ++begin) q[order[begin]] = std::min(1., rate);
  }
  for (size_t i = order.size(); i-- > 1;) q[order[i - 1]] = std::min(q[order[i - 1]], q[order[i]]);
  return q;
}

}  // namespace bigdna::motif
