#include "profile/train_sequences.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "classification/evaluation.h"
#include "classification/kmer_fit.h"
#include "classification/loss.h"
#include "classification/own_baselines.h"
#include "classification/validation_metrics.h"
#include "dataset/features.h"
#include "genome/alphabet.h"
#include "model/profile.h"
#include "model_folder/model_folder.h"
#include "profile/network_run.h"
#include "profile/origin.h"
#include "session/profile_model.h"
#include "session/stream.h"
#include "task_model/task_model.h"
#include "train/learning_curve.h"
#include "train/loop.h"

namespace bigdna::profile {
namespace {

using classification::Method;
using dataset::Split;

constexpr int64_t kEpochs = 15;       // at most: validation ends training
constexpr int64_t kPassBases = 4096;  // of a pass on a CPU
constexpr int64_t kSequences = 256;   // sequences by which networks are standardised before training, at most

/// One run, stage by stage.
class SequenceTraining {
 public:
  SequenceTraining(const TrainOptions& options, const train::Launch& launch, const session::Placement& placement)
      : options_(options),
        data_(classification::task_rows(dataset::task_of(options.task), options.dataset, options.genome)),
        origin_(options.from),
        config_(sequence_config_of(options, data_.features, data_.upstream + data_.downstream, origin_.config())),
        one_(single(config_)),
        placement_(placement),
        ranks_(launch, placement_.device, options.ranks.timeout),
        rows_(training_rows()),
        validation_(data_.of(Split::validation, options.validation_rows)),
        answers_(data_.answers(std::vector<double>(data_.features.size(), 1))),
        loop_(loop_options()) {
    train::check_batch(loop_, ranks_);
  }

  /// Returns the table of the metrics.
  std::string operator()() {
    if (ranks_.first()) io::prepare_output_folder({options_.output, "run", options_.existing, {options_.dataset}});
    log::info(counted(config_.networks, "network"), " of ", counted(model_folder::parameter_count(one_), "parameter"),
              ", ", counted(rows_.size(), "training row"), ", at most ", counted(loop_.steps, "step"), " of ",
              loop_.batch, ", seed ", options_.seed);
    origin_.warn_of_leakage(data_);
    for (int64_t network = 0; network < config_.networks; ++network) train_network(network);
    if (!ranks_.first()) return "";
    if (!validation_.empty())
      fold(classification::calibration_of(logits_of(model(), validation_), data_, validation_), config_, parameters_);
    const Method method = finished_method();
    write_model(method);
    const std::string table = evaluate_test(method);
    manifest_.kind = "run";
    for (const char* of_model : {"files", model_folder::kTrainingIntervals}) manifest_.details.erase(of_model);
    manifest_.save(options_.output + "/" + io::manifest_name("run"));
    return table;
  }

 private:
  std::vector<int64_t> training_rows() const {
    auto rows = data_.of(Split::train);
    if (rows.empty()) fail(options_.dataset, ": the train split is empty, so there is nothing to train on");
    return rows;
  }

  train::TrainOptions loop_options() const {
    const int64_t epoch = std::max<int64_t>(1, std::ssize(rows_) / options_.batch);
    train::TrainOptions loop = network_loop(options_, epoch * options_.epochs.value_or(kEpochs));
    loop.evaluate_every = std::min(epoch, loop.steps);
    loop.patience = options_.patience;
    return loop;
  }

  /// The codes of a row as the network reads it.
  std::vector<int32_t> codes_of(int64_t row, bool reversed) const {
    std::string bases = data_.bases(row);
    if (reversed) genome::reverse_complement_in_place(bases);
    return model::base_codes(session::around_middle(bases, config_.window));
  }

  /// Example `index` of a network's training: in each epoch all rows once, in an order drawn for it.
  corpus::Example example(uint64_t seed, int64_t index) const {
    const auto count = std::ssize(rows_);
    const auto epoch = static_cast<uint64_t>(index / count), place = static_cast<uint64_t>(index % count);
    const int64_t row = rows_[Permutation(rows_.size(), mix({seed, 0x3a, epoch}))(place)];
    corpus::Example example;
    example.ids = codes_of(row, options_.reverse_complement && mix({seed, 0x6c, epoch, place}) & 1);
    for (int64_t label = 0; label < data_.labels(); ++label) example.targets.push_back(data_.target(row, label));
    example.region = data_.regions[static_cast<size_t>(row)];
    example.index = row;
    return example;
  }

  /// Parameters of a network, standardised by rows of the training split, with the labels' log-odds in the head.
  model::Parameters start(int64_t network) const {
    const uint64_t seed = options_.seed + static_cast<uint64_t>(network);
    auto parameters = model::initialise(one_, seed);
    const auto odds = classification::training_odds(data_);
    parameters.at(model_folder::network_prefix(0) + "head.bias") = at::tensor(odds).to(at::kFloat);
    std::vector<corpus::Example> examples;
    const int64_t most = std::max<int64_t>(1, std::min({kSequences, std::ssize(rows_), 128'000 / config_.window}));
    for (int64_t i = 0; i < most; ++i) examples.push_back(example(seed, i));
    origin_.begin(one_, parameters, network, examples);
    return parameters;
  }

  train::Task task(uint64_t seed) const {
    train::Task task;
    task.label = concat("train ", data_.task->name);
    task.example = [this, seed](int64_t index) { return example(seed, index); };
    const auto weights = at::ones({data_.labels()}).to(placement_.device);
    task.forward = [this, loss = classification::Loss{data_.type, weights}](
                       const model::Parameters& parameters, const model::Batch& batch, const train::Totals& totals,
                       uint64_t dropout_seed) {
      auto forward = placement_.forward();
      forward.training = true;
      forward.dropout_seed = dropout_seed;
      const at::Tensor logits = model::network_logits(one_, parameters, 0, batch.ids, forward).select(1, 0);
      return train::StepResult{loss.sum(logits, batch.targets).div(loss.count(totals.examples, data_.labels())), {}};
    };
    if (!validation_.empty()) {
      task.evaluate =
          [this, metrics = classification::ValidationMetrics(data_, validation_)](const model::Parameters& parameters) {
            auto scores = logits_of(session::ProfileModel(one_, parameters, placement_, options_.output), validation_);
            answers_.apply(scores, data_.labels());
            return metrics.of(scores);
          };
      task.best_metric = classification::ValidationMetrics::best_of(data_.type);
      task.lower_is_better = false;
    }
    task.block = one_.bin();
    task.pad_id = model::kUnknownBase;
    task.pass_tokens = kPassBases;
    return task;
  }

  void train_network(int64_t network) {
    const std::string folder = network_folder(options_, ranks_, network);
    train::TrainOptions loop = loop_;
    loop.seed = options_.seed + static_cast<uint64_t>(network);
    const auto result = train::run(task(loop.seed), start(network), loop, folder, placement_.device, ranks_);
    if (!ranks_.first()) return;
    train::draw_learning_curve(folder, data_.type == dataset::LabelType::regression ? "pearson" : "auroc");
    log::info("network ", network + 1, ": keeping the parameters of step ", result.best_step, " of ", result.steps);
    add_network(parameters_, result.parameters, network);
  }

  session::Strands strands() const {
    return options_.reverse_complement ? session::Strands::average : session::Strands::forward;
  }

  std::vector<double> logits_of(const session::ProfileModel& model, const std::vector<int64_t>& rows) const {
    const auto all = data_.bases_of(rows);
    const auto values = session::in_chunks(std::span<const std::string>(all), data_.labels(), placement_.streams(),
                                           [&](auto part) { return model.middle_logits(part, strands()); });
    return {values.begin(), values.end()};
  }
  session::ProfileModel model() const { return {config_, parameters_, placement_, options_.output}; }

  /// Logits as predictions.
  std::vector<float> answers_of(std::vector<double> logits) const {
    answers_.apply(logits, data_.labels());
    answers_.correct(logits, data_.labels());
    return {logits.begin(), logits.end()};
  }

  Method finished_method() const {
    Method method{"bigdna", [this](const std::vector<int64_t>& rows) { return answers_of(logits_of(model(), rows)); }};
    method.threshold = classification::threshold_of(data_, method.score);
    return method;
  }

  void write_model(const Method& method) {
    const std::string folder = options_.output + "/model";
    io::prepare_output_folder({folder, "model", io::Existing::resume});
    model::save_weights(parameters_, folder + "/model.safetensors");
    if (data_.task->named_outputs) dataset::write_features(folder + "/features.tsv", data_.features);
    manifest_.seed = options_.seed;
    manifest_.add_input(options_.dataset + "/" + io::manifest_name("dataset"));
    auto& details = manifest_.details;
    details["task"] = data_.task->name;
    data_.describe(answers_, method.threshold, details);
    if (options_.reverse_complement) details[task_model::kEitherStrand] = true;
    origin_.record(manifest_, folder, data_, rows_);
    model_folder::write_profile_folder(folder, config_, manifest_);
  }

  /// The k-mer regression. Where labels hold for either strand, it reads rows as given or averages strands, as
  /// validation prefers: a linear model loses more by reading a strand that it was not fitted to than the network does.
  Method kmers() const {
    using session::Strands;
    std::vector<Strands> readings{Strands::forward};
    if (options_.reverse_complement && !validation_.empty()) readings.push_back(Strands::average);
    auto methods = classification::refitted_kmers(data_, readings, options_.run.threads);
    Method method = std::move(methods.front());
    if (methods.size() > 1) {
      const classification::ValidationMetrics metrics(data_, validation_);
      const auto quality = [&](const Method& of_method) {
        const auto scores = of_method.score(validation_);
        return metrics.of({scores.begin(), scores.end()}).at(classification::ValidationMetrics::best_of(data_.type));
      };
      if (quality(methods.back()) > quality(method)) method = std::move(methods.back());
    }
    method.name = "kmers";
    return method;
  }

  std::string evaluate_test(const Method& method) {
    std::vector<Method> methods{method};
    if (options_.baseline) methods.push_back(kmers());
    if (options_.baseline && data_.task->constant_baseline)
      methods.push_back({"constant", [this](const std::vector<int64_t>& rows) {
                           const auto odds = classification::training_odds(data_);
                           std::vector<double> all;
                           for (size_t i = 0; i < rows.size(); ++i) all.insert(all.end(), odds.begin(), odds.end());
                           return answers_of(std::move(all));
                         }});
    return evaluate_network(options_, data_, methods);
  }

  const TrainOptions& options_;
  const classification::TaskRows data_;
  const Origin origin_;
  const model_folder::ProfileConfig config_, one_;  // of the model, and of each of its networks
  const session::Placement placement_;
  train::Ranks ranks_;
  const std::vector<int64_t> rows_, validation_;
  const task_model::Answers answers_;
  const train::TrainOptions loop_;
  model::Parameters parameters_;  // of the model
  io::Manifest manifest_;
};

}  // namespace

std::string train_sequences(const TrainOptions& options) { return run_networks<SequenceTraining>(options); }

}  // namespace bigdna::profile
