#include "metrics/bits_per_base.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace bigdna::metrics {
namespace {

BitsPerBase block(double bits, double bases) {
  BitsPerBase sum;
  sum.bits = sum.all_bits = bits;
  sum.bases = sum.all_bases = bases;
  return sum;
}

TEST(BitsPerBase, LeavesNAndSpecialTokensOut) {
  BitsPerBase sum;
  sum.add(6, 3, false);
  sum.add(2, 5, true);
  sum.add(100, 0, false);
  EXPECT_DOUBLE_EQ(sum.value(), 2);
  EXPECT_DOUBLE_EQ(sum.all(), 1);
}

TEST(BitsPerBase, TheIntervalOfTwoBlocksIsWhatTheyCanGive) {
  // Two blocks drawn with replacement: (1, 1), (1, 2) or (2, 2): 1, 2 or 3 bits a base.
  const std::vector<BitsPerBase> blocks{block(10, 10), block(30, 10)};
  const auto estimate = bits_per_base(blocks, 2000, 1, 2);
  EXPECT_DOUBLE_EQ(estimate.value, 2);
  EXPECT_DOUBLE_EQ(estimate.low, 1);
  EXPECT_DOUBLE_EQ(estimate.high, 3);
}

TEST(BitsPerBase, APairedDifferenceDropsWhatBlocksShare) {
  // Blocks differ wildly, but a is better by a tenth of a bit in each of them.
  std::vector<BitsPerBase> a, b;
  for (int i = 0; i < 40; ++i) {
    a.push_back(block(10.0 * i, 100));
    b.push_back(block(10.0 * i + 10, 100));
  }
  const auto difference = bits_per_base_difference(a, b, 500, 1, 1);
  EXPECT_NEAR(difference.value, -0.1, 1e-12);
  EXPECT_NEAR(difference.low, -0.1, 1e-12);
  EXPECT_NEAR(difference.high, -0.1, 1e-12);
  EXPECT_GT(bits_per_base(a, 500, 1, 1).high - bits_per_base(a, 500, 1, 1).low, 0.5);
  b.pop_back();
  EXPECT_THROW(bits_per_base_difference(a, b, 10, 1, 1), Error);
}

}  // namespace
}  // namespace bigdna::metrics
