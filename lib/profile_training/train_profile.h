/// Trains and evaluates profile models (lib/profile) on datasets of profiles.
#pragma once

#include <optional>
#include <string>

#include "evaluation/evaluation.h"
#include "session/run_options.h"
#include "training/train_options.h"

namespace bigdna::profile_training {

/// Runs it all: RUN/model, RUN/metrics.tsv and metrics.json (test split), RUN/network-1 (training), RUN/run.json last.
/// Returns the table of metrics.tsv; with options.plan, size, time and memory of the run, and nothing is written.
std::string train_profile(const training::TrainOptions& options);

/// The model in a folder on a split of a dataset. `genome`: the FASTA; "" for the one that the dataset records.
evaluation::Evaluation evaluate_model(const std::string& model, const std::string& dataset, const std::string& genome,
                                      bool baselines, const session::RunOptions& run,
                                      evaluation::EvaluationOptions options);

}  // namespace bigdna::profile_training
