/// bigdna liftover: a BED file from one assembly to another.
#pragma once

#include "apps/options/common.h"

namespace bigdna::apps {

struct LiftoverOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "liftover";
  static constexpr const char* group = "Files";
  static constexpr const char* summary = "Convert a BED file from one assembly to another with a UCSC chain";
  static constexpr const char* example = "bigdna liftover hg19.bed --chain hg19ToHg38.over.chain.gz -o hg38.bed";
  CommonOptions common;
  std::string input, chain, output = "-", unmapped;
  double min_match = 0.95;
  void visit(OptionList& visit);
  static std::string details();
};

void run(const LiftoverOptions& options);

}  // namespace bigdna::apps
