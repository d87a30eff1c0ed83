#include "session/task_model.h"

#include <algorithm>

#include "base/error.h"
#include "genome/alphabet.h"
#include "session/stream.h"

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
  details.max_length = std::min(json.value("max_length", folder.config.max_length), folder.config.max_length);
  details.anchor = json.value("anchor", details.anchor);
  return details;
}

model_folder::ModelFolder open_task_model(const std::string& path, const std::string& head) {
  auto folder = model_folder::ModelFolder::open(path);
  if (folder.config.head != head)
    fail(folder.path, ": its head is '", folder.config.head, "', not '", head, "' (bigdna finetune ", head,
         " makes such a model)");
  return folder;
}

namespace {
std::vector<corpus::Example> examples_of(const SequenceReader& reader, Sequences sequences) {
  std::vector<corpus::Example> examples;
  for (const auto& sequence : sequences) examples.push_back(reader.example(sequence));
  return examples;
}
}  // namespace

std::vector<float> probabilities(const SequenceReader& reader, const Session& session, Sequences sequences, Strands strands) {
  auto examples = examples_of(reader, sequences);
  if (strands == Strands::average)
    for (const auto& sequence : sequences)
      examples.push_back(reader.example(genome::reverse_complement(sequence), true));
  auto all = session.probabilities(std::move(examples));
  if (strands == Strands::average) {
    const size_t half = all.size() / 2;
    for (size_t i = 0; i < half; ++i) all[i] = (all[i] + all[half + i]) / 2;
    all.resize(half);
  }
  return all;
}

std::vector<float> all_probabilities(const SequenceReader& reader, const Session& session, Sequences sequences, Strands strands) {
  return in_chunks(sequences, session.config().labels, session.placement().streams(),
                   [&](Sequences part) { return probabilities(reader, session, part, strands); });
}

std::vector<float> all_logits(const SequenceReader& reader, const Session& session, Sequences sequences) {
  return in_chunks(sequences, session.config().labels, session.placement().streams(),
                   [&](Sequences part) { return session.logits(examples_of(reader, part)); });
}

std::vector<float> all_pooled(const SequenceReader& reader, const Session& session, Sequences sequences) {
  return in_chunks(sequences, session.config().pooled_size(), session.placement().streams(),
                   [&](Sequences part) { return session.pooled(examples_of(reader, part)); });
}

float correct_for_weight(float probability, double weight) {
  const double p = probability;
  return static_cast<float>(p / (p + weight * (1 - p)));
}

void correct_for_weights(std::span<float> probabilities, std::span<const double> weights) {
  for (size_t i = 0; i < probabilities.size(); ++i)
    probabilities[i] = correct_for_weight(probabilities[i], weights[i % weights.size()]);
}

}  // namespace bigdna::session
