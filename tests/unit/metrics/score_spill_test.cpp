#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "metrics/block_auroc.h"
#include "metrics/classification.h"
#include "metrics/score_spill.h"

namespace bigdna::metrics {
namespace {

TEST(ScoreSpill, ColumnsAreWhatRowsWere) {
  for (const int64_t columns : {1, 3, 919, 3'000'000}) {  // the last: a block holds one row only
    const int64_t rows = columns == 919 ? 10'000 : columns > 919 ? 3 : 7;
    const auto value = [&](int64_t row, int64_t column) { return static_cast<float>((row * 31 + column * 7) % 1000); };
    ScoreSpill spill(columns);
    for (int64_t row = 0; row < rows;) {  // appended in uneven portions
      std::vector<float> portion;
      for (int64_t i = 0; i < 1 + row % 5 && row < rows; ++i, ++row)
        for (int64_t column = 0; column < columns; ++column) portion.push_back(value(row, column));
      spill.append(portion);
    }
    ASSERT_EQ(spill.rows(), rows);
    for (const int64_t column : {int64_t{0}, columns / 2, columns - 1}) {
      const auto values = spill.column(column);
      ASSERT_EQ(values.size(), static_cast<size_t>(rows));
      for (int64_t row = 0; row < rows; ++row) ASSERT_EQ(values[static_cast<size_t>(row)], value(row, column));
    }
  }
  ScoreSpill empty(4);
  EXPECT_TRUE(empty.column(2).empty());
  EXPECT_ANY_THROW(empty.append(std::vector<float>(3)));
}

TEST(BlockAuroc, EqualsTheRankingUnderAnyWeights) {
  for (uint64_t number = 0; number < 40; ++number) {
    Rng rng(number);
    const int32_t count = 1 + static_cast<int32_t>(rng.below(9));
    std::vector<float> scores;
    std::vector<uint8_t> labels;
    std::vector<int32_t> blocks;
    for (int i = 0; i < 200; ++i) {  // a third of the cases tie nearly everywhere, some have one class only
      scores.push_back(number % 3 ? static_cast<float>(rng.uniform()) : static_cast<float>(rng.below(4)));
      labels.push_back(number == 0 ? 0 : number == 1 ? 1 : rng.below(3) == 0);
      blocks.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(count))));
    }
    const Ranking ranking(scores, labels);
    const BlockAuroc fast(scores, labels, blocks, count);
    for (int draw = 0; draw < 5; ++draw) {
      std::vector<double> weights(static_cast<size_t>(count));
      std::vector<int64_t> of_rows;
      for (double& weight : weights) weight = draw == 0 ? 1 : static_cast<double>(rng.below(4));
      for (const int32_t block : blocks) of_rows.push_back(static_cast<int64_t>(weights[static_cast<size_t>(block)]));
      const double expected = ranking.auroc(of_rows), found = fast.auroc(weights);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(found));
      else
        EXPECT_NEAR(found, expected, 1e-14);
    }
  }
}

}  // namespace
}  // namespace bigdna::metrics
