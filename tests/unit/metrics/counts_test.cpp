#include "metrics/counts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/rng.h"
#include "metrics/regression.h"

namespace bigdna::metrics {
namespace {

TEST(CountPairs, ByHand) {
  const std::vector<float> observed{0, 1, 3, 8}, expected{1, 1, 2, 8};
  const CountPairs pairs(observed, expected);
  EXPECT_NEAR(pairs.pearson(), RegressionPairs(observed, expected).pearson(), 1e-12);
  EXPECT_NEAR(pairs.spearman(), RegressionPairs(observed, expected).spearman(), 1e-12);
  EXPECT_NEAR(pairs.total_ratio(), 1, 1e-12);
  // deviance: 2 sum(y log(y / mu) - (y - mu)), of the mean 3 and of the expected counts
  const double of_mean = 1 * std::log(1. / 3) + 8 * std::log(8. / 3);
  const double deviance = (0 + 1) + 0 + (3 * std::log(1.5) - 1) + 0;
  EXPECT_NEAR(pairs.deviance_explained(), 1 - deviance / of_mean, 1e-12);
  // log2(1 + x): 0 1 2 log2(9), and 1 1 log2(3) log2(9)
  const double mean = (3 + std::log2(9)) / 4, a = std::log2(9);
  const double errors = 1 + std::pow(2 - std::log2(3), 2);
  const double squares = mean * mean + std::pow(1 - mean, 2) + std::pow(2 - mean, 2) + std::pow(a - mean, 2);
  EXPECT_NEAR(pairs.r2_log1p(), 1 - errors / squares, 1e-9);
  EXPECT_NEAR(pairs.pearson_log1p(),
              RegressionPairs(std::vector<float>{0, 1, 2, static_cast<float>(a)},
                              std::vector<float>{1, 1, std::log2(3.f), static_cast<float>(a)})
                  .pearson(),
              1e-6);
}

TEST(CountPairs, WeightsOfBlocksAreRowsThatOccurAsOften) {
  Rng rng(4);
  std::vector<float> observed, expected, twice_observed, twice_expected;
  std::vector<int32_t> blocks;
  for (int i = 0; i < 300; ++i) {
    blocks.push_back(i % 3);
    expected.push_back(static_cast<float>(5 * rng.uniform() + 0.1));
    observed.push_back(static_cast<float>(rng.below(12)));
    for (int copies = i % 3; copies > 0; --copies) {  // block 0 is left out, block 2 counts twice
      twice_observed.push_back(observed.back());
      twice_expected.push_back(expected.back());
    }
  }
  const std::vector<double> weights{0, 1, 2};
  const CountPairs pairs(observed, expected, blocks, 3), same(twice_observed, twice_expected);
  for (const auto& metric : kCountMetrics) {
    if (metric.name == "spearman") continue;
    EXPECT_NEAR((pairs.*metric.of)(weights), (same.*metric.of)({}), 1e-9) << metric.name;
  }
  EXPECT_NEAR(pairs.spearman(weights), same.spearman(), 0.02);  // of the ranks among all rows
}

TEST(CountPairs, WhatHasNoValue) {
  const std::vector<float> observed{0, 1, 3, 8}, constant{2.9f, 2.9f, 2.9f, 2.9f}, zeros{0, 0, 0, 0};
  const CountPairs of_mean(observed, std::vector<float>{3, 3, 3, 3}), of_constant(observed, constant),
      of_nothing(zeros, observed);
  EXPECT_TRUE(std::isnan(of_constant.pearson()) && std::isnan(of_constant.pearson_log1p()) &&
              std::isnan(of_constant.spearman()));
  EXPECT_NEAR(of_mean.deviance_explained(), 0, 1e-12);
  EXPECT_LT(of_constant.deviance_explained(), 0);
  EXPECT_TRUE(std::isnan(of_nothing.deviance_explained()) && std::isnan(of_nothing.total_ratio()));
  EXPECT_TRUE(std::isnan(CountPairs(std::vector<float>{}, std::vector<float>{}).pearson()));
  EXPECT_THROW(CountPairs(observed, std::vector<float>{1, 2, -1, 0}), Error);
  EXPECT_THROW(CountPairs(std::vector<float>{1, NAN}, std::vector<float>{1, 2}), Error);
  EXPECT_THROW(CountPairs(observed, std::vector<float>{1}), Error);
}

}  // namespace
}  // namespace bigdna::metrics
