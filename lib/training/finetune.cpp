#include "training/finetune.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "evaluation/baseline_methods.h"
#include "evaluation/evaluation.h"
#include "evaluation/own_baselines.h"
#include "io/folder.h"
#include "linear/calibration_fit.h"
#include "rows/dataset_rows.h"
#include "rows/row_parts.h"
#include "training/fitted_head.h"
#include "training/training_run.h"
#include "io/job.h"
#include "io/lines.h"
#include "io/output.h"
#include "model/parameters.h"
#include "model_folder/architecture.h"
#include "models/encoder_term.h"
#include "train/checkpoint.h"
#include "train/learning_curve.h"

namespace bigdna::training {

namespace {
using dataset::Split;

model_folder::ModelFolder pretrained(const std::string& path) {
  auto folder = model_folder::ModelFolder::open(path);
  folder.check_reads_sequences();
  return folder;
}

rows::TaskRows rows_of(const FinetuneOptions& options) {
  rows::TaskRows rows = rows::task_rows(dataset::task_of(options.task), options.dataset, options.genome,
                                        options.upstream, options.downstream);
  const auto types = rows.by_type();
  if (types.back().type == dataset::LabelType::counts) {
    if (!rows.both_strands())
      fail(options.dataset,
           ": its labels are counts, which encoders do not learn (bigdna train does; --label-type "
           "regression of bigdna dataset table makes them numbers)");
    if (types.size() == 1)
      fail(options.dataset, ": has tracks alone, and encoders are trained on peaks (bigdna train learns tracks)");
    log::warn(options.dataset, ": its ", counted(types.back().features.size(), "track is", "tracks are"),
              " not used: encoders are trained on peaks (bigdna train learns tracks)");
    rows.keep_features(types.front().features);
  }
  if (!dataset::features_of_other_strand(rows.features).empty())
    fail(options.dataset,
         ": has features of one strand (--start-sites), which these models cannot distinguish from features of the "
         "other strand; use bigdna train");
  return rows;
}

/// A head that adds nothing to the k-mers: weights 0, and the odds that a weight of positives adds, which the k-mers
/// leave to it.
void start_from_zero(const model_folder::ModelConfig& config, model::Parameters& parameters,
                     const std::vector<double>& weights) {
  const std::string head(model_folder::architecture(config).task_output);
  auto& weight = parameters.at(head + ".weight");
  weight = at::zeros_like(weight);
  parameters.at(head + ".bias") = at::tensor(weights).to(at::kFloat).log();
}

/// Logs the weights of encoder and kernel model, of each group of features.
void log_weights(const linear::StackedKmers& kmers) {
  log::info("logit = k-mers + ", linear::text_by_group(kmers.encoder_weights), " x encoder",
            !kmers.kernel_weights.empty()
                ? concat(" + ", linear::text_by_group(kmers.kernel_weights), " x kernel model")
                : "");
}

void log_calibration(const models::Calibration& calibration, const std::vector<std::string>& groups, size_t rows) {
  std::map<std::string, double> scales;
  for (size_t f = 0; f < groups.size(); ++f) scales[groups[f]] = calibration.scale[f];
  log::info("calibrated on ", counted(rows, "validation example"), ": logits scaled by ",
            linear::text_by_group(scales));
}

/// One run, stage by stage.
class Finetuning {
 public:
  Finetuning(const FinetuneOptions& options, const train::RankLaunch& launch, const session::Placement& placement)
      : options_(options),
        source_(pretrained(options.model)),
        data_(rows_of(options)),
        plan_(plan_finetuning(options, source_.config, data_)),
        placement_(placement),
        reader_(source_.vocabulary, plan_.longest, data_.anchor()),
        ranks_(launch, placement_.device, options.ranks.timeout),
        train_rows_(data_.of(Split::train)),
        validation_(data_.of(Split::validation, options.validation_rows)),
        link_(data_.link(plan_.weights)) {
    train::check_batch(plan_.train, ranks_);
  }

  /// Returns the table of the metrics.
  std::string operator()() {
    make_folder();
    begin();
    train();
    if (!ranks_.first()) return "";
    calibrate();
    const evaluation::Method method = finished_method();
    write_model(method);
    const std::string table = evaluate_test(method);
    reader_.report_truncated();
    run_.finish();
    io::remove_leftover(kmers_path());  // the model has them
    return table;
  }

 private:
  std::string kmers_path() const { return options_.output + "/kmers.msgpack"; }
  models::KmerModel* kmer_model() { return kmers_ ? &kmers_->model : nullptr; }

  void make_folder() {
    if (ranks_.first()) {
      if (!options_.from_scratch) rows::warn_of_leakage(source_, data_);
      const std::vector<std::string> inputs{source_.path, options_.dataset, options_.genome, options_.feature_weights};
      io::prepare_output_folder({options_.output, "run", options_.existing, inputs});
    }
    if (plan_.trains)
      log::info(counted(train_rows_.size(), "training example"), ", ", counted(plan_.train.steps, "step"), " of ",
                plan_.train.batch, ", learning rate ", plan_.train.learning_rate,
                options_.from_scratch ? ", from scratch" : "", ", seed ", options_.seed);
    else
      log::info(counted(train_rows_.size(), "training example"), ": the encoder stays as it is (--epochs trains it), ",
                "seed ", options_.seed);
  }

  /// The parameters that training starts from, and the k-mers beside them.
  void begin() {
    const log::Progress stage("k-mers and the head's start");
    parameters_ = options_.from_scratch ? model::initialise(plan_.config, options_.seed)
                                        : model::load_encoder(plan_.config, source_.weights_path(), options_.seed);
    keep_states();
    if (ranks_.first() && (options_.kmers || options_.baseline))
      fitted_ = linear::fit_kmers(data_, options_.run.threads, options_.kmers && options_.reverse_complement);
    if (ranks_.first() && !train::Checkpoints::any(options_.output + "/checkpoints")) fit_start();
    if (options_.kmers)
      kmers_.emplace(ranks_.broadcast(ranks_.first() ? io::read_file(kmers_path()) : "", /*patience=*/true));
  }

  /// Where the encoder stays as it is, it reads each row once: all that are trained on, or those that are fitted.
  void keep_states() {
    if (!plan_.trains && !ranks_.first()) return;  // rank 0 fits alone
    const auto sequences =
        static_cast<int64_t>(train_rows_.size() * (options_.reverse_complement ? 2 : 1) + validation_.size());
    if (!plan_.encoder_stays || !FrozenStates::fit(sequences, plan_.config.pooled_size())) return;
    states_.emplace(reader_, encoder_.emplace(plan_.config, parameters_, placement_, source_.path), data_);
    const auto rows = plan_.trains ? train_rows_ : linear::fitted_rows(data_);
    states_->add(rows);
    if (options_.reverse_complement) states_->add(rows, /*reversed=*/true);
    states_->add(validation_);
  }

  std::vector<float> pooled_states(const std::vector<int64_t>& rows) const {
    const session::Session session(plan_.config, parameters_, placement_, source_.path);
    return rows::in_row_parts("reading rows", rows, [&](const std::vector<int64_t>& part) {
      return models::all_pooled(reader_, session, data_.bases_of(part));
    });
  }

  /// Fits the head, chooses the encoder's weight beside the k-mers, and writes both to kmers_path().
  void fit_start() {
    const auto& config = plan_.config;
    at::Tensor of_encoder;
    std::optional<linear::KernelFit> kernel;
    if (plan_.head_fitted) {
      const auto rows = linear::fitted_rows(data_);
      const auto pooled = states_ ? states_->of(rows) : pooled_states(rows);
      of_encoder = fit_head(parameters_, config, pooled, data_, plan_.weights, options_.run.threads);
      if (plan_.kernel && !states_)
        log::warn("without a kernel model: the states of all examples would take more than 1 GiB");
      if (plan_.kernel && states_) {
        std::vector<linear::KernelRows> readings;
        for (const auto& values : fitted_->values)
          readings.push_back({values, at::tensor(states_->of(rows, /*reversed=*/!readings.empty()), at::kFloat)
                                          .view({-1, config.pooled_size()})});
        kernel = linear::fit_kernel(readings, data_.label_matrix(rows), data_.folds_of(rows), data_.type, options_.seed,
                                    options_.run.threads);
      }
    } else if (options_.kmers) {
      start_from_zero(config, parameters_, plan_.weights);
    }
    if (!options_.kmers) return;
    fitted_->values.clear();
    linear::StackedKmers stacked(data_, *fitted_, of_encoder, kernel ? &*kernel : nullptr, plan_.weights);
    log_weights(stacked);
    if (plan_.trains && std::ranges::all_of(stacked.model.base_weight, [](float weight) { return weight == 0; }))
      log::warn(
          "the encoder adds nothing to the k-mers, so training changes no prediction (--no-kmers trains the "
          "encoder alone)");
    io::write_file(kmers_path(), stacked.bytes());
  }

  void train() {
    if (!plan_.trains) return;
    const ModelParts parts{
        plan_.config, reader_, placement_, data_, plan_.weights, kmer_model(), states_ ? &*states_ : nullptr};
    const auto task = finetune_task(parts, plan_, options_, kmers_ ? &*kmers_ : nullptr);
    auto result = train::run(task, std::move(parameters_), plan_.train, options_.output, placement_.device, ranks_);
    if (!ranks_.first()) return;
    train::draw_learning_curve(options_.output, data_.type == dataset::LabelType::regression ? "pearson" : "auroc");
    log::info("keeping the parameters of step ", result.best_step, " of ", result.steps);
    best_step_ = result.best_step;
    parameters_ = std::move(result.parameters);
  }

  std::vector<float> validation_states() const { return states_ ? states_->of(validation_) : std::vector<float>(); }

  /// Calibrates the model, and in the same way what it is compared with.
  void calibrate() {
    const log::Progress stage("calibration");
    if (!validation_.empty()) {
      const session::Session session(plan_.config, parameters_, placement_);
      const models::Sum sum = models::encoder_sum(reader_, session, kmer_model());
      const auto logits = rows::in_row_parts("validation examples", validation_, [&](const auto& rows) {
        return sum.all_logits(data_.bases_of(rows), session::Strands::forward, placement_.streams(),
                              states_ ? states_->of(rows) : std::vector<float>());
      });
      std::vector<double> values(logits.begin(), logits.end());
      models::take_weights(values, link_);
      const auto calibration = evaluation::calibration_of(values, data_, validation_);
      linear::fold(calibration, plan_.weights, parameters_, plan_.config, kmer_model());
      log_calibration(calibration, data_.groups(), validation_.size());
    }
    trained_.emplace(plan_.config, parameters_, placement_);
    baselines_.emplace(data_, validation_, session::Strands::forward, validation_states(),
                       models::Baselines(reader_, *trained_, link_, fitted_ ? &fitted_->model : nullptr));
    if (fitted_) baselines_->add("kmers");
    const std::string head(model_folder::architecture(plan_.config).task_output);
    if (kmers_)
      baselines_->add("encoder",
                      parameters_.at(head + ".weight").cpu() * at::tensor(kmers_->model.base_weight).unsqueeze(1));
    if (data_.task->constant_baseline) baselines_->add("constant");
  }

  /// The model that training has left, with its threshold.
  evaluation::Method finished_method() {
    evaluation::Method method{"bigdna", [this](const auto& rows) {
                                const auto logits = models::encoder_sum(reader_, *trained_, kmer_model())
                                                        .all_logits(data_.bases_of(rows), session::Strands::forward,
                                                                    placement_.streams());
                                std::vector<double> values(logits.begin(), logits.end());
                                link_.apply(values, data_.labels());
                                link_.correct(values, data_.labels());
                                return std::vector<float>(values.begin(), values.end());
                              }};
    method.threshold = evaluation::threshold_of(data_, method.score);
    return method;
  }

  void write_model(const evaluation::Method& method) {
    auto& manifest = run_.manifest;
    manifest.add_input(source_.weights_path());
    run_.begin_model(parameters_, options_.seed);
    const std::string folder = run_.model();
    if (kmers_) kmers_->model.save(folder + "/" + model_folder::kKmersFile);
    if (fitted_) fitted_->model.save(folder + "/" + model_folder::kKmerBaselineFile);
    auto& details = manifest.details;
    data_.describe(link_, method.threshold, details);
    if (options_.max_length) details["max_length"] = *options_.max_length;
    details["from_scratch"] = options_.from_scratch;
    if (plan_.trains) details["best_step"] = best_step_;
    details["baselines"] = baselines_->json();
    if (kmers_) details["encoder_weight"] = kmers_->encoder_weights;
    if (kmers_ && !kmers_->kernel_weights.empty()) details["kernel_weight"] = kmers_->kernel_weights;
    std::vector<const model_folder::ModelFolder*> from;
    if (!options_.from_scratch) from.push_back(&source_);
    const auto seen = run_.record_training(train_rows_, from);
    details[model_folder::kHeldOutIntervals] = genome::to_json(genome::without(source_.held_out_intervals(), seen));
    if (kmers_) manifest.add_file(folder, model_folder::kKmersFile);
    if (fitted_) manifest.add_file(folder, model_folder::kKmerBaselineFile);
    if (data_.task->named_outputs) manifest.add_file(folder, "features.tsv");
    model_folder::write_model_folder(folder, plan_.config, source_.vocabulary, manifest);
  }

  std::string evaluate_test(const evaluation::Method& method) {
    evaluation::EvaluationOptions evaluation;
    evaluation.seed = options_.seed;
    evaluation.seen = run_.seen_test_rows;
    evaluation.threads = options_.run.threads;
    if (kmers_) evaluation.encoder_weight = kmers_->encoder_weights;
    if (kmers_) evaluation.kernel_weight = kmers_->kernel_weights;
    std::vector<evaluation::Method> methods{method};
    if (options_.baseline)
      for (auto& other : baselines_->methods()) methods.push_back(std::move(other));
    return evaluation::evaluate_run(options_.output, data_, methods, evaluation);
  }

  const FinetuneOptions& options_;
  const model_folder::ModelFolder source_;
  const rows::TaskRows data_;
  const FinetunePlan plan_;
  const session::Placement placement_;
  const session::SequenceReader reader_;
  train::Ranks ranks_;
  const std::vector<int64_t> train_rows_, validation_;
  const models::Link link_;

  model::Parameters parameters_;                       // before training, and after it
  std::optional<session::Session> encoder_, trained_;  // with these
  std::optional<FrozenStates> states_;
  std::optional<linear::FittedKmers> fitted_;  // rank 0
  std::optional<linear::StackedKmers> kmers_;  // of the model
  std::optional<evaluation::OwnBaselines> baselines_;
  int64_t best_step_ = 0;
  RunFolder run_{options_.output, data_};
};
}  // namespace

std::string finetune(const FinetuneOptions& options) { return run_training<Finetuning>(options, "finetune"); }

}  // namespace bigdna::training
