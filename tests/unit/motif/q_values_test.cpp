#include "motif/q_values.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace bigdna::motif {
namespace {

TEST(QValues, AreTheLeastRateOfAThresholdThatAScoreReaches) {
  const double observed[] = {5, 9, 4, 8}, null[] = {4.5, 1};
  const auto q = q_values(observed, null, 1);
  // thresholds 9, 8, 5, 4 have rates 1/1, 1/2, 1/3, 2/4
  EXPECT_EQ(q, (std::vector<double>{1. / 3, 1. / 3, 0.5, 1. / 3}));
  const auto half = q_values(observed, null, 0.5);
  EXPECT_EQ(half, (std::vector<double>{1. / 6, 1. / 6, 0.25, 1. / 6}));
}

TEST(QValues, EqualScoresHaveEqualOnes) {
  const double observed[] = {2, 2, 2, 1}, null[] = {2};
  const auto q = q_values(observed, null, 1);
  EXPECT_EQ(q, (std::vector<double>{0.5, 0.5, 0.5, 0.5}));  // 2/3 at 2, 2/4 at 1
  EXPECT_TRUE(q_values({}, null, 1).empty());
}

TEST(QValues, BoundTheShareOfFalseOnes) {
  double false_share = 0;
  constexpr int kTrials = 200;
  for (uint64_t trial = 0; trial < kTrials; ++trial) {
    Rng rng(7, trial);
    std::vector<double> observed, null;
    for (int i = 0; i < 300; ++i) observed.push_back(rng.normal()), null.push_back(rng.normal());
    for (int i = 0; i < 60; ++i) observed.push_back(3 + rng.normal());  // from 300 on: true ones
    const auto q = q_values(observed, null, 1);
    double taken = 0, wrong = 0;
    for (size_t i = 0; i < q.size(); ++i)
      if (q[i] <= 0.1) ++taken, wrong += i < 300;
    false_share += taken > 0 ? wrong / taken / kTrials : 0;
    EXPECT_GT(taken, 20);
  }
  EXPECT_LT(false_share, 0.11);
  EXPECT_GT(false_share, 0.03);
}

}  // namespace
}  // namespace bigdna::motif
