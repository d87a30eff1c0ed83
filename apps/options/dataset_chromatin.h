/// bigdna dataset chromatin: peak files, or DeepSEA's bundle, and a genome to bins with label bits.
#pragma once

#include "apps/options/common.h"
#include "apps/options/split.h"
#include "dataset/chromatin_dataset.h"

namespace bigdna::apps {

struct DatasetChromatinOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "dataset chromatin";
  static constexpr const char* group = "Datasets";
  static constexpr const char* summary =
      "Peak files, or DeepSEA's bundle, and a genome to 200-bp bins with a label for each feature";
  CommonOptions common;
  OutputFolderOptions folder;
  SplitCommandOptions split;
  dataset::ChromatinOptions dataset;
  void define(CLI::App& app);
};

void run(const DatasetChromatinOptions& options);

}  // namespace bigdna::apps
