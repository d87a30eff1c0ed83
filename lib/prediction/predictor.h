/// Fine-tuned models that predict: one, or an ensemble. What predict-promoter and chromatin share.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/features.h"
#include "genome/interval_set.h"
#include "session/task_model.h"
#include "prediction/predict_options.h"

namespace bigdna::prediction {

/// What a model's logits are of: its features.tsv; one feature of its own for promoters.
std::vector<dataset::Feature> features_of(const model_folder::ModelFolder& folder);
bool same_feature(const dataset::Feature& a, const dataset::Feature& b);
/// What a journal remembers of a model: its weights and manifest.
nlohmann::ordered_json identity_of(const model_folder::ModelFolder& folder);

class Predictor {
 public:
  /// Opens `model` and the others of its ensemble and checks that they can be averaged: the head `head`, the
  /// same interval and, for chromatin, the same features; an Error names the one that differs. Each reads
  /// with its own vocabulary. No weights are read yet.
  Predictor(const std::string& model, const std::vector<std::string>& others, const std::string& head,
            const session::RunOptions& run);
  /// From now on score() gives the parts of the logits too. Error where a model has no words.
  void give_parts();
  /// Reads the weights. Before any other use of LibTorch.
  void load();

  /// The first model's; the threshold is the mean over the models.
  const session::TaskDetails& details() const { return details_; }
  /// One for promoters.
  const std::vector<dataset::Feature>& features() const { return features_; }
  /// Some model saw negatives of this kind.
  bool saw(const std::string& negatives) const;
  /// What any of the models was trained on.
  genome::IntervalSet training_intervals() const;
  std::vector<std::string> weights_paths() const;
  /// The models that the numbers depend on, for io::Job: checksums of their weights and manifests.
  nlohmann::ordered_json identity() const;

  /// Probabilities, corrected for the positive weight of training and averaged over the models, row-major
  /// [rows, columns()]; for Strands::both all rows as given, then all reverse complements. On the calling
  /// thread. After give_parts() each row goes on with what the words add to the log-odds of each label, and then with what the
  /// encoder adds (means over models and, for Strands::average, over both readings). `with_words` false: of the encoders alone.
  std::vector<float> score(std::vector<std::string> bases, session::Strands strands, bool with_words = true) const;
  /// The same for any number of sequences, on all threads; forward or average.
  std::vector<float> score_all(std::span<const std::string> bases, session::Strands strands, bool with_words = true) const;
  /// Whether a model has words, or a branch of bases.
  bool has_words() const;
  bool has_bases() const;
  /// What the branches of bases alone say, the mean over the models that have one: their logits' answers (session::Answers), to
  /// which neither the frequency of labels nor its weight in training adds anything.
  std::vector<float> score_bases(std::span<const std::string> bases) const;
  /// What each base adds to the logit of `label`, the mean over the models (prediction/explain.h). On all threads.
  std::vector<double> importance(const std::string& bases, int64_t label,
                                 PredictPromoterOptions::Explanation method) const;
  /// How many threads may call score() at a time. After load().
  int threads() const { return placement_->streams(); }
  int64_t labels() const { return static_cast<int64_t>(features_.size()); }
  /// Of a row of score().
  int64_t columns() const { return parts_ ? 3 * labels() : labels(); }
  void report_truncated() const;

 private:
  struct Member {
    model_folder::ModelFolder folder;
    session::TaskDetails details;
    std::unique_ptr<session::SequenceReader> reader;  // from load() on, as the session
    std::unique_ptr<session::Session> session;
    std::optional<session::WordModel> words{};  // where the folder has some
    const session::WordModel* word_model() const { return words ? &*words : nullptr; }
  };
  std::vector<Member> members_;
  session::TaskDetails details_;
  std::vector<dataset::Feature> features_;
  session::RunOptions run_;
  bool parts_ = false;
  std::optional<session::Placement> placement_;
};

}  // namespace bigdna::prediction
