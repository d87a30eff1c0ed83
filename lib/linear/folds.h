/// Rows in the order of their folds, so that the rows of a fold, and those of all others, are ranges.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::linear {

struct RowRange {
  int64_t start, count;
};

struct Folds {
  at::Tensor order;           // long [rows]: the row that stands at each place; those of a fold in their own order
  std::vector<int64_t> ends;  // of each fold's rows, in that order

  /// `folds`: of each row, from 0; at least one row.
  explicit Folds(std::span<const int64_t> folds);
  int64_t count() const { return static_cast<int64_t>(ends.size()); }
  RowRange inside(int64_t fold) const;
  /// The rows of all other folds; all rows for a fold that there is not.
  std::vector<RowRange> others(int64_t fold) const;
};

}  // namespace bigdna::linear
