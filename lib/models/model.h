/// One model folder as commands see it: what it predicts, and the sum of terms that its logits are.
#pragma once

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dataset/features.h"
#include "model_folder/model_folder.h"
#include "models/baselines.h"
#include "models/encoder_term.h"
#include "models/frozen_encoder.h"
#include "models/kmer_terms.h"
#include "models/masked_likelihood.h"
#include "models/network.h"
#include "models/sum.h"
#include "models/task_details.h"
#include "session/gap_model.h"

namespace bigdna::models {

/// The outputs that a model's logits belong to: its features.tsv, or a single one for promoters.
std::vector<dataset::Feature> features_of(const model_folder::ModelFolder& folder);
/// Reads the weights of a folder that holds a network on bases.
Network load_network(const model_folder::ModelFolder& folder, const session::Placement& placement);

class Model {
 public:
  /// Opens a folder, and checks everything that can be checked without reading weights. `head`: the task that it must
  /// have been trained for; empty: any, also none (an encoder alone). For a task whose sites a network on bases may
  /// label in its bins ("promoter"), such a network predicts these sites.
  Model(const std::string& path, const std::string& head);
  /// Reads the weights, `with_baselines` also the k-mers that the model is compared with. To be called before any other
  /// use of LibTorch.
  void load(const session::Placement& placement, bool with_baselines = false);

  const model_folder::ModelFolder& folder() const { return folder_; }
  /// Of a model without a task head: only max_length.
  const TaskDetails& details() const { return details_; }
  const std::vector<dataset::Feature>& features() const { return features_; }
  /// Whether outputs are the start sites of both strands, which a network on bases labels in its bins.
  bool labels_sites() const { return sites_.has_value(); }
  /// How many sequences are best read together.
  int64_t chunk() const;
  /// The names of the terms, before load(), too.
  std::vector<std::string> terms() const;

  // After load(), by several threads at the same time, on the calling one:

  /// Log-odds, or numbers in units of training's standard deviations, row-major [sequences, outputs]; as given, or the
  /// means of both strands. They count the weights of labels in training's loss.
  std::vector<float> logits(Sequences sequences, session::Strands strands, Contributions* parts = nullptr) const;
  /// The same of readings, each as it is.
  std::vector<float> logits(std::span<Reading> readings) const { return sum_->logits(readings); }
  /// The k-mers' part of the logits of sequences, in which the bias is. Only of a model that has k-mers().
  std::vector<float> kmer_logits(Sequences sequences, session::Strands strands) const;
  /// How they divide among bases [first, first + count) of a sequence, [count, outputs] (KmerTerm::shares()).
  std::vector<float> kmer_shares(const std::string& bases, int64_t first, int64_t count,
                                 session::Strands strands) const;
  /// What edits of a sequence do to its logits, [edits, outputs].
  std::vector<float> changes(const std::string& bases, std::span<const std::string> edits,
                             session::Strands strands) const;
  /// Predictions, not yet corrected for the weights of training, row-major [rows, outputs]; for session::Strands::both
  /// (only where labels_sites()) those of all sequences as given, then those of all reverse complements.
  std::vector<double> predictions(Sequences sequences, session::Strands strands, Contributions* parts = nullptr) const;
  /// session::Session::text_means() of readings. Error of a network on bases, which has no such states.
  std::vector<float> text_means(std::span<Reading> readings) const { return encoder_->text_means(readings); }

  /// Whether it gives probabilities of hidden tokens.
  bool is_language_model() const { return !folder_.network && folder_.config.has_mlm(); }
  /// models::log_likelihood_ratios(); only of a language model.
  std::vector<double> log_likelihood_ratios(std::span<const Change> changes) const {
    return models::log_likelihood_ratios(*reader_, *session_, changes);
  }

  /// Whether it gives probabilities of what stands between two flanks.
  bool reads_gaps() const { return is_language_model() && folder_.config.gaps > 0; }
  /// ln p(after) - ln p(before) of the changed bases of each change, given all others, which are tokenised apart from
  /// them (session::GapScore::with_end). NaN where a form has no such score. Only of a model that reads_gaps().
  std::vector<double> gap_ratios(std::span<const Change> changes) const;

  /// The sum with another network in the place of this model's: k-mers + weight x network + encoder + kernel model.
  /// This must outlive it.
  Sum sum_with(std::shared_ptr<const Network> network) const;

  /// The network on bases among the terms, which can be looked into; null if there is none.
  const Network* network() const { return network_.get(); }
  /// How much of the network's logits is in the sum, by output of the folder; empty: all.
  const std::vector<float>& base_weight() const { return base_weight_; }
  /// The k-mers among the terms; null if there are none.
  const KmerModel* kmers() const { return kmers_ ? &*kmers_ : nullptr; }
  /// What the model was compared with when it was fine-tuned.
  Baselines baselines() const;
  void report_truncated() const;

 private:
  void find_sites(const dataset::Task& task);
  KmerTerm kmer_term() const;
  void find_base_weight();

  model_folder::ModelFolder folder_;
  TaskDetails details_{};
  std::vector<dataset::Feature> features_;
  std::vector<int64_t> other_strand_;             // of the folder's outputs
  std::optional<std::array<size_t, 2>> sites_{};  // the folder's outputs of + and -
  std::optional<KmerModel> kmers_{};
  std::optional<EncoderHead> encoder_head_{};                  // beside a network
  std::optional<model_folder::ModelFolder> encoder_folder_{};  // of the encoder that it reads
  std::vector<float> base_weight_{};

  // After load():
  std::shared_ptr<const Network> network_{};
  std::unique_ptr<session::SequenceReader> reader_{};
  std::unique_ptr<session::Session> session_{};
  std::unique_ptr<session::GapModel> gaps_{};
  std::unique_ptr<EncoderTerm> encoder_{};
  std::unique_ptr<FrozenEncoder> frozen_{};
  std::optional<KmerModel> kmer_baseline_{};
  std::unique_ptr<Sum> sum_{};
};

}  // namespace bigdna::models
