/// Predictions of sequences by an ensemble of models. Shared by predict-promoter, chromatin and predict.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/ensemble.h"
#include "models/spread.h"

namespace bigdna::models {

class Predictor {
 public:
  explicit Predictor(Ensemble models) : models_(std::move(models)) {}
  /// From now on score() also gives what each of the models' terms adds to the log-odds. Error if the models consist of
  /// different terms.
  void give_parts();
  /// These terms; none without give_parts().
  const std::vector<std::string>& parts() const { return parts_; }
  /// From now on each row of score() ends with the Spread of each label. Error if there is one network alone.
  void give_spread();
  /// Ensemble::load().
  void load(bool with_baselines = false);
  const Ensemble& models() const { return models_; }

  /// Probabilities, corrected for the positive weight of training and averaged over the models, row-major [rows,
  /// columns()]. For Strands::both these are all rows as given, then all reverse complements. Runs on the calling
  /// thread. After give_parts(), each row continues with what the first term adds to the log-odds of the labels, then
  /// with what the others do (means over models and, for Strands::average, over both strands).
  std::vector<float> score(std::vector<std::string> bases, session::Strands strands) const;
  /// The same for any number of sequences, on all threads; for Strands::forward and average.
  std::vector<float> score_all(std::span<const std::string> bases, session::Strands strands) const;
  /// What the models were compared with when they were fine-tuned (models/baselines.h), in the order of the tables.
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
  int64_t chunk() const { return models_.members().front().chunk(); }
  int64_t labels() const { return static_cast<int64_t>(models_.features().size()); }
  /// Of a row of score().
  int64_t columns() const { return (1 + std::ssize(parts_) + gives_spread_) * labels(); }

 private:
  /// Adds a member's predictions of some sequences to `sum`, [rows, columns()].
  void add(const Model& member, Sequences bases, session::Strands strands, std::span<double> sum) const;

  /// Sets the last block of each row; for Strands::forward and average.
  void set_spread(Sequences bases, session::Strands strands, std::span<double> rows) const;

  Ensemble models_;
  std::vector<std::string> parts_;
  bool gives_spread_ = false;
  std::optional<Spread> spread_;  // after load(), where it is given
};

}  // namespace bigdna::models
