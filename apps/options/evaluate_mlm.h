/// bigdna evaluate mlm: bits per base of a model on held-out sequence, beside the n-gram baselines.
#pragma once

#include <string>
#include <vector>

#include "apps/options/common.h"

namespace bigdna::apps {

struct EvaluateMlmOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "evaluate mlm";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Score masked-token prediction on held-out sequence";
  CommonOptions common;
  DeviceOptions device;
  std::string model, data, regions, output = "-", json;
  std::string contigs = "primary";
  std::vector<int64_t> contexts;
  int64_t max_length = 0, tokens = 1'000'000;
  double mask_fraction = 0.15;
  void define(CLI::App& app);
};

void run(const EvaluateMlmOptions& options);

}  // namespace bigdna::apps
