/// bigdna evaluate: metrics of a model on a dataset's split.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/options/common.h"
#include "session/run_options.h"

namespace bigdna::apps {

struct EvaluateOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "evaluate";
  static constexpr const char* group = "Models";
  static constexpr const char* summary =
      "Evaluate a model on held-out data of any dataset: AUROC, F1, MCC, correlations";
  static constexpr const char* example = "bigdna evaluate promoter_model promoters > metrics.tsv";
  CommonOptions common;
  session::RunOptions run;
  std::string model, dataset;
  std::string task;  // the dataset's
  std::string split = "test", json, scores, report;
  std::string features;         // of datasets with named outputs
  std::string genome, picture;  // chromatin
  std::vector<std::string> ensemble, compare;
  std::optional<session::Strands> strands;  // unset: each model's models::TaskDetails::strands
  int resamples = 1000;
  bool no_baseline = false, refit_kmers = false;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const EvaluateOptions& options);

}  // namespace bigdna::apps
