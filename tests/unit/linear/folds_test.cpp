#include "linear/folds.h"

#include <gtest/gtest.h>

#include <utility>

namespace bigdna::linear {
namespace {

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

Ranges others(const Folds& folds, int64_t fold) {
  Ranges ranges;
  for (const auto& [start, count] : folds.others(fold)) ranges.emplace_back(start, count);
  return ranges;
}

TEST(Folds, AreRangesOfSortedRows) {
  const std::vector<int64_t> of_rows{3, 0, 1, 0, 3, 1};  // none in fold 2
  const Folds folds(of_rows);
  EXPECT_EQ(folds.count(), 4);
  const std::vector<int64_t> order(folds.order.const_data_ptr<int64_t>(), folds.order.const_data_ptr<int64_t>() + 6);
  EXPECT_EQ(order, (std::vector<int64_t>{1, 3, 2, 5, 0, 4}));
  EXPECT_EQ(folds.inside(1).start, 2);
  EXPECT_EQ(folds.inside(1).count, 2);
  EXPECT_EQ(folds.inside(2).count, 0);
  EXPECT_EQ(others(folds, 0), (Ranges{{2, 4}}));
  EXPECT_EQ(others(folds, 1), (Ranges{{0, 2}, {4, 2}}));
  EXPECT_EQ(others(folds, 2), (Ranges{{0, 4}, {4, 2}}));
  EXPECT_EQ(others(folds, 3), (Ranges{{0, 4}}));
  EXPECT_EQ(others(folds, 4), (Ranges{{0, 6}})) << "a fold that there is not";
}

}  // namespace
}  // namespace bigdna::linear
