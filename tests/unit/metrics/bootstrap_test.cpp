#include "metrics/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace bigdna::metrics {
namespace {

struct Rows {
  std::vector<float> scores;
  std::vector<uint8_t> labels;
  std::vector<int64_t> blocks;
};
Rows rows_of(int64_t blocks, int64_t per_block) {
  Rows rows;
  Rng rng(3);
  for (int64_t i = 0; i < blocks * per_block; ++i) {
    rows.labels.push_back(rng.below(2));
    rows.scores.push_back(static_cast<float>(rng.normal() + rows.labels.back()));
    rows.blocks.push_back(1000 + i / per_block * 7);
  }
  return rows;
}

TEST(Bootstrap, IntervalHoldsTheValueAndDoesNotDependOnThreads) {
  const Rows rows = rows_of(20, 10);
  const auto one = binary_metrics(rows.scores, rows.labels, rows.blocks, 0.5, 300, 1, 1);
  const auto two = binary_metrics(rows.scores, rows.labels, rows.blocks, 0.5, 300, 1, 2);
  EXPECT_EQ(one.auroc.low, two.auroc.low);
  EXPECT_EQ(one.f1.high, two.f1.high);
  EXPECT_LT(one.auroc.low, one.auroc.value);
  EXPECT_GT(one.auroc.high, one.auroc.value);
  EXPECT_EQ(one.auroc.value, Ranking(rows.scores, rows.labels).auroc());
  EXPECT_EQ(one.counts.total(), 200);
}

TEST(Bootstrap, DrawsWholeBlocks) {
  const Rows rows = rows_of(8, 25);
  bootstrap(rows.blocks, 50, 5, 1, [&](std::span<const int64_t> weights) {
    if (weights.empty()) return 0.0;
    int64_t total = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(weights[i], weights[i / 25 * 25]);
      total += weights[i];
    }
    EXPECT_EQ(total, 200);
    return 0.0;
  });
}

TEST(Bootstrap, OneBlockHasNoInterval) {
  const Rows rows = rows_of(1, 60);
  const auto metrics = binary_metrics(rows.scores, rows.labels, rows.blocks, 0.5, 20, 1, 1);
  EXPECT_FALSE(std::isnan(metrics.auroc.value));
  EXPECT_TRUE(std::isnan(metrics.auroc.low));
}

}  // namespace
}  // namespace bigdna::metrics
