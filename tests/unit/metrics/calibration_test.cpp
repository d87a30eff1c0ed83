#include "metrics/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace bigdna::metrics {
namespace {

TEST(Calibration, BinsErrorAndBrierByHand) {
  const std::vector<float> p{0.05F, 0.05F, 0.95F, 1.0F, 0.5F};
  const std::vector<uint8_t> y{0, 1, 1, 1, 0};
  const auto bins = calibration(p, y);
  ASSERT_EQ(bins.size(), 10u);
  EXPECT_EQ(bins[0].rows, 2);
  EXPECT_DOUBLE_EQ(bins[0].share_of_positives(), 0.5);
  EXPECT_NEAR(bins[0].mean_probability(), 0.05, 1e-7);
  EXPECT_EQ(bins[9].rows, 2);
  EXPECT_EQ(bins[9].positives, 2);
  EXPECT_EQ(bins[5].rows, 1);
  EXPECT_NEAR(calibration_error(bins), (2 * 0.45 + 2 * 0.025 + 0.5) / 5, 1e-6);
  EXPECT_NEAR(brier_score(p, y), (0.0025 + 0.9025 + 0.0025 + 0 + 0.25) / 5, 1e-6);
}

TEST(Calibration, WeightsCountRowsAgain) {
  const std::vector<float> p{0.1F, 0.8F, 0.3F}, again{0.1F, 0.3F, 0.3F, 0.3F};
  const std::vector<uint8_t> y{0, 1, 1}, labels{0, 1, 1, 1};
  const std::vector<int64_t> weights{1, 0, 3};
  EXPECT_NEAR(calibration_error(calibration(p, y, weights)), calibration_error(calibration(again, labels)), 1e-12);
  EXPECT_NEAR(brier_score(p, y, weights), brier_score(again, labels), 1e-12);
  EXPECT_TRUE(std::isnan(calibration_error(calibration({}, {}))));
  EXPECT_TRUE(std::isnan(brier_score({}, {})));
}

TEST(Calibration, ChanceExplainsTheErrorOfRightProbabilitiesAndNoOther) {
  std::vector<float> probabilities;
  std::vector<uint8_t> right, wrong;
  Rng rng(3);
  for (int i = 0; i < 5000; ++i) {
    probabilities.push_back(static_cast<float>(rng.uniform()));
    right.push_back(rng.uniform() < probabilities.back());
    wrong.push_back(rng.uniform() < 0.8 * probabilities.back());
  }
  const auto chance = chance_calibration_error(probabilities, 500, 1, 2);
  EXPECT_GT(chance.low, 0);
  EXPECT_LT(chance.low, chance.value);
  EXPECT_LT(chance.value, chance.high);
  EXPECT_LT(chance.high, 0.03);
  EXPECT_LT(calibration_error(calibration(probabilities, right)), chance.high);
  EXPECT_GT(calibration_error(calibration(probabilities, wrong)), 2 * chance.high);
  EXPECT_EQ(chance_calibration_error(probabilities, 500, 1, 1).high, chance.high);
  EXPECT_TRUE(std::isnan(chance_calibration_error({}, 10, 1, 1).high));
}

}  // namespace
}  // namespace bigdna::metrics
