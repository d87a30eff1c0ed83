#include "training/train_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "dataset/bin.h"

namespace bigdna::training {
namespace {

const std::vector<dataset::Feature> kFeatures{{"CTCF", "K562", "-", "TF"}};

TEST(TrainOptions, StagesPoolToBinsOfEachWidthAndReachAsFar) {
  TrainOptions options;
  options.window = 25'600;  // whole bins of every width
  for (const auto& [bp, pools] : dataset::kBinWidths) {
    const auto config = config_of(options, kFeatures, bp, nullptr);
    EXPECT_EQ(config.bin(), bp);
    EXPECT_LE(*std::ranges::max_element(config.dilations) * bp, 3200);
    EXPECT_GT(*std::ranges::max_element(config.dilations) * bp, 1600);
    EXPECT_EQ(config.dilations.back(), 1);
  }
  EXPECT_EQ(config_of(options, kFeatures, 200, nullptr).dilations, (std::vector<int64_t>{1, 2, 4, 8, 16, 1}));
  EXPECT_EQ(config_of(options, kFeatures, 200, nullptr).dilations, model_folder::NetworkConfig().dilations);
  EXPECT_EQ(config_of(options, kFeatures, 50, nullptr).dilations, (std::vector<int64_t>{1, 2, 4, 8, 16, 32, 64, 1}));
  const model_folder::NetworkConfig standard;
  for (size_t i = 0; i < standard.stages.size(); ++i)
    EXPECT_EQ(standard.stages[i].pool, dataset::find_bin_width(dataset::kBin)->pools[i]);
}

TEST(TrainOptions, WhatTheBinsDoNotFitIsAnError) {
  TrainOptions options;
  options.from = "other";
  const auto narrow = config_of(options, kFeatures, 50, nullptr);
  EXPECT_EQ(config_of(options, kFeatures, 50, &narrow).dilations, narrow.dilations);
  EXPECT_THROW(config_of(options, kFeatures, 200, &narrow), UsageError);
  EXPECT_THROW(config_of(options, kFeatures, 64, nullptr), Error);
  options.dilations = {3};
  EXPECT_EQ(config_of(options, kFeatures, 50, nullptr).dilations, options.dilations);
}

}  // namespace
}  // namespace bigdna::training
