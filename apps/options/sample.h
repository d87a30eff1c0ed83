/// bigdna sample: draws sequences from a causal model.
#pragma once

#include "apps/options/common.h"
#include "prediction/sample_options.h"

namespace bigdna::apps {

struct SampleOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "sample";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Draw sequences from a causal language model";
  static constexpr const char* example = "bigdna sample run -n 100 --length 2000 -o drawn.fa";
  CommonOptions common;
  prediction::SampleOptions sample;
  void visit(OptionList& visit);
  static std::string details();
};

void run(const SampleOptions& options);

}  // namespace bigdna::apps
