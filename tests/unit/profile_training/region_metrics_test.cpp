#include "profile_training/region_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace bigdna::profile_training {
namespace {

double median_of(std::vector<double> values, std::vector<double> weights) {
  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t i) { return values[i]; });
  return weighted_median(values, order, weights);
}

TEST(WeightedMedian, IsTheMedianOfRepeatedValues) {
  EXPECT_EQ(median_of({3, 1, 2}, {1, 1, 1}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}, {1, 1, 1, 1}), 2.5);
  EXPECT_EQ(median_of({4, 1, 2, 3}, {1, 3, 0, 0}), 1);    // 1 1 1 4
  EXPECT_EQ(median_of({4, 1, 2, 3}, {2, 2, 0, 0}), 2.5);  // 1 1 4 4
  EXPECT_EQ(median_of({5}, {7}), 5);
  EXPECT_TRUE(std::isnan(median_of({5}, {0})));
}

TEST(Lines, HaveDifferencesToWhatPredictsTheSame) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  RegionScores own{"bigdna", {0.1, kNone, 0.3, 0.2}, {1, 0, 7, 3}, {1, 0, 7, 3}};
  RegionScores shuffled{.name = "shuffled", .distances = {0.5, kNone, 0.6, 0.9}};
  RegionScores halves{"halves", {0.4, kNone, 0.4, 0.4}, {1, 0, 4, 1}, {0, 0, 3, 2}, true};
  const evaluation::Resamples resamples(std::vector<int64_t>{7, 7, 9, 9}, 50, 1);
  EXPECT_EQ(resamples.blocks, (std::vector<int32_t>{0, 0, 1, 1}));
  const auto lines = lines_of({own, shuffled, halves}, {0, 1, 2, 3}, resamples);
  const auto line = [&](const std::string& method, std::string_view metric) {
    const auto found =
        std::ranges::find_if(lines, [&](const auto& of) { return of.method == method && of.metric == metric; });
    return found == lines.end() ? kNone : found->value;
  };
  EXPECT_DOUBLE_EQ(line("bigdna", "jsd_median"), 0.2);
  EXPECT_DOUBLE_EQ(line("bigdna", "jsd_mean"), 0.2);
  EXPECT_DOUBLE_EQ(line("bigdna", "pearson_log1p"), 1);
  EXPECT_DOUBLE_EQ(line("bigdna-shuffled", "jsd_median"), 0.2 - 0.6);
  EXPECT_TRUE(std::isnan(line("bigdna-shuffled", "pearson_log1p")));  // it predicts no counts
  EXPECT_TRUE(std::isnan(line("halves", "r2_log1p")));                // neither half is a prediction
  EXPECT_TRUE(std::isnan(line("bigdna-halves", "jsd_median")));
  for (const auto& each : lines) EXPECT_EQ(each.resampled.size(), 50U) << each.method << " " << each.metric;
}

TEST(Lines, OfSomeRegionsAreOfTheseAlone) {
  const RegionScores own{.name = "bigdna", .distances = {0.1, 0.9, 0.3}};
  const evaluation::Resamples resamples(std::vector<int64_t>{1, 2, 3}, 0, 1);
  const auto lines = lines_of({own}, {0, 2}, resamples);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_DOUBLE_EQ(lines[1].value, 0.2);
  EXPECT_TRUE(std::isnan(lines[1].estimate().low));  // without resamples there is no interval
}

}  // namespace
}  // namespace bigdna::profile_training
