/// Where the predictions of `bigdna chromatin` and `bigdna predict` go: a table in any format, bigWig tracks.
#pragma once

#include <string>
#include <vector>

#include "dataset/features.h"
#include "io/provenance.h"
#include "prediction/predict_options.h"
#include "prediction/sink.h"

namespace bigdna::prediction {

/// The columns of a chromatin prediction.
struct OutputColumns {
  std::vector<dataset::Feature> features;  // all of the model's
  std::vector<int64_t> chosen;
  std::vector<double> positive_weights{1};  // of training: one, or one per feature; empty if an ensemble's differ
  io::Provenance provenance = {};           // of tables
  std::vector<std::string> parts = {};      // with --parts: the terms whose parts of the log-odds follow
  bool spread = false;                      // with --spread: how far networks disagree follows
  bool numbers = false;                     // measurements, not probabilities: written with six significant digits
};

/// The sinks for options.output (a table in the format of its suffix) and options.bigwig (a folder of tracks).
/// `columns` must outlive them.
Sinks output_sinks(const PredictionOptions& options, const OutputColumns& columns);

}  // namespace bigdna::prediction
