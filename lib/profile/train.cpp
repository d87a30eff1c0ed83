#include "profile/train.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "classification/evaluation.h"
#include "classification/kmer_fit.h"
#include "classification/own_baselines.h"
#include "classification/validation_metrics.h"
#include "dataset/features.h"
#include "genome/interval_set.h"
#include "io/job.h"
#include "io/lines.h"
#include "io/manifest.h"
#include "metrics/bootstrap.h"
#include "metrics/classification.h"
#include "model/batch.h"
#include "model/profile.h"
#include "model_folder/model_folder.h"
#include "profile/examples.h"
#include "profile/network_run.h"
#include "profile/origin.h"
#include "profile/row_scores.h"
#include "train/learning_curve.h"
#include "train/loop.h"
#include "train/rank_setup.h"

namespace bigdna::profile {
namespace {

using classification::Method;
using dataset::Split;

constexpr int64_t kWindows = 8;  // windows by which networks are standardised before training

/// One run, stage by stage.
class BinTraining {
 public:
  BinTraining(const TrainOptions& options, const train::Launch& launch, const session::Placement& placement)
      : options_(options),
        data_(classification::chromatin_rows(options.dataset, options.genome)),
        origin_(options.from),
        config_(config_of(options, data_.features, origin_.config())),
        one_(single(config_)),
        grid_(data_, config_.bin()),
        placement_(placement),
        ranks_(launch, placement_.device, options.ranks.timeout),
        validation_(data_.of(Split::validation, options.validation_rows)),
        validation_metrics_(data_, validation_),
        windows_(data_, grid_, one_, options.background_weight, options.seed),
        loop_(loop_options()) {
    train::check_batch(loop_, ranks_);
  }

  /// Returns the table of the metrics.
  std::string operator()() {
    if (ranks_.first())
      io::prepare_output_folder({options_.output, "run", options_.existing, {options_.dataset, options_.genome}});
    log::info(counted(config_.networks, "network"), " of ", counted(model_folder::parameter_count(one_), "parameter"),
              ", ", counted(windows_.size(), "window"), " of ", config_.window, " bp per epoch, ",
              counted(loop_.steps, "step"), " of ", loop_.batch, ", seed ", options_.seed);
    origin_.warn_of_leakage(data_);
    for (int64_t network = 0; network < config_.networks; ++network) train_network(network);
    if (!ranks_.first()) return "";
    if (!validation_.empty()) {
      const log::Progress stage("calibration");
      const auto logits = scores_of(validation_);
      fold(classification::calibration_of({logits.begin(), logits.end()}, data_, validation_), config_, parameters_);
    }
    const Method method = finished_method();
    write_model(method);
    const std::string table = evaluate_test(method);
    manifest_.kind = "run";
    for (const char* of_model : {"files", model_folder::kTrainingIntervals}) manifest_.details.erase(of_model);
    manifest_.save(options_.output + "/" + io::manifest_name("run"));
    return table;
  }

 private:
  train::TrainOptions loop_options() const {
    const int64_t epoch = std::max<int64_t>(1, windows_.size() / options_.batch);
    const auto& preset = model_folder::profile_preset(options_.preset);
    train::TrainOptions loop = network_loop(options_, epoch * options_.epochs.value_or(preset.epochs));
    loop.evaluate_every = std::max<int64_t>(1, loop.steps / 4);
    return loop;
  }

  /// Parameters of a network: the head starts from the labels' log-odds, so that training need not find them first.
  model::Parameters start(int64_t network) const {
    auto parameters = model::initialise(one_, options_.seed + static_cast<uint64_t>(network));
    std::vector<float> odds;
    for (const double share : windows_.prevalence()) {
      const double p = std::clamp(share, 1e-4, 1 - 1e-4);
      odds.push_back(static_cast<float>(std::log(p / (1 - p))));
    }
    parameters.at(model_folder::network_prefix(0) + "head.bias") = at::tensor(odds);
    std::vector<corpus::Example> examples;
    for (int64_t i = 0; i < kWindows; ++i) examples.push_back(windows_.example(i));
    origin_.begin(one_, parameters, network, examples);
    return parameters;
  }

  train::Task task(const TrainingWindows& windows) const {
    train::Task task;
    task.label = "train";
    task.example = [&windows](int64_t index) { return windows.example(index); };
    const at::Tensor label_weights = at::tensor(windows_.label_weights(options_.label_balance)).to(placement_.device);
    task.forward = [this, label_weights](const model::Parameters& parameters, const model::Batch& batch,
                                         const train::Totals& totals, uint64_t seed) {
      auto forward = placement_.forward();
      forward.training = true;
      forward.dropout_seed = seed;
      const at::Tensor logits = model::network_logits(one_, parameters, 0, batch.ids, forward);
      const at::Tensor labels = batch.targets.view(logits.sizes());
      const at::Tensor weights = batch.weights.unsqueeze(2) * label_weights;
      const at::Tensor each = at::binary_cross_entropy_with_logits(logits, labels, weights, {}, at::Reduction::Sum);
      // Bins of few labels and of many are mixed unevenly, so the batch's own weight is the divisor.
      const double count = std::max(totals.weight, 1e-6) * static_cast<double>(logits.size(2));
      return train::StepResult{each.div(count), {}};
    };
    if (!validation_.empty())
      task.evaluate = [this](const model::Parameters& parameters) {
        const session::ProfileModel model(one_, parameters, placement_, options_.output);
        const auto logits = row_logits(model, data_, grid_, validation_, session::Strands::forward);
        return validation_metrics_.of({logits.begin(), logits.end()});
      };
    task.block = one_.bin();
    task.pad_id = model::kUnknownBase;
    return task;
  }

  void train_network(int64_t network) {
    const std::string folder = network_folder(options_, ranks_, network);
    train::TrainOptions loop = loop_;
    loop.seed = options_.seed + static_cast<uint64_t>(network);
    const TrainingWindows windows(data_, grid_, one_, options_.background_weight, loop.seed);
    const auto result = train::run(task(windows), start(network), loop, folder, placement_.device, ranks_);
    if (!ranks_.first()) return;
    train::draw_learning_curve(folder, "auroc");
    add_network(parameters_, result.parameters, network);
  }

  std::vector<float> scores_of(const std::vector<int64_t>& rows) const {
    const session::ProfileModel model(config_, parameters_, placement_, options_.output);
    return row_logits(model, data_, grid_, rows, session::Strands::average);
  }

  Method finished_method() const {
    Method method{"bigdna", [this](const std::vector<int64_t>& rows) {
                    std::vector<float> values = scores_of(rows);
                    for (float& value : values) value = 1 / (1 + std::exp(-value));
                    return values;
                  }};
    method.threshold = classification::threshold_of(data_, method.score);
    return method;
  }

  void write_model(const Method& method) {
    const std::string folder = options_.output + "/model";
    io::prepare_output_folder({folder, "model", io::Existing::resume});
    model::save_weights(parameters_, folder + "/model.safetensors");
    dataset::write_features(folder + "/features.tsv", data_.features);
    manifest_.seed = options_.seed;
    manifest_.add_input(options_.dataset + "/" + io::manifest_name("dataset"));
    manifest_.details["task"] = data_.task->name;
    if (method.threshold != Method().threshold) manifest_.details["threshold"] = method.threshold;
    origin_.record(manifest_, folder, data_, data_.of(Split::train));
    model_folder::write_profile_folder(folder, config_, manifest_);
  }

  std::string evaluate_test(const Method& method) {
    std::optional<classification::TaskRows> in_context, in_bin;  // the same rows, for k-mers
    std::vector<Method> methods{method};
    if (options_.baseline) {  // of the same training rows, in the context that the network reads, and in the bin alone
      const auto add = [&](std::optional<classification::TaskRows>& rows, int64_t context, const char* name) {
        rows.emplace(classification::chromatin_rows(options_.dataset, options_.genome, context, context));
        methods.push_back(classification::refitted_kmers(*rows, session::Strands::average, options_.run.threads));
        methods.back().name = name;
      };
      add(in_context, config_.margin() * config_.bin(), "kmers");
      add(in_bin, 0, "kmers-bin");
    }
    return evaluate_network(options_, data_, methods);
  }

  const TrainOptions& options_;
  const classification::TaskRows data_;
  const Origin origin_;
  const model_folder::ProfileConfig config_, one_;  // of the model, and of each of its networks
  const BinGrid grid_;
  const session::Placement placement_;
  train::Ranks ranks_;
  const std::vector<int64_t> validation_;
  const classification::ValidationMetrics validation_metrics_;
  const TrainingWindows windows_;
  const train::TrainOptions loop_;
  model::Parameters parameters_;  // of the model
  io::Manifest manifest_;
};

}  // namespace

std::string train(const TrainOptions& options) { return run_networks<BinTraining>(options); }

}  // namespace bigdna::profile
