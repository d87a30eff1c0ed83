/// The models of a prediction: one, or several whose predictions are averaged. Opening them checks everything that can
/// be checked without reading weights.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dataset/features.h"
#include "dataset/task.h"
#include "genome/interval_set.h"
#include "io/provenance.h"
#include "model_folder/training_sequences.h"
#include "models/model.h"

namespace bigdna::models {

class Ensemble {
 public:
  /// Opens `model` and the `others`, and checks that they can be averaged: the same kind of head and of labels, the
  /// same interval, the same strands and the same features. An Error names the model that differs. Each has its own
  /// vocabulary. `head`: what all must have; empty: any, also none (an encoder alone). For "promoter", a profile
  /// network's labels of start sites are promoters. Device and precision are chosen, but no weights are read yet.
  Ensemble(const std::string& model, const std::vector<std::string>& others, const std::string& head,
           const session::RunOptions& run);
  /// Reads the weights, `with_baselines` also the k-mers that the models are compared with. To be called before any
  /// other use of LibTorch.
  void load(bool with_baselines = false);

  const std::vector<Model>& members() const { return members_; }
  size_t size() const { return members_.size(); }
  /// The task that all were trained for, or were opened for; null for encoders without a task head.
  const dataset::Task* task() const { return dataset::find_task(head_); }
  /// Those of the first model, with the threshold's mean over the models; and chosen_by_label if it holds for any.
  const TaskDetails& details() const { return details_; }
  /// One for promoters, none without a task head.
  const std::vector<dataset::Feature>& features() const { return members_.front().features(); }
  /// The terms of the first model; Error if another has others.
  std::vector<std::string> terms() const;
  const session::Placement& placement() const { return *placement_; }
  const std::string& path() const { return members_.front().folder().path; }  // the first model's folder

  /// The weights of labels 1 in training, which predictions take back: one, or one per feature. {1} if labels have
  /// none, empty if the models' differ.
  std::vector<double> positive_weights() const;
  /// Warns of each model whose training rows were chosen by their labels, before all of a genome is scored.
  void warn_of_chosen_rows() const;
  /// Whether some model was trained on negatives of this kind.
  bool was_trained_on(const std::string& negatives) const;
  /// The training data of all models together, and what was held out of it.
  genome::IntervalSet training_intervals() const;
  model_folder::TrainingSequences training_sequences() const;
  genome::IntervalSet held_out_intervals() const;
  std::vector<std::string> weights_paths() const;
  std::vector<std::string> folders() const;
  /// Of outputs: the program, the command, each model.
  io::Provenance provenance() const;
  /// For io::Job: identity_of() each model.
  nlohmann::ordered_json identity() const;
  void report_truncated() const;

 private:
  void check_agrees(const Model& member) const;

  std::string head_;
  std::vector<Model> members_;
  TaskDetails details_;
  std::optional<session::Placement> placement_;
};

}  // namespace bigdna::models
