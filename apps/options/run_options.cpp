#include "apps/options/run_options.h"

namespace bigdna::apps {

void add_strands(CLI::App& app, tasks::Strands& value, bool with_both) {
  std::vector<std::string> names{"forward", "average"};
  if (with_both) names.emplace_back("both");
  app.add_option_function<std::string>(
         "--strands",
         [&value](const std::string& text) {
           value = text == "both"      ? tasks::Strands::both
                   : text == "average" ? tasks::Strands::average
                                       : tasks::Strands::forward;
         },
         with_both ? "forward: as given; both: a row for each strand; average: the mean of the two"
                   : "forward: as given; average: the mean of both strands' probabilities")
      ->check(CLI::IsMember(names))
      ->default_str("forward");
}

tasks::RunOptions run_options(const CommonOptions& common, const DeviceOptions& device) {
  tasks::RunOptions run;
  run.device = device.device;
  run.precision = device.precision;
  run.backend = device.backend;
  run.threads = common.threads;
  return run;
}

}  // namespace bigdna::apps
