/// bigdna merge: the outputs of a divided prediction as one.
#pragma once

#include "apps/options/common.h"
#include "merge/merge.h"

namespace bigdna::apps {

struct MergeOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "merge";
  static constexpr const char* group = "Files";
  static constexpr const char* summary = "Join the parts of a prediction that was divided by --shard";
  static constexpr const char* example = "bigdna merge part1.tsv part2.tsv part3.tsv -o predictions.tsv";
  CommonOptions common;
  merge::MergeOptions merge;
  void visit(OptionList& visit);
  void finish(const OptionList& list) const;
  static std::string details();
};

void run(const MergeOptions& options);

}  // namespace bigdna::apps
