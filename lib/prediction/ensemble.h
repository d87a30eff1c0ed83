/// The models of a prediction: one, or several whose predictions are averaged. Opening them checks everything that can
/// be checked without reading weights.
#pragma once

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dataset/features.h"
#include "dataset/task.h"
#include "genome/interval_set.h"
#include "io/provenance.h"
#include "model_folder/training_sequences.h"
#include "session/profile_model.h"
#include "task_model/task_model.h"

namespace bigdna::prediction {

/// The features that a model's logits belong to: its features.tsv, or a single one for promoters.
std::vector<dataset::Feature> features_of(const model_folder::ModelFolder& folder);
/// What a journal records of a model: checksums of all its weights and of the files that are read with them.
nlohmann::ordered_json identity_of(const model_folder::ModelFolder& folder);
/// "NAME MD5" of a model: its run's or folder's name, and the checksum of its weights file.
std::string name_and_md5(const model_folder::ModelFolder& folder);

/// One model: a network on bases (`profile`), or one that reads tokens (`tokens`, made of `reader`, `session`,
/// `kmers`).
struct EnsembleMember {
  model_folder::ModelFolder folder;
  task_model::TaskDetails details{};  // of a model without a task head: only max_length
  // Set by Ensemble::load():
  std::unique_ptr<session::ProfileModel> profile{};
  std::unique_ptr<session::SequenceReader> reader{};
  std::unique_ptr<session::Session> session{};
  std::optional<task_model::TaskModel> tokens{};
  std::optional<task_model::KmerModel> kmer_baseline{};  // with load(true)

  std::optional<task_model::KmerModel> kmers{};        // a component of the model, if the folder has k-mers
  std::optional<std::array<size_t, 2>> start_sites{};  // of a network on bases for promoters: the labels of + and -
};

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

  const std::vector<EnsembleMember>& members() const { return members_; }
  size_t size() const { return members_.size(); }
  /// The task that all were trained for, or were opened for; null for encoders without a task head.
  const dataset::Task* task() const { return dataset::find_task(head_); }
  /// Those of the first model, with the threshold's mean over the models; and chosen_by_label if it holds for any.
  const task_model::TaskDetails& details() const { return details_; }
  /// One for promoters, none without a task head.
  const std::vector<dataset::Feature>& features() const { return features_; }
  const session::Placement& placement() const { return *placement_; }
  const std::string& path() const { return members_.front().folder.path; }  // the first model's folder

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
  EnsembleMember open(const std::string& path, std::vector<dataset::Feature>& features) const;
  void check_agrees(const EnsembleMember& member, const std::vector<dataset::Feature>& features) const;

  std::string head_;
  std::vector<EnsembleMember> members_;
  task_model::TaskDetails details_;
  std::vector<dataset::Feature> features_;
  std::optional<session::Placement> placement_;
};

}  // namespace bigdna::prediction
