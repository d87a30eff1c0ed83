// Splits of whole units.
#include "dataset/unit_splits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

TEST(UnitSplits, WholeUnitsWhateverTheOrder) {
  std::vector<std::string> units;
  for (int i = 0; i < 1000; ++i) units.push_back(std::to_string(i / 4));
  std::vector<std::optional<Split>> splits(units.size()), reversed(units.size());
  draw_units({}, units, splits);
  EXPECT_NEAR(static_cast<double>(std::count(splits.begin(), splits.end(), Split::test)), 150, 4);
  EXPECT_NEAR(static_cast<double>(std::count(splits.begin(), splits.end(), Split::validation)), 100, 4);
  for (size_t i = 0; i < units.size(); ++i) EXPECT_EQ(splits[i], splits[i / 4 * 4]);
  std::reverse(units.begin(), units.end());
  draw_units({}, units, reversed);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(splits, reversed);
  SplitOptions none;
  none.test = none.validation = "0";
  std::vector<std::optional<Split>> all(units.size());
  draw_units(none, units, all);
  EXPECT_EQ(std::count(all.begin(), all.end(), Split::train), 1000);
  draw_validation({}, units, all);
  EXPECT_NEAR(static_cast<double>(std::count(all.begin(), all.end(), Split::validation)), 100, 4);
  none.test = "0.6";
  none.validation = "0.4";
  EXPECT_THROW(draw_units(none, units, all), UsageError);
}

TEST(UnitSplits, AUnitOfManyRowsIsNamedWhereASplitIsFarFromItsFraction) {
  std::vector<std::string> units;
  for (int i = 0; i < 100; ++i) units.push_back(i < 60 ? "big" : std::to_string(i));
  bool said_of_test = false;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SplitOptions options;
    options.seed = seed;
    std::vector<std::optional<Split>> splits(units.size());
    testing::internal::CaptureStderr();
    draw_units(options, units, splits);
    const auto said = testing::internal::GetCapturedStderr();
    const auto rows = [&](Split split) { return std::count(splits.begin(), splits.end(), split); };
    EXPECT_EQ(said.find("the test split has") != said.npos, rows(Split::test) > 22 || rows(Split::test) < 8);
    EXPECT_EQ(said.find("the validation split has") != said.npos,
              rows(Split::validation) > 15 || rows(Split::validation) < 5);
    if (rows(Split::test) > 60)
      said_of_test |= said.find("15 % were requested: the group 'big' has 60 % of them") != said.npos;
  }
  EXPECT_TRUE(said_of_test);
  std::vector<std::optional<Split>> splits(3);
  testing::internal::CaptureStderr();
  draw_units({}, {"a", "b", "c"}, splits);  // so few rows, each a unit, cannot be divided otherwise
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(UnitSplits, WarnsOfUnitsThatGivenSplitsDivide) {
  const auto train = Split::train, validation = Split::validation, test = Split::test;
  testing::internal::CaptureStderr();
  warn_of_shared_units({"a", "a", "b", "c", "c", "c"}, {train, test, validation, train, test, test}, "group");
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("warning: 3 of 3 test examples belong to 2 groups (as 'a') with training or validation examples"),
            said.npos)
      << said;
  EXPECT_EQ(said.find("of 1 validation example"), said.npos) << said;
  testing::internal::CaptureStderr();
  warn_of_shared_units({"a", "b", "c", "c"}, {train, validation, test, test});
  warn_of_shared_units({"a", "a"}, {test, std::nullopt});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace bigdna::dataset
