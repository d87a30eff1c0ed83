#include "training/training_run.h"

#include "dataset/features.h"
#include "io/folder.h"
#include "io/paths.h"
#include "models/task_details.h"

namespace bigdna::training {

std::string folder_of_dataset(const std::string& run, size_t number) { return concat(run, "/dataset-", number + 1); }

std::string table_of_run(const std::string& run) {
  const std::string name = "/metrics.tsv";
  if (io::exists(run + name)) return io::read_file(run + name);
  std::string tables;
  for (size_t number = 0; io::exists(folder_of_dataset(run, number) + name); ++number)
    tables += io::read_file(folder_of_dataset(run, number) + name);
  return tables;
}

void RunFolder::begin_model(const model::Parameters& parameters, uint64_t seed) {
  io::prepare_output_folder({model(), "model", io::Existing::resume});
  model::save_weights(parameters, model() + "/model.safetensors");
  if (data.task->named_outputs) dataset::write_features(model() + "/features.tsv", data.features);
  manifest.seed = seed;
  if (data.parts.empty()) manifest.add_input(data.folder + "/" + io::manifest_name("dataset"));
  for (const auto& part : data.parts) manifest.add_input(part.rows->folder + "/" + io::manifest_name("dataset"));
  manifest.details["task"] = data.task->name;
  if (data.chosen_by_label) manifest.details[models::kChosenByLabel] = true;
}

genome::IntervalSet RunFolder::record_training(const std::vector<int64_t>& rows,
                                               const std::vector<const model_folder::ModelFolder*>& from,
                                               genome::IntervalSet seen) {
  seen.add(data.intervals_of(rows));
  auto sequences = data.sequences_of(rows);
  for (const auto* model : from) {
    seen.add(model->training_intervals());
    sequences.add(model_folder::TrainingSequences::of(*model));
  }
  seen_test_rows = data.count_seen(seen, sequences, data.of(dataset::Split::test));
  for (const auto& part : data.parts)
    seen_of_parts.push_back(part.rows->count_seen(seen, sequences, part.rows->of(dataset::Split::test)));
  sequences.save(model(), manifest);
  manifest.details[model_folder::kTrainingIntervals] = genome::to_json(seen);
  return seen;
}

void RunFolder::finish() {
  manifest.kind = "run";
  for (const char* of_model : {"files", "baselines", model_folder::kTrainingIntervals, model_folder::kHeldOutIntervals})
    manifest.details.erase(of_model);
  manifest.save(path + "/" + io::manifest_name("run"));
}

}  // namespace bigdna::training
