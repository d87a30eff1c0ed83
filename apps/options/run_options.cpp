#include "apps/options/run_options.h"

#include <cstdio>

#include "apps/options/checks.h"
#include "base/error.h"
#include "sparsity/pattern.h"

namespace bigdna::apps {

void add_strands(CLI::App& app, session::Strands& value, bool with_both) {
  std::vector<std::string> names{"forward", "average"};
  if (with_both) names.emplace_back("both");
  app.add_option_function<std::string>(
         "--strands",
         [&value](const std::string& text) {
           value = text == "both"      ? session::Strands::both
                   : text == "average" ? session::Strands::average
                                       : session::Strands::forward;
         },
         with_both ? "forward: as given; both: a row for each strand; average: the mean of both readings of the same site"
                   : "forward: as given; average: the mean of both strands' probabilities")
      ->check(CLI::IsMember(names))
      ->default_str("forward");
}

void add_ensemble(CLI::App& app, std::vector<std::string>& models) {
  app.add_option(
         "--ensemble", models,
         "A further model of the same task, interval and features (may be given again): probabilities are "
         "averaged, each model reading with its own vocabulary")
      ->type_name("MODEL")
      ->allow_extra_args(false);
}

void add_shard(CLI::App& app, prediction::Shard& shard) {
  app.add_option_function<std::string>(
         "--shard",
         [&shard](const std::string& text) {
           long long index = 0, count = 0;
           char rest = 0;
           if (std::sscanf(text.c_str(), "%lld/%lld%c", &index, &count, &rest) != 2 || count < 1 ||
               index < 1 || index > count)
             throw UsageError(concat("--shard ", text, ": expected I/N, from 1/N to N/N"));
           shard = {index, count};
         },
         "Predict part I of N only (array jobs): the parts' outputs one after the other are the whole job's; "
         "only "
         "the first has a header. Not for stdin or a pipe")
      ->type_name("I/N");
}

void add_ranks(CLI::App& app, train::RankOptions& value) {
  const char* group = "Several GPUs or machines";
  app.add_flag("--shard-optimiser", value.shard_optimiser, "Each rank keeps the optimiser's state of its part of the parameters (ZeRO-1): less memory")
      ->group(group);
  app.add_option("--timeout", value.timeout, "Seconds that a rank waits for another before it ends with an error")
      ->check(positive())->type_name("S")->capture_default_str()->group(group);
}

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  for (const auto& row : sparsity::patterns()) names.emplace_back(row.name);
  return names;
}

session::RunOptions run_options(const CommonOptions& common, const DeviceOptions& device) {
  session::RunOptions run;
  run.device = device.device;
  run.precision = device.precision;
  run.backend = device.backend;
  run.threads = common.threads;
  return run;
}

}  // namespace bigdna::apps
