/// How networks on bases are trained, whatever their rows are.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "classification/evaluation.h"
#include "classification/task_rows.h"
#include "classification/training_run.h"
#include "corpus/example.h"
#include "model/batch.h"
#include "model/parameters.h"
#include "model_folder/profile_config.h"
#include "profile/origin.h"
#include "profile/train_options.h"
#include "session/placement.h"
#include "session/profile_model.h"
#include "task_model/calibration.h"
#include "train/loop.h"

namespace bigdna::profile {

/// One run, stage by stage: the networks, one after the other, their calibration, the model and its evaluation.
class NetworkTraining {
 public:
  NetworkTraining(const TrainOptions& options, const train::Launch& launch, const session::Placement& placement);
  virtual ~NetworkTraining() = default;
  /// Returns the table of the metrics.
  std::string operator()();

 protected:
  using Rows = std::vector<int64_t>;
  /// `steps`: unless the options have another number.
  train::TrainOptions loop_options(int64_t steps) const;
  session::ProfileModel model_of(const model_folder::ProfileConfig& config, const model::Parameters& parameters) const {
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
  virtual train::Task task(uint64_t seed) const = 0;
  virtual std::vector<float> logits_of(const session::ProfileModel& model, const Rows& rows,
                                       session::Strands strands) const = 0;
  virtual std::vector<float> predictions_of(std::vector<float> logits) const = 0;
  virtual void describe(const classification::Method& method, nlohmann::ordered_json& details) const = 0;
  virtual std::vector<classification::Method> baselines() = 0;

  const TrainOptions& options_;
  const classification::TaskRows data_;
  const Origin origin_;
  const model_folder::ProfileConfig config_, one_;  // of the model, and of each of its networks
  const session::Placement placement_;
  train::Ranks ranks_;
  const Rows validation_;
  session::Strands strands_ = session::Strands::average;  // that the model reads
  train::TrainOptions loop_;
  model::Parameters parameters_;  // of the model

 private:
  std::string plan() const;
  train::Task whole_task(uint64_t seed) const;
  model::Parameters start(uint64_t seed, int64_t network) const;
  void train_network(int64_t network);
  void calibrate();
  std::vector<int64_t> labels_of_few(const Rows& rows) const;
  /// Of the model as it is now.
  std::vector<float> logits_in_parts(const std::string& label, const Rows& rows) const;
  void to_training_shares(const std::vector<int64_t>& labels);
  void into_heads(const task_model::Calibration& calibration);
  void write_model(const classification::Method& method);
  std::string evaluate_test(const classification::Method& method);

  classification::RunFolder run_{options_.output, data_};
};

/// Networks that label every bin of a window, and networks that answer for a sequence as a whole.
std::string train_bins(const TrainOptions& options);
std::string train_sequences(const TrainOptions& options);

}  // namespace bigdna::profile
