#include <ATen/TensorOperators.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "evaluation/baseline_methods.h"
#include "rows/dataset_rows.h"
#include "evaluation/validation_metrics.h"
#include "training/training_windows.h"
#include "training/network_training.h"
#include "training/row_scores.h"

namespace bigdna::training {
namespace {

using evaluation::Method;

constexpr int64_t kWindows = 8;  // windows by which networks are standardised before training

class BinTraining : public NetworkTraining {
 public:
  BinTraining(const TrainOptions& options, const train::Launch& launch, const session::Placement& placement)
      : NetworkTraining(options, launch, placement),
        grid_(data_, config_.bin()),
        validation_metrics_(data_, validation_),
        windows_(data_, grid_, one_, options.background_weight) {
    const int64_t epoch = std::max<int64_t>(1, windows_.size() / options.batch);
    loop_ = loop_options(epoch * options.epochs.value_or(model_folder::network_preset(options.preset).epochs));
    loop_.evaluate_every = std::max<int64_t>(1, loop_.steps / 4);
    if (data_.chosen_by_label)
      log::warn(options.dataset,
                ": holds bins that were chosen by their labels, so the model's probabilities will be too high over a "
                "whole genome, where these are rarer (bigdna dataset chromatin --keep all takes all bins)");
  }

 private:
  std::string epoch_text() const override {
    return concat(counted(windows_.size(), "window"), " of ", config_.window, " bp per epoch, ");
  }

  int64_t epoch_examples() const override { return windows_.size(); }

  std::vector<double> odds() const override {
    std::vector<double> odds;
    for (const double share : windows_.prevalence()) {
      const double p = std::clamp(share, 1e-4, 1 - 1e-4);
      odds.push_back(std::log(p / (1 - p)));
    }
    return odds;
  }

  /// The same for each network.
  std::vector<corpus::Example> first_examples(uint64_t) const override {
    std::vector<corpus::Example> examples;
    for (int64_t i = 0; i < kWindows; ++i) examples.push_back(windows_.example(options_.seed, i));
    return examples;
  }

  train::Task task(uint64_t seed) const override {
    train::Task task;
    task.label = "train";
    task.example = [this, seed](int64_t index) { return windows_.example(seed, index); };
    const at::Tensor label_weights = at::tensor(windows_.label_weights(options_.label_balance)).to(placement_.device);
    task.forward = [this, label_weights](const model::Parameters& parameters, const model::Batch& batch,
                                         const train::Totals& totals, uint64_t dropout_seed) {
      const at::Tensor logits = logits_in_training(parameters, batch, dropout_seed);
      const at::Tensor labels = batch.targets.view(logits.sizes());
      const at::Tensor weights = batch.weights.unsqueeze(2) * label_weights;
      const at::Tensor each = at::binary_cross_entropy_with_logits(logits, labels, weights, {}, at::Reduction::Sum);
      // Bins of few labels and of many are mixed unevenly, so the batch's own weight is the divisor.
      const double count = std::max(totals.weight, 1e-6) * static_cast<double>(logits.size(2));
      return train::StepResult{each.div(count), {}};
    };
    if (!validation_.empty())
      task.evaluate = [this](const model::Parameters& parameters) {
        const auto logits = logits_of(model_of(one_, parameters), validation_, session::Strands::forward);
        return validation_metrics_.of({logits.begin(), logits.end()});
      };
    return task;
  }

  std::vector<float> logits_of(const models::Network& model, const Rows& rows,
                               session::Strands strands) const override {
    return row_logits(model, data_, grid_, rows, strands);
  }

  std::vector<float> predictions_of(std::vector<float> logits) const override {
    for (float& value : logits) value = 1 / (1 + std::exp(-value));
    return logits;
  }

  void describe(const Method& method, nlohmann::ordered_json& details) const override {
    if (method.threshold != Method().threshold) details["threshold"] = method.threshold;
  }

  const rows::TaskRows& kmer_rows() override {
    const int64_t context = config_.margin() * config_.bin();
    if (!in_context_) in_context_.emplace(rows::chromatin_rows(options_.dataset, options_.genome, context, context));
    return *in_context_;
  }

  /// k-mers of the bin alone.
  std::vector<Method> other_baselines() override {
    const log::Progress stage("kmers-bin (--no-baseline leaves them out)");
    in_bin_.emplace(rows::chromatin_rows(options_.dataset, options_.genome, 0, 0));
    std::vector<Method> methods{
        evaluation::refitted_kmers(*in_bin_, session::Strands::average, strands_, options_.run.threads)};
    methods.back().name = "kmers-bin";
    return methods;
  }

  const BinGrid grid_;
  const evaluation::ValidationMetrics validation_metrics_;
  const TrainingWindows windows_;
  std::optional<rows::TaskRows> in_context_, in_bin_;  // the same rows, for k-mers
};

}  // namespace

std::string train_bins(const TrainOptions& options) { return run_training<BinTraining>(options, "train"); }

}  // namespace bigdna::training
