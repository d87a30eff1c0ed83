#include "task_model/task_model.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/task.h"
#include "genome/alphabet.h"
#include "genome/region.h"
#include "io/json.h"
#include "session/stream.h"

namespace bigdna::task_model {

TaskDetails TaskDetails::of(const model_folder::ModelFolder& folder) try {
  TaskDetails details;
  const auto& json = folder.manifest.details;
  details.chosen_by_label = json.value(kChosenByLabel, false);
  if (folder.labels_bins()) {
    details.upstream = details.downstream = folder.profile->margin() * folder.profile->bin();
    details.threshold = json.value("threshold", details.threshold);
    details.strands = session::Strands::average;
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
  details.threshold = json.value("threshold", details.threshold);
  if (json.value(kEitherStrand, false)) details.strands = session::Strands::average;
  details.answers = Answers::load(json, folder.config.labels, where);
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
  details.encoder_weight = json.value("encoder_weight", details.encoder_weight);
  details.kernel_weight = json.value("kernel_weight", details.kernel_weight);
  const auto baselines = json.value("baselines", nlohmann::ordered_json::object());
  for (const auto& [name, calibration] : baselines.items())
    details.baselines.emplace_back(name,
                                   Calibration::of(calibration, folder.config.labels, folder.path + "/bigdna.json"));
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
    fail(folder.path, ": its head is '", folder.config.head, "', not '", head, "' (bigdna finetune ", head,
         " or bigdna train ", head, " makes such a model)");
  if (!folder.profile) folder.check_reads_sequences();
  return folder;
}

namespace {
std::vector<corpus::Example> examples_of(const session::SequenceReader& reader, Sequences sequences) {
  std::vector<corpus::Example> examples;
  for (const auto& sequence : sequences) examples.push_back(reader.example(sequence));
  return examples;
}

void to_mean_of_halves(std::vector<double>& values) {
  const size_t half = values.size() / 2;
  for (size_t i = 0; i < half; ++i) values[i] = (values[i] + values[half + i]) / 2;
  values.resize(half);
}
}  // namespace

std::vector<float> TaskModel::logits(std::vector<Reading> readings, LogitParts* parts) const {
  std::vector<corpus::Example> examples;
  for (auto& reading : readings) examples.push_back(std::move(reading.example));
  std::vector<float> pooled;
  auto logits = session_.logits(std::move(examples), kmers_ && kmers_->kernel ? &pooled : nullptr);
  if (!kmers_) return logits;
  const size_t labels = kmers_->labels(), states = pooled.size() / std::max<size_t>(1, readings.size());
  for (size_t i = 0; i < readings.size(); ++i)
    kmers_->add_to(std::span(logits).subspan(i * labels, labels), std::span(pooled).subspan(i * states, states),
                   {readings[i].bases, 1}, readings[i].reversed ? 1 - reader_.anchor() : reader_.anchor(), parts);
  return logits;
}

std::vector<double> TaskModel::predictions(Sequences sequences, session::Strands strands, LogitParts* parts) const {
  std::vector<Reading> readings;
  for (const auto& sequence : sequences) readings.push_back({reader_.example(sequence), &sequence});
  std::vector<std::string> reverse;
  if (strands == session::Strands::average) {
    for (const auto& sequence : sequences) reverse.push_back(genome::reverse_complement(sequence));
    for (const auto& sequence : reverse) readings.push_back({reader_.example(sequence, true), &sequence, true});
  }
  LogitParts found;
  const auto values = logits(std::move(readings), parts && kmers_ ? &found : nullptr);
  if (parts && kmers_) {
    *parts = std::move(found);
    for (auto* part : {&parts->kmers, &parts->encoder, &parts->kernel})
      if (strands == session::Strands::average) to_mean_of_halves(*part);
  }
  std::vector<double> all(values.begin(), values.end());
  answers_.apply(all, session_.config().labels);
  if (strands == session::Strands::average) to_mean_of_halves(all);
  return all;
}

std::vector<double> TaskModel::all_predictions(Sequences sequences, session::Strands strands) const {
  return session::in_chunks(sequences, session_.config().labels, session_.placement().streams(),
                            [&](Sequences part) { return predictions(part, strands); });
}

std::vector<float> TaskModel::all_logits(Sequences sequences, std::span<const float> pooled, bool reversed) const {
  const auto columns = static_cast<size_t>(session_.config().pooled_size());
  return session::in_chunks(sequences, session_.config().labels, session_.placement().streams(), [&](Sequences part) {
    std::vector<Reading> readings;
    const auto first = static_cast<size_t>(part.data() - sequences.data());
    for (size_t i = 0; i < part.size(); ++i) {
      readings.push_back({reader_.example(part[i], reversed), &part[i], reversed});
      if (pooled.empty()) continue;
      const auto states = pooled.subspan((first + i) * columns, columns);
      readings.back().example.pooled.assign(states.begin(), states.end());
    }
    return logits(std::move(readings));
  });
}

std::vector<float> all_cnn_logits(const session::SequenceReader& reader, const session::Session& session,
                                  Sequences sequences) {
  return session::in_chunks(sequences, session.config().labels, session.placement().streams(),
                            [&](Sequences part) { return session.cnn_logits(examples_of(reader, part)); });
}

std::vector<float> all_pooled(const session::SequenceReader& reader, const session::Session& session,
                              Sequences sequences) {
  return session::in_chunks(sequences, session.config().pooled_size(), session.placement().streams(),
                            [&](Sequences part) { return session.pooled(examples_of(reader, part)); });
}

}  // namespace bigdna::task_model
