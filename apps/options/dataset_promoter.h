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
      "Start sites and a genome to a promoter dataset, split without leakage";
  CommonOptions common;
  OutputFolderOptions folder;
  SplitCommandOptions split;
  std::string recipe = "genomic";
  dataset::PromoterOptions dataset;
  void define(CLI::App& app);
};

void run(const DatasetPromoterOptions& options);

}  // namespace bigdna::apps
