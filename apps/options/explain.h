/// bigdna explain: what each base contributes to a network's predictions.
#pragma once

#include "apps/options/common.h"
#include "attribution/explain_options.h"

namespace bigdna::apps {

struct ExplainOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "explain";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Write what each base of an interval contributes to a prediction";
  static constexpr const char* example =
      "bigdna explain human-chr20-chrX -r chr20:50000001-50000200 -g hg19.fa --features 'CTCF*' -o bases.tsv";
  CommonOptions common;
  attribution::ExplainOptions explain;
  void visit(OptionList& visit);
  void finish(OptionList& list);
  static std::string details();
};

void run(const ExplainOptions& options);

}  // namespace bigdna::apps
