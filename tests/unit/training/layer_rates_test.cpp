#include "training/layer_rates.h"

#include <gtest/gtest.h>

namespace bigdna::training {
namespace {

TEST(LayerRates, FallTowardsTheEmbeddings) {
  const LayerRates rates{.decay = 0.5, .frozen = 0, .head_factor = 10};
  EXPECT_EQ(rates.factor(12, 12), 10);
  EXPECT_EQ(rates.factor(11, 12), 0.5);
  EXPECT_EQ(rates.factor(1, 12), 1.0 / 2048);
  EXPECT_EQ(rates.factor(0, 12), 1.0 / 4096);
  EXPECT_EQ(rates.factor(-1, 12), 1.0 / 8192);
  EXPECT_EQ(LayerRates().factor(-1, 12), 1);
}

TEST(LayerRates, FreezeFromBelow) {
  const LayerRates rates{.decay = 1, .frozen = 10};
  EXPECT_EQ(rates.factor(-1, 12), 0);
  EXPECT_EQ(rates.factor(9, 12), 0);
  EXPECT_EQ(rates.factor(10, 12), 1);
  EXPECT_EQ(rates.factor(12, 12), 1);
}

}  // namespace
}  // namespace bigdna::training
