/// bigdna marginalize: what motifs that are put into sequences do to a network's predictions.
#pragma once

#include "apps/options/common.h"
#include "attribution/marginalize_options.h"

namespace bigdna::apps {

struct MarginalizeOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "marginalize";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Insert motifs into sequences and write how predictions change";
  static constexpr const char* example =
      "bigdna marginalize human-chr20-chrX ctcf.meme -R regions.bed -g hg19.fa --features 'CTCF*' -o changes.tsv";
  CommonOptions common;
  attribution::MarginalizeOptions marginalize;
  void visit(OptionList& visit);
  void finish(OptionList& list);
  static std::string details();
};

void run(const MarginalizeOptions& options);

}  // namespace bigdna::apps
