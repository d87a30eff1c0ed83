/// Options of the commands that train, or run a fine-tuned model.
#pragma once

#include "apps/options/common.h"
#include "prediction/predict_options.h"
#include "train/options.h"

namespace bigdna::apps {

/// --strands forward|average, and `both` where that makes sense.
void add_strands(CLI::App& app, session::Strands& value, bool with_both);
/// --ensemble MODEL, once or more
void add_ensemble(CLI::App& app, std::vector<std::string>& models);
/// --shard I/N
void add_shard(CLI::App& app, prediction::Shard& shard);
/// --shard-optimiser, --timeout: training in several processes.
void add_ranks(CLI::App& app, train::RankOptions& value);
/// Attention patterns by name: the choices of --pattern NAME.
std::vector<std::string> pattern_names();
session::RunOptions run_options(const CommonOptions& common, const DeviceOptions& device);

}  // namespace bigdna::apps
