#include "session/task_model.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "dataset/task.h"
#include "genome/alphabet.h"
#include "genome/region.h"
#include "io/json.h"
#include "session/stream.h"

namespace bigdna::session {

TaskDetails TaskDetails::of(const model_folder::ModelFolder& folder) try {
  TaskDetails details;
  const auto& json = folder.manifest.details;
  if (folder.labels_bins()) {
    details.upstream = details.downstream = folder.profile->margin() * folder.profile->bin();
    details.threshold = json.value("threshold", details.threshold);
    details.strands = Strands::average;
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
  if (json.value(kEitherStrand, false)) details.strands = Strands::average;
  details.answers = Answers::load(json, folder.config.labels, where);
  details.negatives = json.value("negatives", details.negatives);
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

model_folder::ModelFolder open_model_with_head(const std::string& path, const std::string& head) {
  auto folder = model_folder::ModelFolder::open_any(path);
  const dataset::Task* task = dataset::find_task(head);
  const bool labels_sites = folder.labels_bins() && task && task->site == dataset::Task::Site::start;
  if (folder.config.head != head && !labels_sites)
    fail(folder.path, ": its head is '", folder.config.head, "', not '", head, "' (bigdna finetune ", head,
         " or bigdna train ", head, " makes such a model)");
  if (!folder.profile) folder.check_reads_sequences();
  return folder;
}

namespace {
std::vector<corpus::Example> examples_of(const SequenceReader& reader, Sequences sequences) {
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

std::vector<double> probabilities(const SequenceReader& reader, const Session& session, Sequences sequences,
                                  Strands strands, const KmerModel* kmers, LogitParts* parts, const Answers& answers) {
  auto examples = examples_of(reader, sequences);
  std::vector<std::string> reverse;
  if (strands == Strands::average)
    for (const auto& sequence : sequences) {
      reverse.push_back(genome::reverse_complement(sequence));
      examples.push_back(reader.example(reverse.back(), true));
    }
  std::vector<float> pooled;
  std::vector<float> logits = session.logits(std::move(examples), kmers && kmers->kernel ? &pooled : nullptr);
  if (kmers) {
    LogitParts found;
    const size_t forward = sequences.size() * kmers->labels();
    const size_t of_forward = reverse.empty() ? pooled.size() : pooled.size() / 2;
    kmers->add_to(std::span(logits).first(forward), std::span(pooled).first(of_forward), sequences, reader.anchor(),
                  parts ? &found : nullptr);
    kmers->add_to(std::span(logits).subspan(forward), std::span(pooled).subspan(of_forward), reverse,
                  1 - reader.anchor(), parts ? &found : nullptr);
    if (parts) {
      *parts = std::move(found);
      for (auto* part : {&parts->kmers, &parts->encoder, &parts->kernel})
        if (strands == Strands::average) to_mean_of_halves(*part);
    }
  }
  std::vector<double> all(logits.begin(), logits.end());
  answers.apply(all, session.config().labels);
  if (strands == Strands::average) to_mean_of_halves(all);
  return all;
}

std::vector<double> all_probabilities(const SequenceReader& reader, const Session& session, Sequences sequences,
                                      Strands strands, const KmerModel* kmers, const Answers& answers) {
  return in_chunks(sequences, session.config().labels, session.placement().streams(), [&](Sequences part) {
    return probabilities(reader, session, part, strands, kmers, nullptr, answers);
  });
}

std::vector<float> all_logits(const SequenceReader& reader, const Session& session, Sequences sequences,
                              const KmerModel* kmers, std::span<const float> pooled) {
  const auto columns = static_cast<size_t>(session.config().pooled_size());
  return in_chunks(sequences, session.config().labels, session.placement().streams(), [&](Sequences part) {
    auto examples = examples_of(reader, part);
    const auto first = static_cast<size_t>(part.data() - sequences.data());
    for (size_t i = 0; i < examples.size() && !pooled.empty(); ++i) {
      const auto states = pooled.subspan((first + i) * columns, columns);
      examples[i].pooled.assign(states.begin(), states.end());
    }
    std::vector<float> read;
    auto logits = session.logits(std::move(examples), kmers && kmers->kernel ? &read : nullptr);
    if (kmers) kmers->add_to(logits, read, part, reader.anchor());
    return logits;
  });
}

std::vector<float> all_cnn_logits(const SequenceReader& reader, const Session& session, Sequences sequences) {
  return in_chunks(sequences, session.config().labels, session.placement().streams(),
                   [&](Sequences part) { return session.cnn_logits(examples_of(reader, part)); });
}

std::vector<float> all_pooled(const SequenceReader& reader, const Session& session, Sequences sequences) {
  return in_chunks(sequences, session.config().pooled_size(), session.placement().streams(),
                   [&](Sequences part) { return session.pooled(examples_of(reader, part)); });
}

}  // namespace bigdna::session
