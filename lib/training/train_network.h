/// Trains networks on bases without a pretrained model: on the labels of a genome's bins, or of whole sequences.
#pragma once

#include <string>

#include "training/train_options.h"

namespace bigdna::training {

/// Runs it all: RUN/model, RUN/metrics.tsv and metrics.json (test split), RUN/features.tsv (metrics by feature),
/// RUN/scores.tsv.gz, RUN/network-N (training), RUN/run.json last. Returns the table of metrics.tsv; with
/// options.plan, size, time, memory and disk space of the run, and nothing is written.
std::string train(const TrainOptions& options);

}  // namespace bigdna::training
