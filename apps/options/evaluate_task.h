/// bigdna evaluate promoter|chromatin|table: metrics of a fine-tuned model on a dataset's split.
#pragma once

#include <optional>

#include "apps/options/common.h"
#include "session/run_options.h"

namespace bigdna::apps {

struct EvaluateTaskOptions {
  CommonOptions common;
  session::RunOptions run;
  std::string task, model, dataset;
  std::string genome;  // chromatin
  std::string split = "test", json, scores, report;
  std::string features;  // chromatin, table
  std::string picture;   // chromatin
  std::vector<std::string> ensemble, compare;
  std::optional<session::Strands> strands;  // unset: each model's models::TaskDetails::strands
  int resamples = 1000;
  bool no_baseline = false, refit_kmers = false;
  void visit_shared(OptionList& visit);
};

struct EvaluatePromoterOptions : EvaluateTaskOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "evaluate promoter";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Evaluate a promoter model on held-out data: F1, MCC, AUROC and more";
  static constexpr const char* example = "bigdna evaluate promoter promoter_model promoters > metrics.tsv";
  void visit(OptionList& visit);
  static std::string details();
};

struct EvaluateChromatinOptions : EvaluateTaskOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "evaluate chromatin";
  static constexpr const char* group = "Models";
  static constexpr const char* summary = "Evaluate a chromatin model on held-out data: AUROC and AUPRC per feature";
  static constexpr const char* example =
      "bigdna evaluate chromatin chromatin_model chromatin --features features.tsv > metrics.tsv";
  void visit(OptionList& visit);
  static std::string details();
};

struct EvaluateTableOptions : EvaluateTaskOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "evaluate table";
  static constexpr const char* group = "Models";
  static constexpr const char* summary =
      "Evaluate a model of your own labels on held-out data: MCC, F1, AUROC, or correlations";
  static constexpr const char* example = "bigdna evaluate table measured_model measured > metrics.tsv";
  void visit(OptionList& visit);
  static std::string details();
};

void run(const EvaluateTaskOptions& options);

}  // namespace bigdna::apps
