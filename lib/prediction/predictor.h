/// One fine-tuned model, or an ensemble, that predicts. Shared by predict-promoter, chromatin and predict.
#pragma once

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/features.h"
#include "genome/interval_set.h"
#include "io/provenance.h"
#include "session/profile_model.h"
#include "session/task_model.h"
#include "prediction/predict_options.h"

namespace bigdna::prediction {

/// The features that a model's logits belong to: its features.tsv, or a single one for promoters.
std::vector<dataset::Feature> features_of(const model_folder::ModelFolder& folder);
/// What a journal records of a model: checksums of all its weights and of the files that are read with them.
nlohmann::ordered_json identity_of(const model_folder::ModelFolder& folder);

/// "NAME MD5" of a model: its run's or folder's name, and the checksum of its weights file.
std::string name_and_md5(const model_folder::ModelFolder& folder);

class Predictor {
 public:
  /// Opens `model` and the others of its ensemble and checks that they can be averaged: the head is `head`, and
  /// interval and, for chromatin, features are the same. An Error names the model that differs. Each has its own
  /// vocabulary. Device and precision are chosen, but no weights are read yet.
  Predictor(const std::string& model, const std::vector<std::string>& others, const std::string& head,
            const session::RunOptions& run);
  /// From now on score() also gives the parts of the logits. Error if a model has no words.
  void give_parts();
  /// Reads the weights, `with_baselines` also the k-mers for score_baseline(). To be called before any other use of
  /// LibTorch.
  void load(bool with_baselines = false);

  /// Those of the first model, with the threshold's mean over the models.
  const session::TaskDetails& details() const { return details_; }
  /// The weights of labels 1 in training, which score() has taken back: one, or one per feature. {1} if labels have
  /// none, empty if the models' differ.
  std::vector<double> positive_weights() const;
  /// One for promoters.
  const std::vector<dataset::Feature>& features() const { return features_; }
  /// Whether some model was trained on negatives of this kind.
  bool was_trained_on(const std::string& negatives) const;
  /// The training data of all models together, and what was held out of it.
  genome::IntervalSet training_intervals() const;
  genome::IntervalSet held_out_intervals() const;
  std::vector<std::string> weights_paths() const;
  std::vector<std::string> folders() const;
  /// Of outputs: the program, the command, each model.
  io::Provenance provenance() const;
  /// For io::Job: identity_of() each model.
  nlohmann::ordered_json identity() const;

  /// Probabilities, corrected for the positive weight of training and averaged over the models, row-major [rows,
  /// columns()]. For Strands::both these are all rows as given, then all reverse complements. Runs on the calling
  /// thread. After give_parts(), each row continues with the words' contributions to the log-odds of the labels, then
  /// with the encoder's (means over models and, for Strands::average, over both strands).
  std::vector<float> score(std::vector<std::string> bases, session::Strands strands) const;
  /// The same for any number of sequences, on all threads; for Strands::forward and average.
  std::vector<float> score_all(std::span<const std::string> bases, session::Strands strands) const;
  /// What the models were compared with when they were fine-tuned (session/baselines.h), in the order of the tables.
  std::vector<std::string> baselines() const;
  /// The predictions of one of these as score_all() gives the models', each with the calibration of its model: averaged
  /// over the models that have it, output by output; NaN where none has.
  std::vector<float> score_baseline(const std::string& name, std::span<const std::string> bases,
                                    session::Strands strands) const;
  /// The mean of its thresholds.
  double baseline_threshold(const std::string& name) const;
  /// The contribution of each base to the logit of `label`, averaged over the models (prediction/explain.h). On all
  /// threads.
  std::vector<double> importance(const std::string& bases, int64_t label,
                                 PredictPromoterOptions::Explanation method) const;
  const char* precision() const { return placement_->precision(); }
  /// How many threads may call score() at the same time.
  int threads() const { return placement_->streams(); }
  /// How many intervals are best given to score() together. Profile networks compute neighbouring bins at once.
  int64_t chunk() const {
    return members_.front().folder.profile ? 16 * session::kPredictionChunk : session::kPredictionChunk;
  }
  int64_t labels() const { return static_cast<int64_t>(features_.size()); }
  /// Of a row of score().
  int64_t columns() const { return parts_ ? 4 * labels() : labels(); }
  void report_truncated() const;

 private:
  struct Member {
    model_folder::ModelFolder folder;
    session::TaskDetails details;
    std::unique_ptr<session::SequenceReader> reader;  // set by load(), like the session
    std::unique_ptr<session::Session> session;
    std::unique_ptr<session::ProfileModel> profile;  // instead of both, if the model is a profile network
    std::optional<session::WordModel> words{};  // if the folder has words
    std::optional<session::WordModel> kmers{};  // of load(true)
    std::optional<std::array<size_t, 2>> sites{};  // of a profile network for promoters: the labels of + and -
    const session::WordModel* word_model() const { return words ? &*words : nullptr; }
  };
  /// Predictions of one member, row-major [rows, labels], not yet corrected for weights in training; for Strands::both
  /// those of all rows as given, then those of all reverse complements.
  std::vector<double> predictions(const Member& member, const std::vector<std::string>& bases,
                                  session::Strands strands, session::LogitParts* parts) const;

  std::vector<Member> members_;
  session::TaskDetails details_;
  std::vector<dataset::Feature> features_;
  bool parts_ = false;
  std::optional<session::Placement> placement_;
};

}  // namespace bigdna::prediction
