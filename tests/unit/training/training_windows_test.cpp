#include "training/training_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.h"
#include "genome/alphabet.h"
#include "model/network.h"
#include "training/bins.h"

namespace bigdna::training {
namespace {

model_folder::NetworkConfig small_network(int64_t labels) {
  model_folder::NetworkConfig config;
  config.stages = {{4, 3, 2}, {4, 3, 5}};
  config.dilations = {1};
  config.window = 80;
  config.labels = labels;
  return config;
}

rows::TaskRows forty_bins() {
  std::vector<std::pair<std::string, int64_t>> places;
  for (int64_t bin = 0; bin < 40; ++bin) places.emplace_back("a", bin);
  return bins_at(places);
}

TEST(TrainingWindows, AnEpochHoldsEveryRowOnceWithItsLabels) {
  const auto data = forty_bins();
  const BinGrid grid(data, kTestBin);
  const auto config = small_network(2);
  const TrainingWindows windows(data, grid, config, 0.25);
  for (int64_t epoch = 0; epoch < 5; ++epoch) {
    std::map<std::pair<float, float>, double> weights;  // by labels
    int64_t rows = 0;
    for (int64_t i = 0; i < windows.size(); ++i) {
      const auto example = windows.example(1, epoch * windows.size() + i);
      ASSERT_EQ(example.ids.size(), 80u);
      ASSERT_EQ(example.targets.size(), 16u);
      for (size_t b = 0; b < example.weights.size(); ++b) {
        rows += example.weights[b] > 0;
        weights[{example.targets[2 * b], example.targets[2 * b + 1]}] += example.weights[b];
      }
    }
    EXPECT_EQ(rows, 40);
    EXPECT_DOUBLE_EQ((weights[{1, 0}]), 10);
    EXPECT_DOUBLE_EQ((weights[{0, 0}]), 10 * 0.25);  // without any label
  }
  EXPECT_DOUBLE_EQ(windows.means()[0], 20 / 32.5);
}

TEST(TrainingWindows, RareLabelsWeighMore) {
  std::vector<std::pair<std::string, int64_t>> places;
  for (int64_t bin = 0; bin < 40; ++bin) places.emplace_back("a", bin);
  const auto data = bins_at(places, 0, 6);  // label 0 in 20 rows, label 5 in 8
  const BinGrid grid(data, kTestBin);
  const auto config = small_network(6);
  const TrainingWindows windows(data, grid, config, 0.25);
  EXPECT_EQ(windows.label_weights(0), std::vector<float>(6, 1));
  for (const double balance : {0.5, 1.}) {
    const auto weights = windows.label_weights(balance);
    EXPECT_NEAR(weights[5] / weights[0], std::pow(20. / 8, balance), 1e-5);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.), 6, 1e-5);
  }
}

TEST(TrainingWindows, BasesAreThoseOfTheWindowOrTheirReverseComplement) {
  const auto data = forty_bins();
  const BinGrid grid(data, kTestBin);
  const auto config = small_network(2);
  const TrainingWindows windows(data, grid, config, 0.25);
  int reversed = 0;
  for (int64_t i = 0; i < 40; ++i) {
    const auto example = windows.example(1, i);
    const auto again = windows.example(1, i);
    EXPECT_EQ(example.ids, again.ids);
    const std::string bases = data.sequence(example.region);
    const bool forward = example.ids == model::base_codes(bases);
    if (!forward) {
      EXPECT_EQ(example.ids, model::base_codes(genome::reverse_complement(bases)));
    }
    reversed += !forward;
    // the row in the middle of the window has its labels at the mirrored bin
    for (int64_t b = 0; b < 8; ++b) {
      const int64_t bin = (example.region.start + kTestBin / 2 + 1000 * kTestBin) / kTestBin - 1000 + b;
      const int64_t row = grid.row(0, bin);
      const auto at = static_cast<size_t>(forward ? b : 7 - b);
      EXPECT_EQ(example.weights[at] > 0, row >= 0);
      if (row >= 0) {
        EXPECT_EQ(example.targets[2 * at], data.label(row, 0));
      }
    }
  }
  EXPECT_GT(reversed, 5);
  EXPECT_LT(reversed, 35);
}

TEST(TrainingWindows, LabelsOfAStrandChangeWithIt) {
  const auto data = forty_bins();
  const BinGrid grid(data, kTestBin);
  auto config = small_network(2);
  const TrainingWindows plain(data, grid, config, 1);
  auto stranded = config;
  stranded.reversed = {1, 0};
  const TrainingWindows swapped(data, grid, stranded, 1);
  for (int64_t i = 0; i < 20; ++i) {
    const auto a = plain.example(1, i), b = swapped.example(1, i);
    const bool forward = a.ids == model::base_codes(data.sequence(a.region));
    for (size_t bin = 0; bin < 8; ++bin) EXPECT_EQ(b.targets[2 * bin], a.targets[2 * bin + (forward ? 0 : 1)]);
  }
}

TEST(TrainingWindows, CountsCountFullyInAllTrainingBins) {
  auto data = forty_bins();
  data.features.push_back({"track", "-", "-", "-", '.', dataset::FeatureKind::counts});
  data.splits[39] = dataset::Split::test;
  data.label = [of_labels = data.label](int64_t row, int64_t feature) {
    return feature == 2 ? static_cast<float>(row) : of_labels(row, feature);
  };
  const BinGrid grid(data, kTestBin);
  const auto config = small_network(3);
  const TrainingWindows windows(data, grid, config, 0.25);
  EXPECT_DOUBLE_EQ(windows.means()[2], 19) << "background weighs as much as other bins";
  const auto weights = windows.label_weights(0.5);
  EXPECT_FLOAT_EQ(weights[2], 1.f / 19);
  EXPECT_FLOAT_EQ((weights[0] + weights[1]) / 2, 1) << "of the labels alone";
  std::map<float, int> seen;
  for (int64_t i = 0; i < windows.size(); ++i) {
    const auto example = windows.example(1, i);
    for (size_t b = 0; b < example.weights.size(); ++b)
      if (const float count = example.targets[3 * b + 2]; !std::isnan(count)) ++seen[count];
  }
  EXPECT_EQ(seen.size(), 39u);
  EXPECT_TRUE(std::ranges::all_of(seen, [](const auto& entry) { return entry.second == 1; }));
  data.label = [of_labels = data.label](int64_t row, int64_t f) { return f == 2 ? 0.f : of_labels(row, f); };
  EXPECT_THROW(TrainingWindows(data, grid, config, 0.25), Error) << "a track of zeros";
}

}  // namespace
}  // namespace bigdna::training
