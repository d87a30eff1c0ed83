#include "training/finetune.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "evaluation/baseline_methods.h"
#include "evaluation/evaluation.h"
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
    fit_baselines();
    write_model(method);
    const std::string table = evaluate_test(method);
    reader_.report_truncated();
    run_.finish();
    return table;
  }

 private:
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
      log::info(counted(train_rows_.size(), "training example"), ": the encoder stays as it is, seed ", options_.seed);
  }

  /// The parameters that training starts from.
  void begin() {
    const log::Progress stage("the head's start");
    parameters_ = options_.from_scratch ? model::initialise(plan_.config, options_.seed)
                                        : model::load_encoder(plan_.config, source_.weights_path(), options_.seed);
    keep_states();
    const bool starts = ranks_.first() && !train::Checkpoints::any(options_.output + "/checkpoints");
    if (starts && plan_.head_fitted) fit_start();
  }

  /// Where the encoder stays as it is, it reads each row once: all that are trained on, or those that are fitted.
  void keep_states() {
    if (!plan_.trains && !ranks_.first()) return;  // rank 0 fits alone
    const auto calibrated = evaluation::calibration_rows(data_);
    const auto sequences = static_cast<int64_t>(train_rows_.size() * (options_.reverse_complement ? 2 : 1) +
                                                validation_.size() + calibrated.size());
    if (!plan_.encoder_stays || !FrozenStates::fit(sequences, plan_.config.pooled_size())) return;
    states_.emplace(reader_, encoder_.emplace(plan_.config, parameters_, placement_, source_.path), data_);
    const auto rows = plan_.trains ? train_rows_ : linear::fitted_rows(data_);
    states_->add(rows);
    if (options_.reverse_complement) states_->add(rows, /*reversed=*/true);
    states_->add(validation_);
    states_->add(calibrated);
  }

  std::vector<float> pooled_states(const std::vector<int64_t>& rows) const {
    const session::Session session(plan_.config, parameters_, placement_, source_.path);
    return rows::in_row_parts("reading rows", rows, [&](const std::vector<int64_t>& part) {
      return models::all_pooled(reader_, session, data_.bases_of(part));
    });
  }

  void fit_start() {
    const auto rows = linear::fitted_rows(data_);
    fit_head(parameters_, plan_.config, states_ ? states_->of(rows) : pooled_states(rows), data_, plan_.weights,
             options_.run.threads);
  }

  void train() {
    if (!plan_.trains) return;
    const ModelParts parts{plan_.config, reader_, placement_, data_, plan_.weights, states_ ? &*states_ : nullptr};
    const auto task = finetune_task(parts, plan_, options_);
    auto result = train::run(task, std::move(parameters_), plan_.train, options_.output, placement_.device, ranks_);
    if (!ranks_.first()) return;
    train::draw_learning_curve(options_.output, data_.type == dataset::LabelType::regression ? "pearson" : "auroc");
    log::info("keeping the parameters of step ", result.best_step, " of ", result.steps);
    best_step_ = result.best_step;
    parameters_ = std::move(result.parameters);
  }

  /// Calibrates the model, and in the same way what it is compared with.
  void calibrate() {
    const log::Progress stage("calibration");
    const auto calibrated = evaluation::calibration_rows(data_);
    if (!calibrated.empty()) {
      const session::Session session(plan_.config, parameters_, placement_);
      const models::Sum sum = models::encoder_sum(reader_, session);
      const auto logits = rows::in_row_parts("validation examples", calibrated, [&](const auto& rows) {
        return sum.all_logits(data_.bases_of(rows), session::Strands::forward, placement_.streams(),
                              states_ ? states_->of(rows) : std::vector<float>());
      });
      std::vector<double> values(logits.begin(), logits.end());
      for (size_t i = 0; i < values.size(); ++i) values[i] -= std::log(link_.weights[i % link_.weights.size()]);
      const auto calibration = evaluation::calibration_of(values, data_, calibrated);
      linear::fold(calibration, plan_.weights, parameters_, plan_.config);
      log_calibration(calibration, data_.groups(), calibrated.size());
    }
    trained_.emplace(plan_.config, parameters_, placement_);
  }

  /// The model that training has left, with its threshold.
  evaluation::Method finished_method() {
    evaluation::Method method{"bigdna", [this](const auto& rows) {
                                const auto logits = models::encoder_sum(reader_, *trained_)
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

  /// What the model is compared with.
  void fit_baselines() {
    if (!options_.baseline) return;
    const log::Progress stage("kmers (--no-baseline leaves them out)");
    auto fitted =
        evaluation::fitted_kmers(data_, linear::kmer_counts(data_), options_.reverse_complement, options_.run.threads);
    kmers_ = std::make_shared<const models::KmerModel>(std::move(fitted.model));
    baselines_.push_back(
        evaluation::kmer_method("kmers", kmers_, data_, session::Strands::forward, options_.run.threads));
  }

  void write_model(const evaluation::Method& method) {
    auto& manifest = run_.manifest;
    manifest.add_input(source_.weights_path());
    run_.begin_model(parameters_, options_.seed);
    const std::string folder = run_.model();
    if (kmers_) kmers_->save(folder + "/" + model_folder::kKmerBaselineFile);
    auto& details = manifest.details;
    data_.describe(link_, method.threshold, details);
    if (options_.max_length) details["max_length"] = *options_.max_length;
    details["from_scratch"] = options_.from_scratch;
    if (plan_.trains) details["best_step"] = best_step_;
    if (auto baselines = evaluation::baselines_json(baselines_, data_); !baselines.empty())
      details["baselines"] = std::move(baselines);
    std::vector<const model_folder::ModelFolder*> from;
    if (!options_.from_scratch) from.push_back(&source_);
    const auto seen = run_.record_training(train_rows_, from);
    details[model_folder::kHeldOutIntervals] = genome::to_json(genome::without(source_.held_out_intervals(), seen));
    if (kmers_) manifest.add_file(folder, model_folder::kKmerBaselineFile);
    if (data_.task->named_outputs) manifest.add_file(folder, "features.tsv");
    model_folder::write_model_folder(folder, plan_.config, source_.vocabulary, manifest);
  }

  std::string evaluate_test(const evaluation::Method& method) {
    evaluation::EvaluationOptions evaluation;
    evaluation.seed = options_.seed;
    evaluation.seen = run_.seen_test_rows;
    evaluation.threads = options_.run.threads;
    std::vector<evaluation::Method> methods{method};
    methods.insert(methods.end(), baselines_.begin(), baselines_.end());
    if (options_.baseline && data_.task->constant_baseline) methods.push_back(evaluation::constant(data_));
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
  std::shared_ptr<const models::KmerModel> kmers_;  // that it is compared with
  std::vector<evaluation::Method> baselines_;
  int64_t best_step_ = 0;
  RunFolder run_{options_.output, data_};
};
}  // namespace

std::string finetune(const FinetuneOptions& options) { return run_training<Finetuning>(options, "finetune"); }

}  // namespace bigdna::training
