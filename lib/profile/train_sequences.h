/// Trains networks that read bases and answer for a sequence as a whole, without a pretrained model.
#pragma once

#include <string>

#include "profile/train_options.h"

namespace bigdna::profile {

/// Runs it all, for tasks whose rows are no bins: RUN/model, RUN/metrics.tsv and metrics.json (test split),
/// RUN/features.tsv where there are several outputs, RUN/scores.tsv.gz, what classification::evaluate() reports,
/// RUN/network-N (training), RUN/run.json last. Returns the table of metrics.tsv.
std::string train_sequences(const TrainOptions& options);

}  // namespace bigdna::profile
