/// Fine-tuned models that predict: one, or an ensemble. What predict-promoter and chromatin share.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/features.h"
#include "genome/interval_set.h"
#include "session/stream.h"
#include "session/task_model.h"
#include "prediction/predict_options.h"
#include "prediction/score_journal.h"

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
  /// [rows, labels]; for Strands::both all rows as given, then all reverse complements. On the calling
  /// thread.
  std::vector<float> score(std::vector<std::string> bases, session::Strands strands) const;
  /// The same for any number of sequences, on all threads; forward or average.
  std::vector<float> score_all(std::span<const std::string> bases, session::Strands strands) const;
  /// What each base adds to the logit of `label`, the mean over the models (prediction/explain.h). On all threads.
  std::vector<double> importance(const std::string& bases, int64_t label,
                                 PredictPromoterOptions::Explanation method) const;
  /// How many threads may call score() at a time. After load().
  int threads() const { return placement_->streams(); }
  /// Columns of a row of score().
  int64_t labels() const { return static_cast<int64_t>(features_.size()); }
  void report_truncated() const;

 private:
  struct Member {
    model_folder::ModelFolder folder;
    session::TaskDetails details;
    std::unique_ptr<session::SequenceReader> reader;  // from load() on, as the session
    std::unique_ptr<session::Session> session;
  };
  std::vector<Member> members_;
  session::TaskDetails details_;
  std::vector<dataset::Feature> features_;
  session::RunOptions run_;
  std::optional<session::Placement> placement_;
};

/// Scores rows chunk by chunk on the predictor's threads and hands them on in input order.
///   next(with_bases) -> optional<Row>, at most `most` of them, each with a member `bases`, which is left empty
///     for what gets no score; with_bases false: the journal has the scores, no bases are needed
///   consume(vector<Row>&&, vector<float>&&): scores as Predictor::score() gives them, NaN for rows without a
///   score
template <class Row, class Next, class Consume>
void predict_chunks(const Predictor& predictor, session::Strands strands, ScoreJournal* journal, int64_t most, Next next,
                    Consume consume) {
  struct Chunk {
    std::vector<Row> rows;
    std::optional<std::vector<float>> scores;
    bool recorded = false;
  };
  const size_t sides = strands == session::Strands::both ? 2 : 1, labels = static_cast<size_t>(predictor.labels());
  session::stream(
      predictor.threads(),
      [&]() -> std::optional<Chunk> {
        Chunk chunk;
        if (journal) chunk.scores = journal->next();
        chunk.recorded = chunk.scores.has_value();
        for (; static_cast<int64_t>(chunk.rows.size()) < session::kPredictionChunk && most > 0; --most) {
          auto row = next(!chunk.recorded);
          if (!row) break;
          chunk.rows.push_back(std::move(*row));
        }
        if (chunk.rows.empty()) return std::nullopt;
        if (chunk.recorded && chunk.scores->size() != sides * chunk.rows.size() * labels)
          journal->fail_damaged();
        return chunk;
      },
      [&](Chunk&& chunk) {
        if (chunk.recorded) return std::move(chunk);
        std::vector<std::string> bases;
        std::vector<size_t> places;
        for (size_t i = 0; i < chunk.rows.size(); ++i)
          if (!chunk.rows[i].bases.empty()) {
            bases.push_back(std::move(chunk.rows[i].bases));
            places.push_back(i);
          }
        chunk.scores.emplace(sides * chunk.rows.size() * labels, std::numeric_limits<float>::quiet_NaN());
        const auto scores = bases.empty() ? std::vector<float>() : predictor.score(std::move(bases), strands);
        for (size_t side = 0; side < sides; ++side)
          for (size_t i = 0; i < places.size(); ++i)
            std::copy_n(scores.begin() + static_cast<int64_t>((side * places.size() + i) * labels), labels,
                        chunk.scores->begin() +
                            static_cast<int64_t>((side * chunk.rows.size() + places[i]) * labels));
        return std::move(chunk);
      },
      [&](Chunk&& chunk) {
        if (journal && !chunk.recorded) journal->append(*chunk.scores);
        consume(std::move(chunk.rows), std::move(*chunk.scores));
      });
}

}  // namespace bigdna::prediction
