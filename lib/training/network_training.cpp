#include "training/network_training.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iomanip>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "evaluation/baseline_methods.h"
#include "evaluation/evaluation_text.h"
#include "evaluation/validation_metrics.h"
#include "genome/assemblies.h"
#include "linear/calibration_fit.h"
#include "rows/dataset_rows.h"
#include "rows/joined_rows.h"
#include "rows/row_parts.h"
#include "dataset/features.h"
#include "io/folder.h"
#include "model/network.h"
#include "model_folder/model_folder.h"
#include "training/encoder_beside.h"
#include "training/kmers_beside.h"
#include "training/train_network.h"
#include "train/learning_curve.h"
#include "train/measure.h"

namespace bigdna::training {

using evaluation::Method;

namespace {
constexpr int64_t kShareRows = 5000;  // training rows, for the mean probabilities of labels
constexpr size_t kNamed = 5;          // labels in a warning

bool labels_bins(const std::string& task) { return dataset::task_of(task).site == dataset::Task::Site::bin; }

model_folder::NetworkConfig model_config(const TrainOptions& options, const rows::TaskRows& data,
                                         const model_folder::NetworkConfig* from) {
  auto config = labels_bins(options.task)
                    ? config_of(options, data.features, data.bin, from)
                    : sequence_config_of(options, data.features, data.upstream + data.downstream, from);
  if (options.keep_networks) config.dropout = from->dropout;
  return config;
}

rows::TaskRows rows_of(const TrainOptions& options) {
  const auto& task = dataset::task_of(options.task);
  auto rows = rows::task_rows(task, options.dataset, options.genome);
  if (options.more_datasets.empty()) return rows;
  std::vector<rows::TaskRows> all;
  all.push_back(std::move(rows));
  for (const auto& dataset : options.more_datasets) all.push_back(rows::task_rows(task, dataset, options.genome));
  return rows::joined_rows(std::move(all));
}

model_folder::NetworkConfig single(model_folder::NetworkConfig config) {
  config.networks = 1;
  return config;
}
}  // namespace

NetworkTraining::NetworkTraining(const TrainOptions& options, const train::RankLaunch& launch,
                                 const session::Placement& placement)
    : options_(options),
      data_(rows_of(options)),
      origin_(options.from),
      config_(model_config(options, data_, origin_.config())),
      one_(single(config_)),
      placement_(placement),
      ranks_(launch, placement_.device, options.ranks.timeout),
      validation_(data_.of(dataset::Split::validation, options.validation_rows)),
      encoder_(options.encoder.empty() ? std::nullopt : std::optional(open_encoder(options.encoder))) {
  if (encoder_ && has_networks() && validation_.empty())
    fail(options.dataset, ": the validation split is empty, and the share of --encoder is chosen on it");
}

std::string NetworkTraining::operator()() {
  train::check_batch(loop_, ranks_);
  if (options_.plan) return ranks_.first() ? plan() : "";
  if (ranks_.first()) {
    std::vector<std::string> inputs{options_.dataset, options_.genome, encoder_ ? encoder_->path : ""};
    inputs.insert(inputs.end(), options_.more_datasets.begin(), options_.more_datasets.end());
    io::prepare_output_folder({options_.output, "run", options_.existing, inputs});
  }
  if (options_.keep_networks)
    log::info(counted(config_.networks, "network"), " of ", options_.from, config_.networks == 1 ? " is" : " are",
              " kept, seed ", options_.seed);
  else if (has_networks())
    log::info(counted(config_.networks, "network"), " of ", counted(model_folder::parameter_count(one_), "parameter"),
              ", ", epoch_text(), counted(loop_.steps, "step"), " of ", loop_.batch, ", seed ", options_.seed);
  else
    log::info(counted(data_.of(dataset::Split::train).size(), "training example"), ", no networks, seed ",
              options_.seed);
  origin_.warn_of_leakage(data_);
  if (encoder_) rows::warn_of_leakage(*encoder_, data_);
  if (!origin_.config() && data_.task->site == dataset::Task::Site::bin &&
      std::ranges::any_of(data_.contigs,
                          [](const auto& contig) { return genome::is_human_chromosome(contig.name, contig.length); }))
    log::info(
        "the genome is human: --from human-chr20-chrX begins with networks that know 41 experiments of it, which "
        "is better for few peaks or little time");
  if (options_.keep_networks)
    parameters_ = origin_.networks(config_, data_.features);
  else
    for (int64_t network = 0; network < config_.networks; ++network) train_network(network);
  if (!ranks_.first()) return "";
  if (has_networks() && !options_.keep_networks) calibrate();
  if (const auto rows = evaluation::calibration_rows(data_); !has_networks() && !rows.empty())
    warn_of_few(labels_of_few(rows));
  fit_terms();
  Method method{"bigdna", [this](const Rows& rows) { return predictions_of(model_logits(rows)); }};
  method.threshold = evaluation::threshold_of(data_, method.score);
  if (method.threshold == Method().threshold && !data_.called().empty())
    log::warn("no validation example is a start site, so no threshold was chosen: the threshold of calls is ",
              method.threshold);
  const auto of_parts = parts();
  write_model(method, of_parts);
  std::vector<Method> methods{method};
  if (options_.baseline) methods.insert(methods.end(), of_parts.begin(), of_parts.end());
  const std::string table = evaluate_test(std::move(methods));
  run_.finish();
  return table;
}

train::LoopOptions NetworkTraining::loop_options(int64_t steps) const {
  train::LoopOptions loop;
  loop.batch = options_.batch;
  loop.steps = options_.steps.value_or(steps);
  loop.learning_rate = options_.learning_rate;
  loop.weight_decay = options_.weight_decay;
  loop.warmup_steps = loop.steps / 20;
  loop.checkpoint_every = options_.checkpoint_every;
  loop.keep = 1;
  loop.ranks = options_.ranks;
  loop.threads = options_.run.threads;
  return loop;
}

at::Tensor NetworkTraining::logits_in_training(const model::Parameters& parameters, const model::Batch& batch,
                                               uint64_t seed) const {
  auto forward = placement_.forward();
  forward.training = true;
  forward.dropout_seed = seed;
  return model::network_logits(one_, parameters, 0, batch.ids, forward);
}

model::Parameters NetworkTraining::start(uint64_t seed, int64_t network) const {
  auto parameters = model::initialise(one_, seed);
  parameters.at(model_folder::network_prefix(0) + "head.bias") = at::tensor(odds()).to(at::kFloat);
  origin_.begin(one_, parameters, network, first_examples(seed));
  return parameters;
}

train::TrainingTask NetworkTraining::whole_task(uint64_t seed) const {
  train::TrainingTask task = this->task(seed);
  task.block = one_.bin();
  task.pad_id = model::kUnknownBase;
  return task;
}

/// What calibration and test will take, all networks on all of these examples, from a part of them by one network.
double NetworkTraining::seconds_after_training(const std::function<double(const std::function<void()>&)>& seconds_of,
                                               const model::Parameters& parameters) const {
  const auto test = data_.of(dataset::Split::test), calibration = evaluation::calibration_rows(data_);
  auto part = test.empty() ? calibration : test;
  if (part.empty()) return 0;
  part.resize(std::min<size_t>(part.size(), 2000));
  const log::Progress stage("measuring an evaluation");
  const double seconds = seconds_of([&] { logits_of(model_of(one_, parameters), part, strands_); });
  const bool weighs = with_kmers() || encoder_;  // on the latter
  const size_t rows = test.size() + calibration.size() * (weighs ? 2 : 1);
  return seconds * static_cast<double>(rows) / static_cast<double>(part.size()) * static_cast<double>(config_.networks);
}

std::string NetworkTraining::plan() const {
  const train::TrainingTask task = whole_task(options_.seed);
  auto parameters = start(options_.seed, 0);
  const auto seconds_of = [](const auto& work) {
    const auto before = std::chrono::steady_clock::now();
    const c10::NoGradGuard no_grad;
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  };
  double evaluation = 0;
  if (task.evaluate) {
    const log::Progress stage("measuring a validation");
    for (auto& [name, value] : parameters) value = value.to(placement_.device);
    evaluation = seconds_of([&] { task.evaluate(parameters); });
  }
  const double after = seconds_after_training(seconds_of, parameters);
  train::LoopOptions part = loop_;  // of this rank; the others are assumed to be as fast
  part.batch = (loop_.batch + ranks_.size() - 1) / ranks_.size();
  std::vector<corpus::Example> examples;
  for (int64_t i = 0; i < part.batch; ++i) examples.push_back(task.example(i));
  const auto measured = train::measure_steps(task, std::move(parameters), examples, part, placement_.device);
  const auto rows = [this](dataset::Split split) { return data_.of(split).size(); };
  const int64_t evaluations = task.evaluate ? (loop_.steps - 1) / loop_.evaluate_every + 1 : 0;
  const double networks = static_cast<double>(config_.networks), steps = static_cast<double>(loop_.steps),
               weights = static_cast<double>(model_folder::parameter_count(one_));
  const double seconds = networks * (steps * measured.seconds_per_step + static_cast<double>(evaluations) * evaluation);
  const std::string with =
      concat(options_.baseline ? "; k-mers as a baseline come on top (--no-baseline leaves them out)" : "",
             encoder_ ? "; so does what --encoder takes to read all examples" : "");
  const double checkpoints = 12 * weights * static_cast<double>(loop_.keep + 1) * networks;
  return concat("data: ", rows(dataset::Split::train), " training examples, ", rows(dataset::Split::validation),
                " for validation, ", rows(dataset::Split::test), " for the test; ", counted(config_.labels, "label"),
                "\n", "model: ", counted(config_.networks, "network"), " of ", log::human(weights),
                config_.networks > 1 ? "parameters, one after the other; " : "parameters; ", config_.bin(),
                " bp per position, ", config_.window, " bp read at a time\n",
                "training: ", counted(loop_.steps, "step"), " of ", loop_.batch, " x ", config_.window,
                " bp for each network, ", std::setprecision(3),
                steps * static_cast<double>(loop_.batch) / static_cast<double>(epoch_examples()),
                " times the training examples", loop_.patience > 0 ? ", at most" : "", "\n",
                "speed: ", log::human(measured.tokens_per_second * static_cast<double>(ranks_.size())),
                "bp/s measured on ", placement_.device.str(), " with ", counted(loop_.threads, "thread"), ": about ",
                log::duration(seconds), " with ", counted(evaluations, "validation"), " of each network, and then ",
                log::duration(after), " for the calibration and the test split", with,
                "\nmemory: ", log::human(static_cast<double>(measured.peak_memory)), "B now\n",
                "disk: ", log::human(checkpoints + 4 * weights * networks), "B for ", loop_.keep + 1,
                " checkpoints of each network and the model\n");
}

void NetworkTraining::train_network(int64_t network) {
  const std::string folder = concat(options_.output, "/network-", network + 1);
  if (ranks_.first()) std::filesystem::create_directories(folder);
  train::LoopOptions loop = loop_;
  loop.seed = options_.seed + static_cast<uint64_t>(network);
  const auto result =
      train::run(whole_task(loop.seed), start(loop.seed, network), loop, folder, placement_.device, ranks_);
  if (!ranks_.first()) return;
  train::draw_learning_curve(folder, evaluation::ValidationMetrics::of_type(data_.by_type().front().type));
  if (config_.pooled)
    log::info("network ", network + 1, ": keeping the parameters of step ", result.best_step, " of ", result.steps);
  const std::string first = model_folder::network_prefix(0);
  for (const auto& [name, value] : result.parameters)
    parameters_[model_folder::network_prefix(network) + name.substr(first.size())] = value.detach().cpu();
}

/// Calibrates on the validation rows. Without any, each label has the training rows' share as its mean probability:
/// where background weighs less in the loss, the network has another.
void NetworkTraining::calibrate() {
  const log::Progress stage("calibration");
  const auto rows = evaluation::calibration_rows(data_);
  warn_of_few(labels_of_few(rows));
  if (rows.empty()) return to_training_shares();
  const auto logits = logits_in_parts("validation examples", rows);
  into_heads(evaluation::calibration_of({logits.begin(), logits.end()}, data_, rows));
}

std::vector<float> NetworkTraining::logits_in_parts(const std::string& label, const Rows& rows) const {
  const auto model = model_of(config_, parameters_);
  return rows::in_row_parts(label, rows, [&](const Rows& part) { return logits_of(model, part, strands_); });
}

std::vector<int64_t> NetworkTraining::labels_of_few(const Rows& rows) const {
  const at::Tensor labels = data_.label_matrix(rows);
  std::vector<int64_t> few;
  for (int64_t f = 0; f < data_.labels(); ++f)
    if (rows::is_binary(data_.type_of(static_cast<size_t>(f))) &&
        linear::is_of_few(labels.select(1, f).index_select(0, at::tensor(data_.known_of(rows, f), at::kLong))))
      few.push_back(f);
  return few;
}

void NetworkTraining::to_training_shares() {
  const auto labels = labels_of_few({});
  if (labels.empty()) return;
  const auto rows = data_.of(dataset::Split::train, kShareRows);
  const auto logits = logits_in_parts("training examples", rows);
  const auto of_all = evaluation::training_shares(data_);
  std::vector<double> shares;
  for (const int64_t f : labels) shares.push_back(of_all[static_cast<size_t>(f)]);
  const at::Tensor of_labels =
      at::tensor(logits).view({std::ssize(rows), data_.labels()}).index_select(1, at::tensor(labels));
  const auto shifts = linear::shifts_to_shares(of_labels, shares);
  models::Calibration calibration(data_.labels());
  for (size_t i = 0; i < labels.size(); ++i) calibration.shift[static_cast<size_t>(labels[i])] = shifts[i];
  into_heads(calibration);
}

void NetworkTraining::warn_of_few(const std::vector<int64_t>& labels) const {
  if (labels.empty()) return;
  const auto all = dataset::column_names(data_.features);
  std::vector<std::string> names;
  for (const int64_t f : labels) names.push_back(all[static_cast<size_t>(f)]);
  log::warn("fewer than ", linear::kFew, " validation examples have the rarer value of ",
            counted(labels.size(), "label"), " (", evaluation::first_of(names, kNamed),
            "), too few for a calibration: the mean probability is set to the share of positive training examples");
}

/// Makes the calibration a part of the networks' heads.
void NetworkTraining::into_heads(const models::Calibration& calibration) {
  const at::Tensor scale = at::tensor(calibration.scale).to(at::kFloat),
                   shift = at::tensor(calibration.shift).to(at::kFloat);
  for (int64_t network = 0; network < config_.networks; ++network) {
    const std::string head = model_folder::network_prefix(network) + "head.";
    parameters_.at(head + "weight").mul_(scale.unsqueeze(1));
    parameters_.at(head + "bias").mul_(scale).add_(shift);
  }
}

std::string NetworkTraining::evaluate_each(const Method& model) {
  std::string tables;
  for (size_t number = 0; number < data_.parts.size(); ++number) {
    const auto& part = data_.parts[number];
    const auto width = static_cast<size_t>(data_.labels());
    std::vector<Method> methods{{model.name,
                                 [&](const Rows& own) {
                                   Rows rows;
                                   for (const int64_t row : own) rows.push_back(part.first + row);
                                   const auto all = model.score(rows);
                                   std::vector<float> values;
                                   for (size_t row = 0; row < all.size(); row += width)
                                     for (const int64_t f : part.features)
                                       values.push_back(all[row + static_cast<size_t>(f)]);
                                   return values;
                                 },
                                 model.threshold}};
    const log::Progress stage(concat("evaluating ", part.rows->folder));
    if (options_.baseline)
      for (auto& other : baselines_of(*part.rows)) methods.push_back(std::move(other));
    auto evaluation = evaluation_options();
    evaluation.seen = run_.seen_of_parts.at(number);
    evaluation.provenance.add("dataset", part.rows->folder);
    const std::string folder = folder_of_dataset(options_.output, number);
    std::filesystem::create_directories(folder);
    tables += evaluation::evaluate_run(folder, *part.rows, methods, evaluation);
  }
  return tables;
}

std::string NetworkTraining::evaluate_test(std::vector<Method> methods) {
  if (!data_.parts.empty()) return evaluate_each(methods.front());
  auto evaluation = evaluation_options();
  evaluation.seen = run_.seen_test_rows;
  const log::WithoutRepeats once;
  if (options_.baseline)
    for (auto& method : methods) method = evaluation::remembering(std::move(method));
  const std::string table = evaluation::evaluate_run(options_.output, data_, methods, evaluation);
  if (!options_.baseline || table.empty()) return table;
  // only now: what the model reaches is written, whatever happens while other baselines are fitted
  log::info(options_.output, "/metrics.tsv is written; other baselines are next (--no-baseline leaves them out)");
  std::vector<Method> others;
  if (!with_kmers()) {
    const log::Progress stage("kmers (--no-baseline leaves them out)");
    beside_.push_back(std::make_unique<KmersBeside>(kmer_rows(), strands_, options_.run.threads));
    others.push_back(alone(*beside_.back()));
  }
  for (auto& other : other_baselines()) others.push_back(std::move(other));
  if (others.empty()) return table;
  for (auto& other : others) methods.push_back(std::move(other));
  return evaluation::evaluate_run(options_.output, data_, methods, evaluation);
}

std::string train(const TrainOptions& options) {
  return labels_bins(options.task) ? train_bins(options) : train_sequences(options);
}

}  // namespace bigdna::training
