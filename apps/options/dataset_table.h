/// bigdna dataset table: a table of labelled sequences or intervals to a dataset.
#pragma once

#include "apps/options/common.h"
#include "apps/options/split.h"
#include "dataset/table_dataset.h"

namespace bigdna::apps {

struct DatasetTableOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "dataset table";
  static constexpr const char* group = "Datasets";
  static constexpr const char* summary = "Build a dataset from a table of sequences or intervals with your own labels";
  static constexpr const char* example = "bigdna dataset table measured.csv --label-columns activity -o measured";
  CommonOptions common;
  OutputFolderOptions folder;
  SplitCommandOptions split;
  std::string label_type = "auto";
  dataset::TableOptions dataset;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const DatasetTableOptions& options);

}  // namespace bigdna::apps
