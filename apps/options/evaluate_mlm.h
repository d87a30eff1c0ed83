/// bigdna evaluate mlm: bits per base of models, and of models of counts, on held-out sequence.
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
  static constexpr const char* example = "bigdna evaluate mlm run corpus -o scores.tsv";
  CommonOptions common;
  session::RunOptions run;
  std::vector<std::string> paths;  // the models, then the data
  std::string regions, repeats, output = "-", differences, copies, json;
  std::string contigs = "all";
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  std::vector<int64_t> contexts;
  int64_t tokens = 1'000'000, pairs = 500, block = 100'000;
  double mask_fraction = 0.15;
  int resamples = 1000;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const EvaluateMlmOptions& options);

}  // namespace bigdna::apps
