/// The model whose networks a run's networks start from (`bigdna train --from`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rows/task_rows.h"
#include "training/training_run.h"
#include "corpus/example.h"
#include "model/parameters.h"
#include "model_folder/model_folder.h"

namespace bigdna::training {

class StartingModel {
 public:
  /// Opens the model; "": there is none. Error if it is not a network on bases.
  explicit StartingModel(const std::string& path);
  /// Its configuration; null if there is none.
  const model_folder::NetworkConfig* config() const { return folder_ ? &*folder_->network : nullptr; }
  /// The stages of a network that was drawn anew: standardised by these examples; or, with a model to start from, what
  /// its network `number` (in turn, if it has fewer) has under the same names and in the same shapes, in all of the
  /// network but the head, which belongs to its labels. Error if that is not all of the stages.
  void begin(const model_folder::NetworkConfig& one, model::Parameters& network, int64_t number,
             const std::vector<corpus::Example>& examples) const;
  /// All of its networks, heads included. Error if its outputs are not these, or the configuration is another.
  model::Parameters networks(const model_folder::NetworkConfig& config,
                             const std::vector<dataset::Feature>& features) const;
  /// Warns if it was trained on rows of the data's test split.
  void warn_of_leakage(const rows::TaskRows& data) const;
  /// Adds the model to the manifest's inputs, and records what it, the encoder beside the networks (null: none) and, on
  /// these rows, the networks were trained on, and what remains of what the encoder held out.
  void record(RunFolder& run, const std::vector<int64_t>& rows, const model_folder::ModelFolder* encoder) const;

 private:
  void give(model::Parameters& network, int64_t number) const;

  std::optional<model_folder::ModelFolder> folder_;
  model::Parameters parameters_;
};

}  // namespace bigdna::training
