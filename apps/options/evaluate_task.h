/// bigdna evaluate promoter|chromatin: metrics of a fine-tuned model on a dataset's split.
#pragma once

#include "apps/options/common.h"
#include "session/run_options.h"

namespace bigdna::apps {

struct EvaluateTaskOptions {
  CommonOptions common;
  DeviceOptions device;
  std::string task, model, dataset;
  std::string genome;  // chromatin
  std::string split = "test", json, scores;
  std::vector<std::string> ensemble, compare;
  session::Strands strands = session::Strands::forward;
  int resamples = 1000;
  bool no_baseline = false;
  void define_shared(CLI::App& app);
};

struct EvaluatePromoterOptions : EvaluateTaskOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "evaluate promoter";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "F1, MCC, AUROC ... of a promoter model on held-out data";
  std::string report;
  void define(CLI::App& app);
};

struct EvaluateChromatinOptions : EvaluateTaskOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "evaluate chromatin";
  static constexpr const char* group = "Models";
  static constexpr const char* summary =
      "AUROC and AUPRC of each feature of a chromatin model on held-out data";
  std::string features, picture;
  void define(CLI::App& app);
};

void run(const EvaluatePromoterOptions& options);
void run(const EvaluateChromatinOptions& options);

}  // namespace bigdna::apps
