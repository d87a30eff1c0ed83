#include "models/task_details.h"

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/task.h"
#include "genome/region.h"
#include "io/json.h"

namespace bigdna::models {

namespace {
Calibrations calibrations_of(const model_folder::ModelFolder& folder) {
  Calibrations calibrations;
  const auto json = folder.manifest.details.value("baselines", nlohmann::ordered_json::object());
  for (const auto& [name, calibration] : json.items())
    calibrations.emplace_back(name, Calibration::of(calibration, folder.config.labels, folder.path + "/bigdna.json"));
  return calibrations;
}
}  // namespace

TaskDetails TaskDetails::of(const model_folder::ModelFolder& folder) try {
  TaskDetails details;
  const auto& json = folder.manifest.details;
  details.chosen_by_label = json.value(kChosenByLabel, false);
  if (folder.labels_bins()) {
    details.bin = folder.network->bin();
    details.upstream = details.downstream = folder.network->margin() * folder.network->bin();
    details.threshold = json.value("threshold", details.threshold);
    details.strands = session::Strands::average;
    details.baselines = calibrations_of(folder);
    return details;
  }
  if (!json.contains("upstream"))
    fail(folder.path,
         "/bigdna.json: records no interval (upstream, downstream), so it was not made by bigdna finetune");
  const std::string where = folder.path + "/bigdna.json";
  const auto reach = [&](const char* key) {
    return io::whole_number(json.value(key, nlohmann::ordered_json()), 0, genome::kMostReach, key, where);
  };
  details.upstream = reach("upstream");
  details.downstream = reach("downstream");
  details.bin = json.value("bin", details.bin);
  if (!dataset::find_bin_width(details.bin)) fail(where, ": has bins of ", details.bin, " bp");
  details.threshold = json.value("threshold", details.threshold);
  if (json.value(kEitherStrand, false)) details.strands = session::Strands::average;
  details.link = Link::load(json, folder.config.labels, where);
  details.negatives = json.value("negatives", details.negatives);
  if (json.contains(kSequenceLengths)) {
    const auto bp = [&](size_t i) {
      return io::whole_number(json.at(kSequenceLengths).at(i), 0, INT64_MAX, kSequenceLengths, where);
    };
    details.lengths = {bp(0), bp(1)};
  }
  details.max_length = folder.config.max_length;
  if (json.contains("max_length"))
    details.max_length =
        std::min(details.max_length, io::whole_number(json.at("max_length"), 3, INT64_MAX, "max_length", where));
  details.baselines = calibrations_of(folder);
  details.anchor = json.value("anchor", details.anchor);
  return details;
} catch (const nlohmann::json::exception& error) {
  fail(folder.path, "/bigdna.json: damaged: ", error.what());
}

void TrainedLengths::warn(int64_t too_short, int64_t too_long, int64_t total, const std::string& what) const {
  const auto say = [&](int64_t count, const auto&... how) {
    if (count)
      log::warn(count, " of ", counted(total, what), count == 1 ? " is" : " are", how...,
                " bp that the model was trained on: such scores are unreliable");
  };
  say(too_short, " shorter than half of the ", longest > shortest ? "shortest " : "", shortest);
  say(too_long, " longer than twice the ", longest > shortest ? "longest " : "", longest);
}

session::Strands TaskDetails::site_strands(std::optional<session::Strands> asked, bool scan) const {
  using session::Strands;
  if (context > 0 && asked == Strands::average)
    throw UsageError(
        "--strands average: this network has a label for the start sites of each strand, and the mean of two labels is "
        "the probability of neither (forward or both; it reads both strands of the sequence for each)");
  if (asked) return *asked;
  if (context == 0 && strands == Strands::average) return Strands::average;
  return scan ? Strands::both : Strands::forward;
}

model_folder::ModelFolder open_model_with_head(const std::string& path, const std::string& head) {
  auto folder = model_folder::ModelFolder::open_any(path);
  const dataset::Task* task = dataset::find_task(head);
  const bool may_label_it = folder.labels_bins() && task && !task->bin_group.empty();
  if (folder.config.head != head && !may_label_it)
    fail(folder.path, ": its head is '", folder.config.head, "', not '", head,
         "' (bigdna finetune or bigdna train on a ", head, " dataset makes such a model)");
  if (!folder.network) folder.check_reads_sequences();
  return folder;
}

}  // namespace bigdna::models
