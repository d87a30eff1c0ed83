/// Predictions of sequences by an ensemble of models. Shared by predict-promoter, chromatin and predict.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prediction/ensemble.h"
#include "prediction/predict_options.h"

namespace bigdna::prediction {

class Predictor {
 public:
  explicit Predictor(Ensemble models) : models_(std::move(models)) {}
  /// From now on score() also gives the parts of the logits. Error if a model has no k-mers.
  void give_parts();
  /// Ensemble::load().
  void load(bool with_baselines = false) { models_.load(with_baselines); }
  const Ensemble& models() const { return models_; }

  /// Probabilities, corrected for the positive weight of training and averaged over the models, row-major [rows,
  /// columns()]. For Strands::both these are all rows as given, then all reverse complements. Runs on the calling
  /// thread. After give_parts(), each row continues with the k-mers' contributions to the log-odds of the labels, then
  /// with the encoder's and the kernel model's (means over models and, for Strands::average, over both strands).
  std::vector<float> score(std::vector<std::string> bases, session::Strands strands) const;
  /// The same for any number of sequences, on all threads; for Strands::forward and average.
  std::vector<float> score_all(std::span<const std::string> bases, session::Strands strands) const;
  /// What the models were compared with when they were fine-tuned (task_model/baselines.h), in the order of the tables.
  std::vector<std::string> baselines() const;
  /// The predictions of one of these as score_all() gives the models', each with the calibration of its model: averaged
  /// over the models that have it, output by output; NaN where none has.
  std::vector<float> score_baseline(const std::string& name, std::span<const std::string> bases,
                                    session::Strands strands) const;
  /// The mean of its thresholds.
  double baseline_threshold(const std::string& name) const;
  /// How many threads may call score() at the same time.
  int threads() const { return models_.placement().streams(); }
  /// How many intervals are best given to score() together.
  int64_t chunk() const {
    const auto& network = models_.members().front().folder.profile;
    return network ? session::ProfileModel::chunk(*network) : session::kPredictionChunk;
  }
  int64_t labels() const { return static_cast<int64_t>(models_.features().size()); }
  /// Of a row of score().
  int64_t columns() const { return parts_ ? 4 * labels() : labels(); }

 private:
  /// Predictions of one member, row-major [rows, labels], not yet corrected for weights in training; for Strands::both
  /// those of all rows as given, then those of all reverse complements.
  std::vector<double> predictions(const EnsembleMember& member, const std::vector<std::string>& bases,
                                  session::Strands strands, task_model::LogitParts* parts) const;

  Ensemble models_;
  bool parts_ = false;
};

}  // namespace bigdna::prediction
