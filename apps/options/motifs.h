/// bigdna motifs: what the filters of a network's first layer look for, or which motifs its contributions show.
#pragma once

#include "apps/options/common.h"
#include "attribution/motif_options.h"

namespace bigdna::apps {

struct MotifsOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "motifs";
  static constexpr const char* group = "Models";
  static constexpr const char* summary =
      "Write the motifs that a model looks for: of first-layer filters, or de novo from contributions";
  static constexpr const char* example =
      "bigdna motifs human-chr20-chrX -R peaks.bed -g hg19.fa -o filters.meme --table filters.tsv";
  CommonOptions common;
  attribution::MotifOptions motifs;
  void visit(OptionList& visit);
  void finish(OptionList& list);
  static std::string details();
};

void run(const MotifsOptions& options);

}  // namespace bigdna::apps
