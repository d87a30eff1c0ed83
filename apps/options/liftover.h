/// bigdna liftover: a BED file from one assembly to another.
#pragma once

#include "apps/options/common.h"

namespace bigdna::apps {

struct LiftoverOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "liftover";
  static constexpr const char* group = "Files";
  static constexpr const char* summary = "Carry a BED file from one assembly to another along a UCSC chain";
  CommonOptions common;
  std::string input, chain, output = "-", unmapped;
  double min_match = 0.95;
  void define(CLI::App& app);
};

void run(const LiftoverOptions& options);

}  // namespace bigdna::apps
