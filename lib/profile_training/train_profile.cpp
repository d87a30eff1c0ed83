#include "profile_training/train_profile.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "evaluation/verdict.h"
#include "io/folder.h"
#include "io/output.h"
#include "metrics/classification.h"
#include "metrics/counts.h"
#include "model/network.h"
#include "model/parallel.h"
#include "profile/network.h"
#include "profile_training/evaluate_profiles.h"
#include "profile_training/heads.h"
#include "profile_training/profile_data.h"
#include "profile_training/region_metrics.h"
#include "profile_training/training_regions.h"
#include "train/learning_curve.h"
#include "train/loop.h"
#include "train/measure.h"
#include "training/training_run.h"

namespace bigdna::profile_training {

namespace {
using model_folder::kBiasHalf;
using model_folder::kModelHalf;
using model_folder::ProfileConfig;
using model_folder::ProfileFolder;

constexpr int64_t kEpochs = 20;

bool is_bias(const std::string& name) { return name.starts_with(std::string(kBiasHalf) + "."); }

/// A bias model's folder; none for "". Error if it does not fit the dataset.
std::optional<ProfileFolder> bias_of(const std::string& path, const dataset::ProfileDataset& dataset) {
  if (path.empty()) return std::nullopt;
  auto folder = ProfileFolder::open(path);
  const auto& config = folder.config;
  if (config.has_bias() || config.controls > 0)
    fail(path, ": has ", config.has_bias() ? "a bias model of its own" : "control tracks", ": it is no bias model");
  if (config.window != dataset.window || config.output != dataset.width || config.strands != dataset.strands())
    fail(path, ": reads ", config.window, " bp and has ", config.strands, " profiles of ", config.output, " bp; ",
         dataset.folder, " has windows of ", dataset.window, " bp and ", dataset.strands(), " profiles of ",
         dataset.width, " bp");
  return folder;
}

ProfileConfig config_of(const training::ProfileTrainOptions& options, const dataset::ProfileDataset& dataset,
                        const std::optional<ProfileFolder>& bias) {
  ProfileConfig config{dataset.window, dataset.width, dataset.strands(), 0, {}};
  model_folder::ProfileHalf half{kModelHalf, options.filters, options.layers};
  half.averaged = std::max<int64_t>(0, half.positions(config.window));
  config.halves.push_back(half);
  if (bias) {
    config.halves.push_back(bias->config.halves.front());
    config.halves.back().name = kBiasHalf;
  }
  check(config, "--dilated-layers");
  return config;
}

class ProfileTraining {
 public:
  ProfileTraining(const training::TrainOptions& options, const train::RankLaunch& launch,
                  const session::Placement& placement)
      : options_(options),
        data_(options.dataset, options.genome),
        placement_(placement),
        ranks_(launch, placement_.device, options.ranks.timeout),
        bias_(bias_of(options.profile.bias, data_.dataset)),
        config_(config_of(options.profile, data_.dataset, bias_)),
        regions_(data_, options.profile),
        epoch_(regions_.first_epoch(options.seed)),
        validation_(validation_rows()),
        count_weight_(options.profile.count_weight.value_or(count_weight_of(data_, epoch_))),
        loop_(loop_options()) {}

  std::string operator()() {
    train::check_batch(loop_, ranks_);
    if (options_.plan) return ranks_.first() ? plan() : "";
    if (ranks_.first())
      io::prepare_output_folder({options_.output, "run", options_.existing, {options_.dataset, options_.genome}});
    log::info(counted(parameter_count(config_), "parameter"), ", ", counted(regions_.size(), "region"), " per epoch, ",
              counted(loop_.steps, "step"), " of ", loop_.batch, ", weight of the count loss ", count_weight_,
              ", seed ", options_.seed);
    const std::string folder = options_.output + "/network-1";
    if (ranks_.first()) std::filesystem::create_directories(folder);
    const auto result = train::run(task(), start(), loop_, folder, placement_.device, ranks_);
    if (!ranks_.first()) return "";
    train::draw_learning_curve(folder, "pearson");
    if (!validation_.empty()) log::info("keeping the parameters of step ", result.best_step, " of ", result.steps);
    write_model(result);
    const std::string table = evaluate_test();
    run_.finish();
    return table;
  }

 private:
  /// Of the kind that is trained on.
  std::vector<int64_t> validation_rows() const {
    auto rows = data_.rows.of(dataset::Split::validation, options_.validation_rows);
    if (options_.profile.background_alone) std::erase_if(rows, [&](int64_t row) { return !is_background(row); });
    return rows;
  }
  bool is_background(int64_t row) const {
    return data_.dataset.rows[static_cast<size_t>(row)].kind == dataset::RegionKind::background;
  }

  train::LoopOptions loop_options() const {
    train::LoopOptions loop;
    loop.batch = options_.batch;
    const int64_t epoch = std::max<int64_t>(1, regions_.size() / options_.batch);
    loop.steps = options_.steps.value_or(epoch * options_.epochs.value_or(kEpochs));
    loop.learning_rate = options_.learning_rate;
    loop.weight_decay = options_.weight_decay;
    loop.clip_norm = 0;
    loop.warmup_steps = loop.steps / 20;
    loop.evaluate_every = epoch;
    loop.checkpoint_every = options_.checkpoint_every;
    loop.keep = 1;
    loop.seed = options_.seed;
    loop.ranks = options_.ranks;
    loop.threads = options_.run.threads;
    return loop;
  }

  /// Counts start at the mean of their logarithms.
  model::Parameters start() const {
    auto parameters = initialise(config_, options_.seed);
    double sum = 0;
    for (const int64_t row : epoch_) sum += std::log1p(data_.total(row));
    parameters.at(std::string(kModelHalf) + ".count.bias").fill_(sum / static_cast<double>(epoch_.size()));
    if (bias_) begin_bias(parameters);
    return parameters;
  }

  /// The bias model's weights, and its counts as many as background regions have: it may be of another depth.
  void begin_bias(model::Parameters& parameters) const {
    const auto weights = model::load_arrays(bias_->weights_path(), parameter_shapes(bias_->config));
    const std::string own = bias_->config.halves.front().name;
    for (const auto& [name, value] : weights) parameters.at(kBiasHalf + name.substr(own.size())) = value.clone();
    const auto& rows = regions_.background();
    if (rows.empty())
      fail(options_.dataset, ": has no background regions in training, by which --bias is fitted to its depth");
    const profile::ProfileNetwork bias(bias_->config, weights, placement_, bias_->path);
    std::vector<double> missing(rows.size());
    const model::OneThreadPerOperation guard;
    parallel_for(std::ssize(rows), placement_.streams(), [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      const auto bases = data_.rows.sequence(data_.dataset.window_of(rows[at]));
      missing[at] = std::log1p(data_.total(rows[at])) - bias.predict(bases, profile::Part::whole).log_counts;
    });
    const double shift = metrics::mean(missing);
    parameters.at(std::string(kBiasHalf) + ".count.bias").add_(shift);
    log::info(options_.profile.bias, ": logarithms of its counts are moved by ", shift, " to the mean of ",
              counted(rows.size(), "background region"));
  }

  train::TrainingTask task() const {
    train::TrainingTask task;
    task.pad_id = model::kUnknownBase;
    task.example = [this](int64_t index) { return regions_.example(options_.seed, index); };
    task.forward = [this](const model::Parameters& parameters, const model::Batch& batch, const train::Totals& totals,
                          uint64_t) {
      const at::Tensor letters = model::letters_of(batch.ids, at::kFloat);
      ProfileHeads heads = heads_of(config_, config_.halves.front(), parameters, letters);
      if (bias_) heads = sum_of(heads, frozen_bias(parameters, letters));
      const at::Tensor profile = profile_loss(heads.logits, batch.targets).sum(),
                       counts = count_loss(heads.log_counts, batch.targets).sum();
      const auto examples = static_cast<double>(batch.size());
      return train::StepResult{
          (profile + count_weight_ * counts) / static_cast<double>(totals.examples), [profile, counts, examples] {
            return std::map<std::string, train::Mean>{{"profile_loss", {profile.item<double>(), examples}},
                                                      {"count_loss", {counts.item<double>(), examples}}};
          }};
    };
    task.shown = {"profile_loss", "count_loss"};
    task.rate_factor = [](const std::string& name) { return is_bias(name) ? 0. : 1.; };
    if (validation_.empty()) return task;
    task.evaluate = [this](const model::Parameters& parameters) { return validate(parameters); };
    task.best_metric = "validation_loss";
    return task;
  }

  ProfileHeads frozen_bias(const model::Parameters& parameters, const at::Tensor& letters) const {
    const c10::NoGradGuard no_grad;
    return heads_of(config_, config_.halves.back(), parameters, letters);
  }

  std::map<std::string, double> validate(const model::Parameters& parameters) const {
    const profile::ProfileNetwork network(config_, parameters, placement_, options_.output);
    const size_t count = validation_.size();
    std::vector<double> profiles(count), counts(count);
    std::vector<float> observed(count), expected(count);
    const model::OneThreadPerOperation guard;
    parallel_for(std::ssize(validation_), placement_.streams(), [&](int64_t place) {
      const c10::NoGradGuard no_grad;
      const auto i = static_cast<size_t>(place);
      const int64_t row = validation_[i];
      auto prediction = network.predict(data_.rows.sequence(data_.dataset.window_of(row)), profile::Part::whole);
      auto reads = data_.dataset.counts(row);
      const at::Tensor of_bases = at::from_blob(reads.data(), {1, std::ssize(reads)}),
                       logits = at::from_blob(prediction.logits.data(), {1, std::ssize(prediction.logits)});
      profiles[i] = profile_loss(logits, of_bases).item<double>();
      observed[i] = static_cast<float>(data_.total(row));
      expected[i] = expected_count(prediction.log_counts);
      const double error = std::log1p(observed[i]) - prediction.log_counts;
      counts[i] = error * error;
    });
    const double profile = metrics::mean(profiles), of_counts = metrics::mean(counts);
    return {{"validation_loss", profile + count_weight_ * of_counts},
            {"validation_profile_loss", profile},
            {"validation_count_loss", of_counts},
            {"validation_pearson", metrics::CountPairs(observed, expected, {}, 1).pearson_log1p()}};
  }

  std::string plan() const {
    train::LoopOptions part = loop_;  // of this rank; the others are assumed to be as fast
    part.batch = (loop_.batch + ranks_.size() - 1) / ranks_.size();
    const auto own = task();
    std::vector<corpus::Example> examples;
    for (int64_t i = 0; i < part.batch; ++i) examples.push_back(own.example(i));
    const auto measured = train::measure_steps(own, start(), examples, part, placement_.device);
    const double seconds = static_cast<double>(loop_.steps) * measured.seconds_per_step;
    return concat("data: ", counted(regions_.size(), "region"), " per epoch, ", validation_.size(), " of validation, ",
                  data_.rows.of(dataset::Split::test).size(),
                  " of the test\nmodel: ", log::human(static_cast<double>(parameter_count(config_))), "parameters, ",
                  config_.window, " bp read, ", config_.strands, " x ", config_.output,
                  " bp predicted\ntraining: ", counted(loop_.steps, "step"), " of ", loop_.batch,
                  "\nspeed: ", 1 / measured.seconds_per_step, " steps per second on ", placement_.device.str(),
                  " with ", counted(loop_.threads, "thread"), ": about ", log::duration(seconds),
                  ", and the validations\nmemory: ", log::human(static_cast<double>(measured.peak_memory)), "B now\n");
  }

  /// Multiplies the model's own expected counts so that the expected reads of the validation regions are as many as the
  /// observed ones, in peaks or tiles where there are any. Squared errors of logarithms fit a geometric mean, which is
  /// less. The bias model stays as it is.
  void calibrate_total(model::Parameters& parameters) const {
    std::vector<int64_t> rows = validation_;
    std::erase_if(rows, [&](int64_t row) { return is_background(row); });
    if (rows.empty()) rows = validation_;
    if (rows.empty()) return;
    const profile::ProfileNetwork network(config_, parameters, placement_, options_.output);
    std::vector<double> own(rows.size()), others(rows.size()), observed(rows.size());
    const model::OneThreadPerOperation guard;
    parallel_for(std::ssize(rows), placement_.streams(), [&](int64_t place) {
      const auto i = static_cast<size_t>(place);
      const auto bases = data_.rows.sequence(data_.dataset.window_of(rows[i]));
      const auto counts = [&](profile::Part part) { return std::exp(network.predict(bases, part).log_counts); };
      observed[i] = data_.total(rows[i]);
      own[i] = counts(profile::Part::model);
      others[i] = (bias_ ? counts(profile::Part::bias) : 0) - 1;  // the logarithm is that of 1 + reads
    });
    const double factor = (metrics::mean(observed) - metrics::mean(others)) / metrics::mean(own);
    if (!(factor > 0) || std::isinf(factor)) return;
    auto& bias = parameters.at(std::string(kModelHalf) + ".count.bias");
    bias = bias + std::log(factor);
    log::info("expected counts are multiplied by ", factor, ", so that ", counted(rows.size(), "validation region"),
              " have as many reads as observed");
  }

  void write_model(const train::RunResult& result) {
    model::Parameters parameters;
    for (const auto& [name, value] : result.parameters) parameters[name] = value.detach().cpu();
    calibrate_total(parameters);
    run_.begin_model(parameters, options_.seed);
    auto& manifest = run_.manifest;
    manifest.details["count_weight"] = count_weight_;
    if (bias_) manifest.add_input(bias_->weights_path());
    run_.record_training(regions_.all(), {}, bias_ ? bias_->training_intervals() : genome::IntervalSet());
    model_folder::write_profile_folder(run_.model(), config_, manifest);
  }

  std::string evaluate_test() {
    if (data_.rows.of(dataset::Split::test).empty()) {
      log::warn(options_.dataset, ": has no test examples, so ", options_.output, "/metrics.tsv is empty");
      io::write_file(options_.output + "/metrics.tsv", "");
      return "";
    }
    const profile::ProfileNetwork network(ProfileFolder::open(run_.model()), placement_);
    evaluation::EvaluationOptions options;
    options.seed = options_.seed;
    options.seen = run_.seen_test_rows;
    options.threads = options_.run.threads;
    const auto result = evaluate_profiles(data_, network, options_.baseline, options);
    evaluation::write_report(result, options_.output);
    return result.table;
  }

  const training::TrainOptions& options_;
  const ProfileData data_;
  const session::Placement placement_;
  train::Ranks ranks_;
  const std::optional<ProfileFolder> bias_;
  const ProfileConfig config_;
  const TrainingRegions regions_;
  const std::vector<int64_t> epoch_, validation_;
  const double count_weight_;
  const train::LoopOptions loop_;
  training::RunFolder run_{options_.output, data_.rows};
};

}  // namespace

std::string train_profile(const training::TrainOptions& options) {
  profile::refuse_bf16(options.run, options.dataset);
  return training::run_training<ProfileTraining>(options, "train");
}

}  // namespace bigdna::profile_training
