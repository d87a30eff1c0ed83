#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "evaluation/baseline_methods.h"
#include "rows/dataset_rows.h"
#include "evaluation/validation_metrics.h"
#include "training/training_windows.h"
#include "training/loss.h"
#include "training/network_training.h"
#include "training/row_scores.h"

namespace bigdna::training {
namespace {

using evaluation::Method;

constexpr int64_t kWindows = 8;  // windows by which networks are standardised before training

class BinTraining : public NetworkTraining {
 public:
  BinTraining(const TrainOptions& options, const train::RankLaunch& launch, const session::Placement& placement)
      : NetworkTraining(options, launch, placement),
        grid_(data_, config_.bin()),
        validation_metrics_(data_, validation_),
        windows_(data_, grid_, one_, options.background_weight) {
    const int64_t epoch = std::max<int64_t>(1, windows_.size() / options.batch);
    loop_ = loop_options(epoch * options.epochs.value_or(model_folder::network_preset(options.preset).epochs));
    loop_.evaluate_every = std::max<int64_t>(1, loop_.steps / 4);
    if (data_.chosen_by_label)
      log::warn(options.dataset,
                ": holds bins that were chosen by their labels. Over a whole genome, where positives are rarer, the "
                "model's probabilities will be too high (bigdna dataset chromatin --keep all takes all bins)");
  }

 private:
  std::string epoch_text() const override {
    return concat(counted(windows_.size(), "window"), " of ", config_.window, " bp per epoch, ");
  }

  int64_t epoch_examples() const override { return windows_.size(); }

  std::vector<double> odds() const override {
    std::vector<double> odds;
    for (size_t label = 0; label < windows_.means().size(); ++label)
      odds.push_back(bin_loss(data_.type_of(label)).start(windows_.means()[label]));
    return odds;
  }

  /// The same for each network.
  std::vector<corpus::Example> first_examples(uint64_t) const override {
    std::vector<corpus::Example> examples;
    for (int64_t i = 0; i < kWindows; ++i) examples.push_back(windows_.example(options_.seed, i));
    return examples;
  }

  /// Outputs whose labels are of one type, side by side, in the loss.
  struct LossPart {
    const BinLoss* loss;
    int64_t first;
    at::Tensor weights;  // of the outputs
    bool weighted;       // bins have a weight (corpus::Example::weights)
  };
  std::vector<LossPart> loss_parts() const {
    std::vector<LossPart> parts;
    const at::Tensor weights = at::tensor(windows_.label_weights(options_.label_balance)).to(placement_.device);
    for (const auto& [type, labels] : data_.by_type())
      parts.push_back({&bin_loss(type), labels.front(), weights.narrow(0, labels.front(), std::ssize(labels)),
                       type != dataset::LabelType::counts});
    return parts;
  }

  train::TrainingTask task(uint64_t seed) const override {
    train::TrainingTask task;
    task.label = "train";
    task.example = [this, seed](int64_t index) { return windows_.example(seed, index); };
    task.forward = [this, parts = loss_parts()](const model::Parameters& parameters, const model::Batch& batch,
                                                const train::Totals& totals, uint64_t dropout_seed) {
      const at::Tensor logits = logits_in_training(parameters, batch, dropout_seed);
      const at::Tensor targets = batch.targets.view(logits.sizes()), weights = batch.weights.unsqueeze(2);
      at::Tensor all;
      for (const auto& part : parts) {
        const auto of_part = [&](const at::Tensor& of) { return of.narrow(2, part.first, part.weights.size(0)); };
        // Bins of few labels and of many are mixed unevenly, so the batch's own weight is the divisor.
        const double bins =
            part.weighted ? std::max(totals.weight, 1e-6) : static_cast<double>(totals.examples * logits.size(1));
        const at::Tensor each =
            part.loss->sum(of_part(logits), of_part(targets), part.weighted ? weights * part.weights : part.weights)
                .div(bins * static_cast<double>(logits.size(2)));
        all = all.defined() ? all + each : each;
      }
      return train::StepResult{all, {}};
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
    std::vector<double> values(logits.begin(), logits.end());
    data_.link({1}).apply(values, data_.labels());
    return {values.begin(), values.end()};
  }

  void describe(const Method& method, nlohmann::ordered_json& details) const override {
    if (method.threshold != Method().threshold) details["threshold"] = method.threshold;
  }

  const rows::TaskRows& kmer_rows() override {
    const int64_t context = config_.margin() * config_.bin();
    if (!in_context_) in_context_.emplace(rows::chromatin_rows(options_.dataset, options_.genome, context, context));
    return *in_context_;
  }

  /// k-mers of the bin alone; beside tracks also GC content and the mean.
  std::vector<Method> other_baselines() override {
    const log::Progress stage("kmers-bin (--no-baseline leaves them out)");
    in_bin_.emplace(rows::chromatin_rows(options_.dataset, options_.genome, 0, 0));
    std::vector<Method> methods{
        evaluation::refitted_kmers(*in_bin_, session::Strands::average, strands_, options_.run.threads)};
    methods.back().name = "kmers-bin";
    if (data_.by_type().back().type == dataset::LabelType::counts) {
      methods.push_back(evaluation::gc_content(kmer_rows(), strands_, options_.run.threads));
      methods.push_back(evaluation::constant(data_));
    }
    return methods;
  }

  /// k-mers of what the network reads, fitted to the dataset's own training bins; beside tracks also GC content and the
  /// mean.
  std::vector<Method> baselines_of(const rows::TaskRows& part) override {
    const int64_t context = config_.margin() * config_.bin();
    const auto& rows = of_parts_.emplace_back(rows::chromatin_rows(part.folder, options_.genome, context, context));
    std::vector<Method> methods{
        evaluation::refitted_kmers(rows, session::Strands::average, strands_, options_.run.threads)};
    methods.back().name = "kmers";
    if (part.by_type().back().type == dataset::LabelType::counts) {
      methods.push_back(evaluation::gc_content(rows, strands_, options_.run.threads));
      methods.push_back(evaluation::constant(part));
    }
    return methods;
  }

  const BinGrid grid_;
  const evaluation::ValidationMetrics validation_metrics_;
  const TrainingWindows windows_;
  std::optional<rows::TaskRows> in_context_, in_bin_;  // the same rows, for k-mers
  std::deque<rows::TaskRows> of_parts_;                // those of each dataset in its context
};

}  // namespace

std::string train_bins(const TrainOptions& options) { return run_training<BinTraining>(options, "train"); }

}  // namespace bigdna::training
