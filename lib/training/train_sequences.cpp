#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/log.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/streams.h"
#include "evaluation/baseline_methods.h"
#include "training/loss.h"
#include "evaluation/validation_metrics.h"
#include "genome/alphabet.h"
#include "model/network.h"
#include "training/network_training.h"
#include "session/stream.h"
#include "models/task_details.h"

namespace bigdna::training {
namespace {

using evaluation::Method;

constexpr int64_t kEpochs = 15;       // at most: validation ends training
constexpr int64_t kPassBases = 4096;  // of a pass on a CPU
constexpr int64_t kSequences = 256;   // sequences by which networks are standardised before training, at most

class SequenceTraining : public NetworkTraining {
 public:
  SequenceTraining(const TrainOptions& options, const train::RankLaunch& launch, const session::Placement& placement)
      : NetworkTraining(options, launch, placement),
        rows_(data_.of(dataset::Split::train)),
        link_(data_.link(std::vector<double>(data_.features.size(), 1))) {
    if (rows_.empty()) fail(options.dataset, ": the train split is empty, so there is nothing to train on");
    if (!options.reverse_complement) strands_ = session::Strands::forward;
    const int64_t epoch = std::max<int64_t>(1, std::ssize(rows_) / options.batch);
    loop_ = loop_options(epoch * options.epochs.value_or(kEpochs));
    loop_.evaluate_every = std::min(epoch, loop_.steps);
    loop_.patience = options.patience;
  }

 private:
  std::string epoch_text() const override { return concat(counted(rows_.size(), "training example"), ", at most "); }

  int64_t epoch_examples() const override { return std::ssize(rows_); }

  std::vector<double> odds() const override { return evaluation::training_odds(data_); }

  /// The codes of a row as the network reads it.
  std::vector<int32_t> codes_of(int64_t row, bool reversed) const {
    std::string bases = data_.bases(row);
    if (reversed) genome::reverse_complement_in_place(bases);
    return model::base_codes(models::around_middle(bases, config_.window));
  }

  /// Example `index` of a network's training: in each epoch all rows once, in an order drawn for it.
  corpus::Example example(uint64_t seed, int64_t index) const {
    const auto count = std::ssize(rows_);
    const auto epoch = static_cast<uint64_t>(index / count), place = static_cast<uint64_t>(index % count);
    const int64_t row = rows_[Permutation(rows_.size(), mix({seed, kNetworkOrder, epoch}))(place)];
    corpus::Example example;
    example.ids = codes_of(row, options_.reverse_complement && mix({seed, kNetworkStrand, epoch, place}) & 1);
    for (int64_t label = 0; label < data_.labels(); ++label) example.targets.push_back(data_.target(row, label));
    example.region = data_.regions[static_cast<size_t>(row)];
    example.index = row;
    return example;
  }

  std::vector<corpus::Example> first_examples(uint64_t seed) const override {
    std::vector<corpus::Example> examples;
    const int64_t most = std::max<int64_t>(1, std::min({kSequences, std::ssize(rows_), 128'000 / config_.window}));
    for (int64_t i = 0; i < most; ++i) examples.push_back(example(seed, i));
    return examples;
  }

  /// Of each output in the loss; counts as in bins, whose loss is nats per read.
  at::Tensor label_weights() const {
    std::vector<double> weights(data_.features.size(), 1);
    if (const auto means = odds(); data_.type == dataset::LabelType::counts)
      for (size_t label = 0; label < means.size(); ++label)
        weights[label] = bin_loss(data_.type).weight(std::exp(means[label]), /*balance=*/0);
    return at::tensor(weights).to(at::kFloat);
  }

  train::TrainingTask task(uint64_t seed) const override {
    train::TrainingTask task;
    task.label = concat("train ", data_.task->name);
    task.example = [this, seed](int64_t index) { return example(seed, index); };
    const auto weights = label_weights().to(placement_.device);
    task.forward = [this, loss = Loss{data_.type, weights}](const model::Parameters& parameters,
                                                            const model::Batch& batch, const train::Totals& totals,
                                                            uint64_t dropout_seed) {
      const at::Tensor logits = logits_in_training(parameters, batch, dropout_seed).select(1, 0);
      return train::StepResult{loss.sum(logits, batch.targets).div(loss.count(totals.examples, data_.labels())), {}};
    };
    if (!validation_.empty()) {
      task.evaluate =
          [this, metrics = evaluation::ValidationMetrics(data_, validation_)](const model::Parameters& parameters) {
            const auto logits = logits_of(model_of(one_, parameters), validation_, strands_);
            std::vector<double> scores(logits.begin(), logits.end());
            if (data_.type != dataset::LabelType::counts) link_.apply(scores, data_.labels());
            return metrics.of(scores);
          };
      task.best_metric = evaluation::ValidationMetrics::best_of(data_.type);
      task.lower_is_better = false;
    }
    task.pass_tokens = kPassBases;
    return task;
  }

  std::vector<float> logits_of(const models::Network& model, const Rows& rows,
                               session::Strands strands) const override {
    const auto all = data_.bases_of(rows);
    return session::in_chunks(
        std::span<const std::string>(all), data_.labels(), placement_.streams(),
        [&](auto part) { return model.middle_logits(part, strands); }, models::Network::chunk(model.config()));
  }

  std::vector<float> answers_of(std::vector<double> logits) const {
    link_.apply(logits, data_.labels());
    link_.correct(logits, data_.labels());
    return {logits.begin(), logits.end()};
  }
  std::vector<float> predictions_of(std::vector<float> logits) const override {
    return answers_of({logits.begin(), logits.end()});
  }

  void describe(const Method& method, nlohmann::ordered_json& details) const override {
    data_.describe(link_, method.threshold, details);
    if (options_.reverse_complement) details[models::kEitherStrand] = true;
  }

  const rows::TaskRows& kmer_rows() override { return data_; }

  std::vector<Method> other_baselines() override {
    if (!data_.task->constant_baseline) return {};
    std::vector<Method> methods;
    if (data_.type == dataset::LabelType::counts)
      methods.push_back(evaluation::gc_content(kmer_rows(), strands_, options_.run.threads));
    methods.push_back(evaluation::constant(data_));
    return methods;
  }

  std::vector<Method> baselines_of(const rows::TaskRows&) override { return {}; }  // there are no parts

  const Rows rows_;
  const models::Link link_;
};

}  // namespace

std::string train_sequences(const TrainOptions& options) { return run_training<SequenceTraining>(options, "train"); }

}  // namespace bigdna::training
