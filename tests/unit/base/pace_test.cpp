#include "base/pace.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bigdna {
namespace {

constexpr uint64_t kTotal = 1000;

/// What is said to be left after each second, where item k takes `cost(k)` seconds, beside what really is.
template <class Cost, class Check>
void each_estimate(Pace pace, Cost cost, Check check, uint64_t first = 0) {
  double end = 0, now = 0;
  for (uint64_t k = first + 1; k <= kTotal; ++k) end += cost(k);
  pace.start(0, first);
  for (uint64_t k = first + 1; k <= kTotal; ++k) {
    now += cost(k);
    pace.add(now, k);
    if (const auto left = pace.seconds_left(now, kTotal)) check(k, *left, end - now);
  }
}

TEST(Pace, IsExactWhereAllItemsTakeTheSame) {
  int seen = 0;
  each_estimate(
      Pace(), [](uint64_t) { return 0.5; },
      [&](uint64_t, double left, double real) {
        ++seen;
        EXPECT_NEAR(left, real, 1e-6);
      });
  EXPECT_GT(seen, 900);
}

TEST(Pace, SaysNothingInTheFirstSecondsNorOfTheFirstItem) {
  Pace pace;
  pace.start(10, 0);
  pace.add(12, 1);
  pace.add(12.5, 2);
  EXPECT_FALSE(pace.seconds_left(12.5, kTotal));
  pace.add(13.5, 3);
  EXPECT_TRUE(pace.seconds_left(13.5, kTotal));
  pace.start(20, 0);
  pace.add(90, 1);
  EXPECT_FALSE(pace.seconds_left(90, kTotal));
  pace.add(160, 2);
  EXPECT_DOUBLE_EQ(pace.seconds_left(160, 4).value(), 140);
  EXPECT_DOUBLE_EQ(pace.seconds_left(200, 4).value(), 100);
  EXPECT_FALSE(pace.seconds_left(400, 4)) << "later than it should have been";
  EXPECT_FALSE(pace.seconds_left(160, 2)) << "all is done";
}

// 100 threads end their first items together, after as long as 100 items take one of them
TEST(Pace, ForgetsASlowStart) {
  each_estimate(
      Pace(), [](uint64_t k) { return k == 1 ? 100.0 : 1.0; },
      [&](uint64_t k, double left, double real) {
        EXPECT_TRUE(k <= 101 || std::abs(left - real) < 0.02 * real + 1) << k << ": " << left << ", not " << real;
      });
}

TEST(Pace, CountsOnlyWhatThisRunDid) {
  int seen = 0;
  each_estimate(
      Pace(), [](uint64_t) { return 1.0; },
      [&](uint64_t, double left, double real) {
        ++seen;
        EXPECT_NEAR(left, real, 1e-6);
      },
      900);
  EXPECT_GT(seen, 90);
}

// Merges of a vocabulary: the k-th costs 1/k of the first. Their mean pace would be wrong by a hundred.
TEST(Pace, KnowsWorkThatIsNotInProportionToItems) {
  const auto cost = [](uint64_t k) { return 100.0 / static_cast<double>(k); };
  double worst = 0, worst_even = 0;
  const auto into = [](double& most) {
    return [&most](uint64_t k, double left, double real) {
      if (k >= 5 && k <= 900) most = std::max(most, std::abs(std::log(left / real)));
    };
  };
  each_estimate(Pace([](double done) { return std::log1p(done); }), cost, into(worst));
  each_estimate(Pace(), cost, into(worst_even));
  EXPECT_LT(std::exp(worst), 1.2);
  EXPECT_GT(std::exp(worst_even), 10);
}

}  // namespace
}  // namespace bigdna
