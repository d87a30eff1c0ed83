#include "training/bin_grid.h"

#include <gtest/gtest.h>

#include <set>

#include "training/bins.h"
#include "support.h"

namespace bigdna::training {
namespace {

TEST(BinGrid, FindsRowsByTheirBins) {
  const auto data = bins_at({{"a", 7}, {"b", 3}, {"a", 5}}, 4);
  const BinGrid grid(data, kTestBin);
  ASSERT_EQ(grid.contigs().size(), 2u);
  EXPECT_EQ(grid.row(0, 5), 2);
  EXPECT_EQ(grid.row(0, 6), -1);
  EXPECT_EQ(grid.row(0, 7), 0);
  EXPECT_EQ(grid.row(0, 8), -1);
  EXPECT_EQ(grid.row(0, -1), -1);
  EXPECT_EQ(grid.row(1, 3), 1);
  const auto region = grid.region({0, 5}, 2, -3);
  EXPECT_EQ(region.contig, "a");
  EXPECT_EQ(region.start, 4 + 50 - 3);
  EXPECT_EQ(region.end, 4 + 70 - 3);
}

TEST(BinGrid, RowsThatAreNoBinsAreErrors) {
  auto data = bins_at({{"a", 1}, {"a", 2}});
  data.regions[1].end += 5;
  EXPECT_EQ(test::error_of([&] { BinGrid(data, kTestBin); }),
            "bins: row 2 has 15 bp; a network on bases predicts bins of 10");
  data = bins_at({{"a", 1}, {"a", 2}});
  data.regions[1].start += 3, data.regions[1].end += 3;
  EXPECT_NE(test::error_of([&] { BinGrid(data, kTestBin); }).find("do not lie on one grid"), std::string::npos);
  data = bins_at({{"a", 1}, {"a", 1}});
  EXPECT_NE(test::error_of([&] { BinGrid(data, kTestBin); }).find("rows 1 and 2 are the same bin"), std::string::npos);
}

TEST(BinGrid, CoveringWindowsHoldEveryRowWithinTheirMargins) {
  const auto data = bins_at({{"a", 0}, {"a", 3}, {"a", 5}, {"a", 6}, {"a", 40}, {"b", 2}});
  const BinGrid grid(data, kTestBin);
  const std::vector<int64_t> rows{0, 1, 2, 3, 4, 5};
  constexpr int64_t kBins = 8, kMargin = 2;
  const auto windows = grid.covering(rows, kBins, kMargin);
  for (const int64_t row : rows) {
    int held = 0;
    for (const auto& window : windows)
      if (window.contig == grid.place(row).contig && grid.place(row).first_bin >= window.first_bin + kMargin &&
          grid.place(row).first_bin < window.first_bin + kBins - kMargin)
        ++held;
    EXPECT_EQ(held, 1) << row;
  }
  EXPECT_EQ(windows.size(), 4u);  // bins 0 and 3; 5 and 6; 40; and 2 of b
}

TEST(BinGrid, TilesMovedByAnyNumberOfBinsHoldEveryRowOnce) {
  const auto data = bins_at({{"a", 0}, {"a", 3}, {"a", 7}, {"a", 8}, {"a", 40}, {"b", 2}});
  const BinGrid grid(data, kTestBin);
  constexpr int64_t kBins = 8;
  const auto windows = grid.tiling({0, 1, 2, 3, 4, 5}, kBins);
  for (int64_t moved = 0; moved < kBins; ++moved)
    for (int64_t row = 0; row < data.size(); ++row) {
      int held = 0;
      for (const auto& window : windows) {
        const int64_t first = window.first_bin + moved;
        held += window.contig == grid.place(row).contig && grid.place(row).first_bin >= first &&
                grid.place(row).first_bin < first + kBins;
      }
      EXPECT_EQ(held, 1) << "row " << row << " moved by " << moved;
    }
}

}  // namespace
}  // namespace bigdna::training
