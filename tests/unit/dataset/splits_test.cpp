#include "dataset/splits.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace bigdna::dataset {
namespace {

const std::vector<genome::Contig> kContigs{{"1", 40'000'000}, {"2", 21'000'000}};

Positions every(int64_t step) {
  Positions positions;
  for (const auto& contig : kContigs)
    for (int64_t at = 0; at < contig.length; at += step) positions[contig.name].push_back(at);
  return positions;
}

int64_t distance(const genome::IntervalSet& a, const genome::IntervalSet& b, const std::string& contig) {
  int64_t nearest = INT64_MAX;
  for (const auto& [start, end] : a.intervals(contig))
    for (const auto& [other_start, other_end] : b.intervals(contig))
      nearest = std::min(nearest, std::max({other_start - end, start - other_end, int64_t{0}}));
  return nearest;
}

TEST(Splits, BlocksAreDisjointWithAGap) {
  SplitOptions options;
  options.block = 1'000'000;
  const auto splits = make_splits(options, kContigs, every(10'000));
  const auto &train = splits.territory(Split::train), &validation = splits.territory(Split::validation),
             &test = splits.territory(Split::test);
  EXPECT_EQ(test.total(), 10'000'000);  // 15 % of 61 blocks, rounded up
  EXPECT_GT(validation.total(), 5'500'000);
  EXPECT_GT(train.total(), 43'000'000);
  for (const auto& contig : kContigs) {
    EXPECT_GE(distance(train, test, contig.name), 8000);
    EXPECT_GE(distance(train, validation, contig.name), 8000);
    EXPECT_GE(distance(validation, test, contig.name), 8000);
  }
  const auto again = make_splits(options, kContigs, every(10'000));
  options.seed = 2;
  EXPECT_EQ(again.territory(Split::test), test);
  EXPECT_NE(make_splits(options, kContigs, every(10'000)).territory(Split::test), test);
}

TEST(Splits, BlocksAreDrawnWhereThePositionsLie) {
  Positions positions;
  for (int64_t at = 1'000'000; at < 2'500'000; at += 10'000) positions["2"].push_back(at);
  const auto splits = make_splits({}, kContigs, positions);
  for (const Split split : kSplits) {
    int64_t count = 0;
    for (const int64_t at : positions["2"]) count += splits.of({"2", at, at + 1, '+'}) == split;
    EXPECT_GT(count, split == Split::train ? 80 : 8) << split_name(split);
  }
}

TEST(Splits, TakeNoLongerOnAContigOfAnyLength) {
  Positions positions;
  std::vector<genome::Contig> contigs{{"1", genome::kMostPosition}};
  for (int64_t i = 0; i < 200; ++i) positions["1"].push_back(i * (genome::kMostPosition / 200) + 17);
  SplitOptions options;
  options.block = 20'000;
  const auto splits = make_splits(options, contigs, positions);
  for (const Split split : kSplits) EXPECT_FALSE(splits.territory(split).empty());
  EXPECT_EQ(splits.territory(Split::test).total(), 30 * options.block);  // 15 % of 200 blocks
}

TEST(Splits, RegionsBelongOnlyWhereTheyLieWhole) {
  SplitMap splits;
  splits.territory(Split::train).add("1", 0, 1000);
  splits.territory(Split::test).add("1", 1200, 2000);
  EXPECT_EQ(splits.of({"1", 0, 1000, '+'}), Split::train);
  EXPECT_EQ(splits.of({"1", 1200, 1300, '-'}), Split::test);
  EXPECT_EQ(splits.of({"1", 900, 1100, '+'}), std::nullopt);
  EXPECT_EQ(splits.of({"1", 1050, 1150, '+'}), std::nullopt);
  EXPECT_EQ(splits.of({"2", 0, 10, '+'}), std::nullopt);
}

TEST(Splits, ContigsAndNothing) {
  SplitOptions options;
  options.test = "2";
  options.validation = "0";
  const auto splits = make_splits(options, kContigs, every(10'000));
  EXPECT_EQ(splits.territory(Split::test).total(), 21'000'000);
  EXPECT_EQ(splits.territory(Split::train).total(), 40'000'000);
  EXPECT_TRUE(splits.territory(Split::validation).empty());
  options.test = "no_such_contig";
  EXPECT_THROW(make_splits(options, kContigs, every(10'000)), Error);
}

TEST(Splits, TakesOverAHoldOut) {
  genome::IntervalSet held_out;
  held_out.add("2", 10'000'000, 21'000'000);
  const auto splits = make_splits({}, kContigs, every(10'000), &held_out);
  EXPECT_EQ(splits.territory(Split::test), held_out);
  EXPECT_FALSE(splits.territory(Split::train).overlaps("2", 10'000'000 - 8000, 21'000'000));
  EXPECT_FALSE(splits.territory(Split::validation).empty());
}

}  // namespace
}  // namespace bigdna::dataset
