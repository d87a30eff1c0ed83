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
      "Build a dataset of bins with a label per chromatin feature, from peak files or DeepSEA's bundle";
  static constexpr const char* example = "bigdna dataset chromatin --peaks peaks.tsv -g GRCh37.fa -o chromatin";
  CommonOptions common;
  OutputFolderOptions folder;
  SplitCommandOptions split;
  dataset::ChromatinOptions dataset;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const DatasetChromatinOptions& options);

}  // namespace bigdna::apps
