/// bigdna fill: fills gaps in sequences by a causal model that reads both of their flanks.
#pragma once

#include "apps/options/common.h"
#include "prediction/fill_options.h"

namespace bigdna::apps {

struct FillOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "fill";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Fill runs of N, or regions, from both of their flanks";
  static constexpr const char* example = "bigdna fill run assembly.fa.gz -o filled.fa.gz --table gaps.tsv";
  CommonOptions common;
  prediction::FillOptions fill;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const FillOptions& options);

}  // namespace bigdna::apps
