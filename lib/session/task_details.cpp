#include "session/task_details.h"

#include "base/error.h"

namespace bigdna::session {

TaskDetails TaskDetails::of(const model_folder::ModelFolder& folder) {
  TaskDetails details;
  const auto& json = folder.manifest.details;
  if (!json.contains("upstream"))
    fail(folder.path,
         "/bigdna.json: records no interval (upstream, downstream): not made by bigdna finetune");
  details.upstream = json.at("upstream");
  details.downstream = json.at("downstream");
  details.threshold = json.value("threshold", details.threshold);
  if (json.contains("positive_weight")) {
    const auto& weight = json.at("positive_weight");
    details.positive_weights =
        weight.is_array() ? weight.get<std::vector<double>>() : std::vector<double>{weight};
    const auto count = static_cast<int64_t>(details.positive_weights.size());
    if (count != 1 && count != folder.config.labels)
      fail(folder.path, "/bigdna.json: ", count, " positive weights, the model has ", folder.config.labels,
           " features");
  }
  details.negatives = json.value("negatives", details.negatives);
  details.max_length = json.value("max_length", details.max_length);
  details.anchor = json.value("anchor", details.anchor);
  return details;
}

RunOptions TaskDetails::applied_to(RunOptions run) const {
  if (run.max_length == 0) run.max_length = max_length;
  run.anchor = anchor;
  return run;
}

}  // namespace bigdna::session
