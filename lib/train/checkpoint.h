/// Checkpoints: folders step-NNNNNNNNN of safetensors files and a state.json that is written last. Each is renamed into
/// place as a whole, so that a killed run leaves either a complete checkpoint or none.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/parameters.h"
#include "train/optimiser.h"

namespace bigdna::train {

/// The whole state of training between two steps.
struct State {
  model::Parameters parameters;
  AdamW optimiser;
  int64_t step = 0;                                                    // steps done
  nlohmann::ordered_json progress = nlohmann::ordered_json::object();  // the loop's sums and evaluations (progress.h)

  explicit State(model::Parameters initial) : parameters(std::move(initial)), optimiser(parameters) {}
};

/// Copies what model::save_weights wrote into the tensors of `like`, on their device. Error naming the first array that
/// is missing or has another shape.
void load_tensors(model::Parameters& like, const std::string& path);

/// The checkpoints of a run: the folder RUN/checkpoints.
class Checkpoints {
 public:
  /// Creates the folder if it is missing, and removes unfinished checkpoints of a killed run.
  Checkpoints(std::string folder, int64_t keep);
  /// Whether there is a checkpoint to continue from.
  static bool any(const std::string& folder);

  /// Writes step-N, points the link `last` at it, then removes the oldest checkpoints beyond `keep` and every best-N
  /// that no kept checkpoint refers to. What cannot be removed is a warning, and tried again after the next checkpoint.
  void save(const State& state);
  /// Fills `state` from the newest complete checkpoint; false if there is none. If it is damaged, warns and uses the
  /// one before it. Error if all are damaged, or belong to a model with other parameters.
  bool load_last(State& state);

  /// The parameters of the best evaluation so far, in best-N.
  void save_best(const model::Parameters& parameters, int64_t step);
  void load_best(model::Parameters& parameters, int64_t step) const;
  bool has_best(int64_t step) const;

 private:
  void remove_partial() const;

  std::string folder_;
  int64_t keep_;
};

}  // namespace bigdna::train
