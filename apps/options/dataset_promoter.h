/// bigdna dataset promoter: start sites and a genome to a labelled dataset, split without leakage.
#pragma once

#include "apps/options/common.h"
#include "apps/options/split.h"
#include "dataset/promoter_dataset.h"

namespace bigdna::apps {

struct DatasetPromoterOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "dataset promoter";
  static constexpr const char* group = "Datasets";
  static constexpr const char* summary =
      "Build a promoter dataset from start sites and a genome, split without leakage";
  static constexpr const char* example = "bigdna dataset promoter --promoters EPDnew.bed -g GRCh37.fa -o promoters";
  CommonOptions common;
  OutputFolderOptions folder;
  SplitCommandOptions split;
  std::string recipe = "genomic";
  dataset::PromoterOptions dataset;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const DatasetPromoterOptions& options);

}  // namespace bigdna::apps
