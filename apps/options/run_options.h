/// Options of the commands that run a fine-tuned model.
#pragma once

#include "apps/options/common.h"
#include "tasks/predict_options.h"

namespace bigdna::apps {

/// --strands forward|average, and `both` where that makes sense.
void add_strands(CLI::App& app, tasks::Strands& value, bool with_both);
/// --ensemble MODEL, once or more
void add_ensemble(CLI::App& app, std::vector<std::string>& models);
/// --shard I/N
void add_shard(CLI::App& app, tasks::Shard& shard);
tasks::RunOptions run_options(const CommonOptions& common, const DeviceOptions& device);

}  // namespace bigdna::apps
