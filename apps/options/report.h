/// bigdna report: what bigdna wrote, as one HTML file.
#pragma once

#include "apps/options/common.h"

namespace bigdna::apps {

struct ReportOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "report";
  static constexpr const char* group = "Files";
  static constexpr const char* summary = "Draw runs, datasets, predictions and variants in one HTML file";
  static constexpr const char* example = "bigdna report promoter_run chromatin_run -o report.html";
  CommonOptions common;
  std::vector<std::string> paths, measured;
  std::string output, title, note, author;
  void visit(OptionList& visit);
  static std::string details();
};

void run(const ReportOptions& options);

}  // namespace bigdna::apps
