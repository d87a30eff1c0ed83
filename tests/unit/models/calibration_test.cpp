#include "models/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support.h"

namespace bigdna::models {
namespace {

TEST(SessionCalibration, IsKeptAsJson) {
  Calibration calibration(2);
  calibration.scale = {0.1, NAN};
  calibration.shift = {-0.25, -0.25};
  calibration.threshold = 1.0 / 3;
  const auto json = calibration.json();
  EXPECT_EQ(json.dump(), R"({"scale":[0.1,null],"shift":-0.25,"threshold":0.3333333333333333})");
  const auto read = Calibration::of(json, 2, "m/bigdna.json");
  EXPECT_EQ(read.scale[0], 0.1);
  EXPECT_TRUE(std::isnan(read.scale[1]));
  EXPECT_EQ(read.shift, calibration.shift);
  EXPECT_EQ(read.threshold, calibration.threshold);
  const auto message = [&](const nlohmann::ordered_json& json, int64_t outputs) {
    return test::error_of([&] { Calibration::of(json, outputs, "m/bigdna.json"); });
  };
  EXPECT_EQ(message(json, 3), "m/bigdna.json: a calibration does not have 3 outputs");
  EXPECT_EQ(message({{"scale", 1}}, 2), "m/bigdna.json: a calibration has no scale, shift and threshold");
}

TEST(SessionCalibration, AppliesToEachOutput) {
  Calibration calibration(2);
  calibration.scale = {2, NAN};
  calibration.shift = {1, 0};
  std::vector<double> logits{1, 2, 3, 4};
  calibration.apply(logits);
  EXPECT_EQ(logits[0], 3);
  EXPECT_EQ(logits[2], 7);
  EXPECT_TRUE(std::isnan(logits[1]) && std::isnan(logits[3]));
}

}  // namespace
}  // namespace bigdna::models
