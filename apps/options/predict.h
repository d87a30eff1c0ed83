/// bigdna predict, bigdna chromatin and bigdna predict-promoter: one list of options, each has those that its rows
/// need.
#pragma once

#include <string>

#include "apps/options/common.h"
#include "prediction/predict_options.h"

namespace bigdna::apps {

/// What differs in the help of the three commands.
struct PredictionText {
  const char *name, *summary, *example;
};
inline constexpr PredictionText kPredictText{"predict",
                                             "Predict with any trained model: one row per sequence or region",
                                             "bigdna predict measured_model sequences.fa -o predictions.tsv"};
inline constexpr PredictionText kChromatinText{
    "chromatin", "Predict chromatin features of regions or whole contigs",
    "bigdna chromatin chromatin_model regions.bed -g GRCh37.fa -o predictions.tsv"};
inline constexpr PredictionText kPromoterText{"predict-promoter",
                                              "Score sequences, regions or a whole genome for promoters",
                                              "bigdna predict-promoter promoter_model sequences.fa -o scores.tsv"};

template <const PredictionText& kText, class Settings>
struct PredictionCommand {
  static constexpr auto program = Program::model;
  static constexpr const char *name = kText.name, *group = "Predictions";
  static constexpr const char *summary = kText.summary, *example = kText.example;
  static constexpr const char* advice =
      "Of three commands, take predict for one row per sequence or region, with any model; chromatin for regions or\n"
      "whole contigs in bins, or bigWig tracks; predict-promoter to scan sequences or a genome for start sites.\n";
  CommonOptions common;
  Settings predict;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

using PredictOptions = PredictionCommand<kPredictText, prediction::PredictionOptions>;
using ChromatinOptions = PredictionCommand<kChromatinText, prediction::PredictionOptions>;
using PredictPromoterOptions = PredictionCommand<kPromoterText, prediction::PredictPromoterOptions>;

template <>
void PredictOptions::visit(OptionList& visit);
template <>
void PredictOptions::finish(const OptionList& list);
template <>
std::string PredictOptions::details();
template <>
void ChromatinOptions::visit(OptionList& visit);
template <>
void ChromatinOptions::finish(const OptionList& list);
template <>
std::string ChromatinOptions::details();
template <>
void PredictPromoterOptions::visit(OptionList& visit);
template <>
void PredictPromoterOptions::finish(const OptionList& list);
template <>
std::string PredictPromoterOptions::details();

void run(const PredictOptions& options);
void run(const ChromatinOptions& options);
void run(const PredictPromoterOptions& options);

}  // namespace bigdna::apps
