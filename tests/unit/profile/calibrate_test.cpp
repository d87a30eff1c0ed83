#include "profile/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace bigdna::profile {
namespace {

TEST(Calibrate, FindsTheScaleAndShiftThatLabelsWereDrawnWith) {
  Rng rng(1);
  std::vector<float> logits;
  std::vector<uint8_t> labels;
  for (int i = 0; i < 50'000; ++i) {
    const double x = rng.normal() * 2, p = 1 / (1 + std::exp(-(0.6 * x - 1.5)));
    logits.push_back(static_cast<float>(x));
    labels.push_back(rng.uniform() < p);
  }
  const auto map = fit_logit_map(logits, labels);
  EXPECT_NEAR(map.scale, 0.6, 0.03);
  EXPECT_NEAR(map.shift, -1.5, 0.05);
}

TEST(Calibrate, RowsThatAreRankedPerfectlyGetAFiniteScale) {
  std::vector<float> logits;
  std::vector<uint8_t> labels;
  for (int i = 0; i < 100; ++i) {
    logits.push_back(static_cast<float>(i - 50));
    labels.push_back(i >= 50);
  }
  const auto map = fit_logit_map(logits, labels);
  EXPECT_TRUE(std::isfinite(map.scale));
  EXPECT_GT(map.scale, 0);
}

}  // namespace
}  // namespace bigdna::profile
