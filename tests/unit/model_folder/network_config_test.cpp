#include "model_folder/network_config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "support.h"

namespace bigdna::model_folder {
namespace {

NetworkConfig config_with_labels(int64_t labels) {
  NetworkConfig config;
  config.labels = labels;
  return config;
}

TEST(NetworkConfig, TheDefaultHasBinsOf200BasesAndAKnownReach) {
  const auto config = config_with_labels(3);
  EXPECT_EQ(config.bin(), 200);
  // 7 + 2 * 4 + 2 * 20 bases of the filters, and 32 bins of the dilated convolutions: 6455, in whole bins
  EXPECT_EQ(config.reach(), 6600);
}

TEST(NetworkConfig, JsonRoundTrip) {
  auto config = config_with_labels(3);
  config.stages = {{8, 3, 2}, {16, 5, 7}};
  config.dilations = {1, 3};
  config.window = 1400;
  config.networks = 2;
  config.reversed = {1, 0, 2};
  config.layers = 2, config.heads = 2, config.ffn = 24;
  config.pattern.name = "window", config.pattern.block = 8;
  check(config);
  EXPECT_EQ(network_config_from_json(to_json(config), "config.json"), config);
}

TEST(NetworkConfig, NetworksHaveTheSameShapesUnderTheirOwnPrefix) {
  auto config = config_with_labels(3);
  config.networks = 2;
  const auto shapes = parameter_shapes(config);
  EXPECT_EQ(shapes.at("networks.0.stages.0.weight"), (std::vector<int64_t>{128, 4, 15}));
  EXPECT_EQ(shapes.at("networks.1.head.weight"), (std::vector<int64_t>{3, 256}));
  config.networks = 1;
  EXPECT_EQ(shapes.size(), 2 * parameter_shapes(config).size());
}

TEST(NetworkConfig, WhatDoesNotFitIsNamed) {
  const auto error = [](auto change) {
    auto config = config_with_labels(2);
    change(config);
    return test::error_of([&] { check(config); });
  };
  EXPECT_NE(error([](auto& c) { c.window = 1000 + 1; }).find("a window of 1001 bp is not whole bins of 200"),
            std::string::npos);
  EXPECT_NE(error([](auto& c) { c.stages[0].width = 4; }).find("must be odd"), std::string::npos);
  EXPECT_NE(error([](auto& c) { c.labels = 0; }).find("0 labels"), std::string::npos);
  EXPECT_NE(error([](auto& c) { c.reversed = {1, 1}; }).find("counterpart"), std::string::npos);
  EXPECT_NE(test::error_of([] {
              network_config_from_json({{"stages", 3}}, "x.json");
            }).find("x.json"),
            std::string::npos);
}

}  // namespace
}  // namespace bigdna::model_folder
