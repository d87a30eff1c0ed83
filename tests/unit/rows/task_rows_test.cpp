#include "rows/task_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "rows/dataset_rows.h"

namespace bigdna::rows {
namespace {

using dataset::Split;

/// `count` validation rows with labels as `label` says.
TaskRows rows_with(int64_t count, int64_t features, std::function<bool(int64_t row, int64_t feature)> label) {
  TaskRows data;
  data.task = dataset::find_task("chromatin");
  data.features.resize(static_cast<size_t>(features));
  data.regions.resize(static_cast<size_t>(count));
  data.splits.assign(static_cast<size_t>(count), Split::validation);
  data.label = std::move(label);
  return data;
}

int64_t positives(const TaskRows& data, const std::vector<int64_t>& rows, int64_t feature = 0) {
  const auto labels = data.labels_of(rows, feature);
  return std::count(labels.begin(), labels.end(), 1);
}

TEST(TaskRows, ASampleHasBothClassesAsOftenAsTheSplit) {
  // datasets with synthetic negatives alternate, and others have one positive to so many negatives
  for (const int64_t period : {2, 3, 4, 10})
    for (const int64_t most : {1000, 2000, 2500}) {
      const auto data = rows_with(8000, 1, [period](int64_t row, int64_t) { return row % period == 0; });
      const auto rows = data.of(Split::validation, most);
      ASSERT_EQ(static_cast<int64_t>(rows.size()), most);
      EXPECT_NEAR(static_cast<double>(positives(data, rows)), static_cast<double>(most) / static_cast<double>(period),
                  1.5)
          << period << " " << most;
    }
  const auto lonely = rows_with(100'000, 1, [](int64_t row, int64_t) { return row == 54'321; });
  EXPECT_LE(positives(lonely, lonely.of(Split::validation, 100)), 1);  // drawn from a pool that may lack it
  const auto few = rows_with(2'000, 1, [](int64_t row, int64_t) { return row == 321; });
  EXPECT_EQ(positives(few, few.of(Split::validation, 100)), 1);
}

TEST(TaskRows, ASampleIsInFileOrderWithoutRepeatsAndAlwaysTheSame) {
  const auto data = rows_with(10'000, 1, [](int64_t row, int64_t) { return row % 3 == 0; });
  const auto rows = data.of(Split::validation, 3000);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
  EXPECT_EQ(rows, data.of(Split::validation, 3000));
  // from everywhere in the file
  for (int64_t part = 0; part < 10; ++part)
    EXPECT_NEAR(
        static_cast<double>(std::count_if(rows.begin(), rows.end(), [&](int64_t row) { return row / 1000 == part; })),
        300, 60);
  std::vector<int64_t> all(10'000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(data.of(Split::validation), all);
  EXPECT_EQ(data.of(Split::validation, 10'000), all);
  EXPECT_EQ(data.of(Split::validation, 1).size(), 1u);
  EXPECT_TRUE(data.of(Split::test, 10).empty());
}

TEST(TaskRows, RareLabelsAreInTheSampleToo) {
  const auto data = rows_with(20'000, 3, [](int64_t row, int64_t feature) {
    return feature == 0   ? row % 2 == 0
           : feature == 1 ? row % 100 == 7
                          : row % 1000 == 8;  // the last one's rows have the first label too
  });
  const auto rows = data.of(Split::validation, 2000);
  EXPECT_NEAR(static_cast<double>(positives(data, rows, 0)), 1000, 3);
  EXPECT_NEAR(static_cast<double>(positives(data, rows, 1)), 20, 1);
  EXPECT_NEAR(static_cast<double>(positives(data, rows, 2)), 2, 1);
}

TEST(TaskRows, AWeightedSampleHasAllRowsOfRareLabelsAndStandsForTheSplit) {
  const auto data = rows_with(20'000, 2, [](int64_t row, int64_t feature) {
    return feature == 0 ? row % 4 == 0 : row % 1000 == 8;  // the latter have both
  });
  const auto [rows, weights] = data.weighted(Split::validation, 2020);
  ASSERT_EQ(rows.size(), 2020u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
  EXPECT_EQ(positives(data, rows, 1), 20);         // all
  EXPECT_EQ(positives(data, rows, 0), 20 + 1000);  // half of the others
  double sum = 0, first = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    sum += weights[i];
    first += data.label(rows[i], 0) * weights[i];
    if (data.label(rows[i], 1) > 0) {
      EXPECT_EQ(weights[i], 1);
    }
  }
  EXPECT_NEAR(sum, 20'000, 0.1);
  EXPECT_NEAR(first, 5'000, 0.1);
  const auto all = data.weighted(Split::validation, 20'000);
  EXPECT_EQ(all.rows, data.of(Split::validation));
  EXPECT_EQ(all.weights, std::vector<float>(20'000, 1));
}

}  // namespace
}  // namespace bigdna::rows
