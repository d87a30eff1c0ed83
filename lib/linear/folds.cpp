#include "linear/folds.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>

namespace bigdna::linear {

Folds::Folds(std::span<const int64_t> folds) {
  std::vector<int64_t> places(folds.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, {}, [&](int64_t row) { return folds[static_cast<size_t>(row)]; });
  order = at::tensor(places, at::kLong);
  ends.assign(static_cast<size_t>(*std::ranges::max_element(folds) + 1), 0);
  for (const int64_t fold : folds) ++ends[static_cast<size_t>(fold)];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
}

RowRange Folds::inside(int64_t fold) const {
  if (fold >= count()) return {ends.back(), 0};
  const int64_t start = fold ? ends[static_cast<size_t>(fold) - 1] : 0;
  return {start, ends[static_cast<size_t>(fold)] - start};
}

std::vector<RowRange> Folds::others(int64_t fold) const {
  const auto [start, count] = inside(fold);
  std::vector<RowRange> ranges;
  if (start > 0) ranges.push_back({0, start});
  if (start + count < ends.back()) ranges.push_back({start + count, ends.back() - start - count});
  return ranges;
}

}  // namespace bigdna::linear
