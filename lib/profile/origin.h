/// The model whose networks a run's networks start from (`bigdna train --from`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "classification/task_rows.h"
#include "genome/interval_set.h"
#include "io/manifest.h"
#include "model/parameters.h"
#include "model_folder/model_folder.h"

namespace bigdna::profile {

class Origin {
 public:
  /// Opens the model; "": there is none. Error if it is not a network on bases.
  explicit Origin(const std::string& path);
  /// Its configuration; null if there is none.
  const model_folder::ProfileConfig* config() const { return folder_ ? &*folder_->profile : nullptr; }
  /// Replaces what this network has under the same names and in the same shapes as its network `number` (in turn, if it
  /// has fewer), but for the head, which belongs to its labels. Error if that is not all of the stages.
  void give(model::Parameters& network, int64_t number) const;
  /// Warns if it was trained on rows of the data's test split.
  void warn_of_leakage(const classification::TaskRows& data) const;
  /// Adds what it was trained on.
  void add_training(genome::IntervalSet& seen) const;
  void add_input(io::Manifest& manifest) const;

 private:
  std::optional<model_folder::ModelFolder> folder_;
  model::Parameters parameters_;
};

}  // namespace bigdna::profile
