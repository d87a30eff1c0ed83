#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace bigdna {
namespace {

// The three philox4x32-10 lines of Random123's tests/kat_vectors.
TEST(Philox, KnownAnswers) {
  using Block = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, {f, f}), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, FirstWordsAreTheFirstBlocks) {
  Rng rng(0x0000000200000001, 0x0000000400000003);
  for (uint32_t block = 0; block < 3; ++block)
    for (const uint32_t word : philox({block, 0, 3, 4}, {1, 2})) EXPECT_EQ(rng.next32(), word);
}

TEST(Rng, StreamsAndSeedsDiffer) {
  std::set<uint64_t> first;
  for (uint64_t seed = 0; seed < 30; ++seed)
    for (uint64_t stream = 0; stream < 30; ++stream) first.insert(Rng(seed, stream).next64());
  EXPECT_EQ(first.size(), 900u);
}

TEST(Rng, BelowIsUniform) {
  Rng rng(1);
  constexpr uint64_t kBound = 7;
  constexpr int kDraws = 70000;
  std::map<uint64_t, int> count;
  for (int i = 0; i < kDraws; ++i) ++count[rng.below(kBound)];
  ASSERT_EQ(count.size(), kBound);
  EXPECT_EQ(count.rbegin()->first, kBound - 1);
  double chi_square = 0;
  for (const auto& [value, n] : count) chi_square += (n - 10000.0) * (n - 10000.0) / 10000.0;
  EXPECT_LT(chi_square, 22.5);  // 6 degrees of freedom: p = 0.001
  EXPECT_EQ(rng.below(1), 0u);
  for (int i = 0; i < 100; ++i) EXPECT_LT(rng.below((uint64_t{1} << 63) + 1), (uint64_t{1} << 63) + 1);
}

TEST(Rng, BetweenHoldsBothEnds) {
  Rng rng(2);
  std::set<int64_t> seen;
  for (int i = 0; i < 300; ++i) seen.insert(rng.between(-2, 2));
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2}));
}

TEST(Rng, MomentsOfUniformAndNormal) {
  Rng rng(3);
  constexpr int n = 100000;
  double sum = 0, normal = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double u = rng.uniform(), z = rng.normal();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u, normal += z, squares += z * z;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.005);
  EXPECT_NEAR(normal / n, 0, 0.02);
  EXPECT_NEAR(squares / n, 1, 0.03);
}

TEST(Rng, ShuffleIsAPermutationAndReachesAll) {
  std::map<std::vector<int>, int> seen;
  for (uint64_t stream = 0; stream < 6000; ++stream) {
    std::vector<int> values{0, 1, 2};
    Rng(4, stream).shuffle(values);
    ++seen[values];
  }
  ASSERT_EQ(seen.size(), 6u);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 1000, 150);
}

TEST(Mix, EveryValueAndTheOrderCount) {
  EXPECT_NE(mix({1, 2}), mix({2, 1}));
  EXPECT_NE(mix({1}), mix({1, 0}));
  EXPECT_NE(mix({0}), mix({0, 0}));
  EXPECT_EQ(mix({1, 2, 3}), mix({1, 2, 3}));
}

TEST(Permutation, IsBijective) {
  for (const uint64_t size : {1, 2, 3, 4, 5, 16, 17, 100, 1000, 4096, 4097, 65537}) {
    const Permutation permutation(size, 9);
    std::vector<bool> hit(size);
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t image = permutation(i);
      ASSERT_LT(image, size);
      ASSERT_FALSE(hit[image]) << size << " " << i;
      hit[image] = true;
    }
  }
}

TEST(Permutation, DependsOnTheSeedAndMixes) {
  const Permutation a(1000, 1), b(1000, 2);
  int equal = 0, fixed = 0, neighbours = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    equal += a(i) == b(i);
    fixed += a(i) == i;
    neighbours += i > 0 && a(i) == a(i - 1) + 1;
  }
  EXPECT_LT(equal, 10);
  EXPECT_LT(fixed, 10);
  EXPECT_LT(neighbours, 10);
}

}  // namespace
}  // namespace bigdna
