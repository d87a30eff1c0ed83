/// bigdna dataset profile: reads, peaks and a genome to regions with a count at each base.
#pragma once

#include "apps/options/common.h"
#include "apps/options/split.h"
#include "dataset/profile_dataset.h"

namespace bigdna::apps {

struct DatasetProfileOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "dataset profile";
  static constexpr const char* group = "Datasets";
  static constexpr const char* summary = "Build a dataset of regions with counts at each base, from reads and peaks";
  static constexpr const char* example =
      "bigdna dataset profile --tracks tracks.tsv --peaks peaks.narrowPeak -g hg38.fa -o profiles";
  CommonOptions common;
  OutputFolderOptions folder;
  SplitCommandOptions split;
  dataset::ProfileDatasetOptions dataset;
  void visit(OptionList& visit);
  static std::string details();
};

void run(const DatasetProfileOptions& options);

}  // namespace bigdna::apps
