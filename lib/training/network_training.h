/// How networks on bases are trained, whatever their rows are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "rows/task_rows.h"
#include "training/term_beside.h"
#include "training/training_run.h"
#include "corpus/example.h"
#include "model/batch.h"
#include "model/parameters.h"
#include "model_folder/network_config.h"
#include "training/starting_model.h"
#include "training/train_options.h"
#include "session/placement.h"
#include "models/network.h"
#include "models/calibration.h"
#include "train/loop.h"

namespace bigdna::training {

/// One run, stage by stage: the networks, one after the other, their calibration, the model and its evaluation.
class NetworkTraining {
 public:
  NetworkTraining(const TrainOptions& options, const train::RankLaunch& launch, const session::Placement& placement);
  virtual ~NetworkTraining() = default;
  /// Returns the table of the metrics.
  std::string operator()();

 protected:
  using Rows = std::vector<int64_t>;
  /// `steps`: unless the options have another number.
  train::LoopOptions loop_options(int64_t steps) const;
  models::Network model_of(const model_folder::NetworkConfig& config, const model::Parameters& parameters) const {
    return {config, parameters, placement_, options_.output};
  }
  /// As the loss reads them.
  at::Tensor logits_in_training(const model::Parameters& parameters, const model::Batch& batch, uint64_t seed) const;

  // What depends on the rows.
  virtual std::string epoch_text() const = 0;  // "8 windows of 32000 bp per epoch, "
  virtual int64_t epoch_examples() const = 0;
  /// The labels' log-odds, from which the head starts, so that training need not find them first.
  virtual std::vector<double> odds() const = 0;
  /// By which networks are standardised before training.
  virtual std::vector<corpus::Example> first_examples(uint64_t seed) const = 0;
  virtual train::TrainingTask task(uint64_t seed) const = 0;
  virtual std::vector<float> logits_of(const models::Network& model, const Rows& rows,
                                       session::Strands strands) const = 0;
  virtual std::vector<float> predictions_of(std::vector<float> logits) const = 0;
  virtual void describe(const evaluation::Method& method, nlohmann::ordered_json& details) const = 0;
  /// The data's rows with what the network reads of each as their bases: what k-mers are counted in.
  virtual const rows::TaskRows& kmer_rows() = 0;
  /// What else the model is compared with.
  virtual std::vector<evaluation::Method> other_baselines() = 0;
  /// Of one of several datasets: what the model is compared with on its rows.
  virtual std::vector<evaluation::Method> baselines_of(const rows::TaskRows& part) = 0;

  const TrainOptions& options_;
  const rows::TaskRows data_;
  const StartingModel origin_;
  const model_folder::NetworkConfig config_, one_;  // of the model, and of each of its networks
  const session::Placement placement_;
  train::Ranks ranks_;
  const Rows validation_;
  session::Strands strands_ = session::Strands::average;  // that the model reads
  train::LoopOptions loop_;
  model::Parameters parameters_;  // of the model

 private:
  std::string plan() const;
  double seconds_after_training(const std::function<double(const std::function<void()>&)>& seconds_of,
                                const model::Parameters& parameters) const;
  train::TrainingTask whole_task(uint64_t seed) const;
  model::Parameters start(uint64_t seed, int64_t network) const;
  void train_network(int64_t network);
  void calibrate();
  /// Without networks, what stands beside them is the model.
  bool has_networks() const { return config_.networks > 0; }
  /// K-mers are of one dataset.
  bool with_kmers() const { return options_.kmers && data_.parts.empty(); }
  /// Fits what stands beside the network, and adds one after the other.
  void fit_terms();
  /// A term alone, calibrated as the model is.
  evaluation::Method alone(const TermBeside& term) const;
  /// The network and each term beside it alone.
  std::vector<evaluation::Method> parts();
  /// What the network's logits become with the terms beside it, as models::Sum adds them up. Without networks they are
  /// 0.
  std::vector<float> in_sum(std::vector<float> network, const Rows& rows) const;
  /// Logits of the model, the sum of its terms.
  std::vector<float> model_logits(const Rows& rows) const;
  std::vector<int64_t> labels_of_few(const Rows& rows) const;
  /// Of the model as it is now.
  std::vector<float> logits_in_parts(const std::string& label, const Rows& rows) const;
  void to_training_shares();
  void warn_of_few(const std::vector<int64_t>& labels) const;
  void into_heads(const models::Calibration& calibration);
  void write_model(const evaluation::Method& method, const std::vector<evaluation::Method>& parts);
  /// What all evaluations of the run have in common.
  evaluation::EvaluationOptions evaluation_options() const {
    evaluation::EvaluationOptions evaluation;
    evaluation.seed = options_.seed;
    evaluation.strands = strands_;
    evaluation.threads = options_.run.threads;
    return evaluation;
  }
  std::string evaluate_test(std::vector<evaluation::Method> methods);
  /// Of several datasets: evaluates the model on each, in folder_of_dataset(), and returns all tables, each with a line
  /// "##dataset=FOLDER".
  std::string evaluate_each(const evaluation::Method& model);

  const std::optional<model_folder::ModelFolder> encoder_;
  std::vector<std::unique_ptr<TermBeside>> beside_;

  RunFolder run_{options_.output, data_};
};

/// Networks that label every bin of a window, and networks that answer for a sequence as a whole.
std::string train_bins(const TrainOptions& options);
std::string train_sequences(const TrainOptions& options);

}  // namespace bigdna::training
