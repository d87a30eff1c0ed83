/// bigdna predict-promoter and bigdna chromatin.
#pragma once

#include "apps/options/common.h"
#include "prediction/predict_options.h"

namespace bigdna::apps {

struct PredictPromoterOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "predict-promoter";
  static constexpr const char* group = "Predictions";
  static constexpr const char* summary = "Score sequences, regions or a whole genome for promoters";
  CommonOptions common;
  DeviceOptions device;
  prediction::PredictPromoterOptions predict;
  void define(CLI::App& app);
};

struct ChromatinOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "chromatin";
  static constexpr const char* group = "Predictions";
  static constexpr const char* summary = "Predict chromatin features of regions";
  CommonOptions common;
  DeviceOptions device;
  prediction::PredictChromatinOptions predict;
  void define(CLI::App& app);
};

void run(const PredictPromoterOptions& options);
void run(const ChromatinOptions& options);

}  // namespace bigdna::apps
