/// Trains profile models (lib/profile) on datasets of profiles.
#pragma once

#include <string>

#include "training/train_options.h"

namespace bigdna::profile_training {

/// Runs it all: RUN/model, RUN/metrics.tsv and metrics.json (test split), RUN/network-1 (training), RUN/run.json last.
/// Returns the table of metrics.tsv; with options.plan, size, time and memory of the run, and nothing is written.
std::string train_profile(const training::TrainOptions& options);

}  // namespace bigdna::profile_training
