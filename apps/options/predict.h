/// bigdna predict-promoter, bigdna chromatin and bigdna predict.
#pragma once

#include "apps/options/common.h"
#include "prediction/predict_options.h"

namespace bigdna::apps {

struct PredictPromoterOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "predict-promoter";
  static constexpr const char* group = "Predictions";
  static constexpr const char* summary = "Score sequences, regions or a whole genome for promoters";
  static constexpr const char* example = "bigdna predict-promoter promoter_model sequences.fa -o scores.tsv";
  CommonOptions common;
  prediction::PredictPromoterOptions predict;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

struct ChromatinOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "chromatin";
  static constexpr const char* group = "Predictions";
  static constexpr const char* summary = "Predict chromatin features of regions or whole contigs";
  static constexpr const char* example = "bigdna chromatin chromatin_model regions.bed -g GRCh37.fa -o predictions.tsv";
  CommonOptions common;
  prediction::PredictionOptions predict;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

struct PredictOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "predict";
  static constexpr const char* group = "Predictions";
  static constexpr const char* summary = "Predict with any trained model: one row per sequence or region";
  static constexpr const char* example = "bigdna predict measured_model sequences.fa -o predictions.tsv";
  CommonOptions common;
  prediction::PredictionOptions predict;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const PredictPromoterOptions& options);
void run(const ChromatinOptions& options);
void run(const PredictOptions& options);

}  // namespace bigdna::apps
