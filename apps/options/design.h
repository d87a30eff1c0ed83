/// bigdna design: substitutions that raise chosen outputs of a model.
#pragma once

#include "apps/options/common.h"
#include "attribution/design_options.h"

namespace bigdna::apps {

struct DesignOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "design";
  static constexpr const char* group = "Models";
  static constexpr const char* summary =
      "Edit sequences so that a model predicts more of one output and less of another";
  static constexpr const char* example =
      "bigdna design human-chr20-chrX -R regions.bed -g hg19.fa --raise 'DNase|K562' -o designed.fa";
  CommonOptions common;
  attribution::DesignOptions design;
  void visit(OptionList& visit);
  void finish(OptionList& list);
  static std::string details();
};

void run(const DesignOptions& options);

}  // namespace bigdna::apps
