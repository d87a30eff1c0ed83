#include "classification/finetune.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "io/job.h"
#include "io/lines.h"
#include "model/parameters.h"
#include "model_folder/architecture.h"
#include "classification/base_branch.h"
#include "classification/evaluation.h"
#include "classification/fitted_head.h"
#include "classification/table_evaluation.h"
#include "classification/words.h"
#include "train/rank_setup.h"
#include "train/checkpoint.h"
#include "train/learning_curve.h"

namespace bigdna::classification {

namespace {
using dataset::Split;

/// Versions before 0.2 recorded values that they had worked out, not what was asked for.
void refuse_older_record(const std::string& path) {
  if (std::filesystem::exists(path) && io::Job::load(path).values().contains("dataset_md5"))
    fail(path, ": the run was begun by an older version of bigdna, and its options cannot be compared ",
         "(--force starts over)");
}

train::TrainOptions train_options(const FinetuneOptions& options, const model_folder::ModelConfig& config,
                                  int64_t rows) {
  train::TrainOptions train;
  const int64_t epoch = std::max<int64_t>(1, rows / options.batch);
  train.steps = options.steps.value_or(epoch * options.epochs);
  train.batch = options.batch;
  const int64_t longest = std::min(options.max_length.value_or(config.max_length), config.max_length);
  train.micro_batch = std::clamp<int64_t>(options.run.batch_tokens / longest, 1, options.batch);
  train.learning_rate = learning_rate(options, config);
  train.weight_decay = options.weight_decay;
  train.checkpoint_every = options.checkpoint_every;
  train.keep = 1;
  train.evaluate_every =
      options.evaluations ? std::max<int64_t>(1, train.steps / options.evaluations) : epoch;
  train.patience = options.patience.value_or(trains_branch_alone(options, config) ? 0 : FinetuneOptions::kPatience);
  train.ranks = options.ranks;
  train.seed = options.seed;
  train.threads = options.run.threads;
  return train;
}

/// Warns where the encoder has been trained on what is to be tested.
void warn_of_leakage(const genome::IntervalSet& seen, const TaskRows& data) {
  if (seen.empty()) return;
  const auto test = data.of(Split::test);
  if (const int64_t met = data.count_on(seen, test))
    log::warn(met, " of ", test.size(),
              " test rows lie on sequence that the model was trained on (bigdna dataset --split-like MODEL "
              "avoids it)");
}
/// A head that adds nothing to the words: weights 0, and the odds that a weight of positives adds, which the words
/// leave to it.
void start_from_zero(const model_folder::ModelConfig& config, model::Parameters& parameters,
                     const std::vector<double>& weights) {
  const std::string head(model_folder::architecture(config).task_output);
  auto& weight = parameters.at(head + ".weight");
  weight = at::zeros_like(weight);
  parameters.at(head + ".bias") = at::tensor(weights).to(at::kFloat).log();
}

/// The encoder's share of each group of features.
void log_shares(const std::map<std::string, double>& shares) {
  std::string text;
  for (const auto& [group, share] : shares)
    text += concat(text.empty() ? "" : ", ", share, shares.size() > 1 ? " for " + group : "");
  log::info("logit = words + ", text, " x encoder");
}
}  // namespace

std::string finetune(const FinetuneOptions& asked) {
  FinetuneOptions options = asked;
  const train::Launch launch = train::launch_from_environment();
  train::configure_log(launch, "finetune " + options.task);
  if (options.existing == io::Existing::resume && io::is_complete(options.output, "run"))
    return io::read_file(options.output + "/metrics.tsv");
  const auto source = model_folder::ModelFolder::open(options.model);
  source.check_reads_sequences();
  const TaskRows data = options.task == "promoter" ? promoter_rows(options.dataset)
                        : options.task == "chromatin"
                            ? chromatin_rows(options.dataset, options.genome, options.upstream, options.downstream)
                            : table_rows(options.dataset);
  using dataset::LabelType;
  auto config = source.config;
  config.head = options.task;
  config.head_kind = options.head_kind;
  config.pool = options.pool;
  config.labels = data.labels();
  config.bases = options.bases.value_or(options.words ? FinetuneOptions::kBases : 0);
  // beside the branch the encoder learns nothing that lasts, and disturbs the branch (docs/benchmarks.md)
  options.rates.frozen = options.freeze.value_or(config.bases > 0 && !options.from_scratch ? config.layers : 0);
  if (options.rates.frozen > config.layers)
    throw UsageError(concat("--freeze ", options.rates.frozen, ": the model has ", config.layers, " layers"));
  const bool encoder_stays = options.rates.frozen == config.layers;
  if (encoder_stays && (options.rates.decay != 1 || options.recompute))
    throw UsageError(concat(options.recompute ? "--recompute" : "--layer-decay",
                            " has no effect on an encoder that stays as it is (--freeze 0 trains all of its layers)"));
  // a head that was fitted to the states of an encoder that stays as it is has nothing to learn but noise
  const bool head_fitted = config.head_kind == "linear" && !options.random_head;
  options.rates.head_factor = options.head_rate.value_or(encoder_stays && head_fitted && config.bases > 0 ? 0 : 1);
  if (encoder_stays && options.rates.head_factor == 0) {
    if (options.learning_rate)
      throw UsageError(
          "--learning-rate has no effect where encoder and head stay as they are (--head-rate 1 trains the head, "
          "--freeze 0 the encoder)");
    if (config.bases == 0)
      throw UsageError("--head-rate 0 leaves nothing to train (without --bases, of an encoder that stays as it is)");
  }
  if (options.dropout) config.dropout = config.attention_dropout = *options.dropout;
  model_folder::check(config);
  if (options.max_length && *options.max_length > config.max_length)
    throw UsageError(
        concat("--max-length ", *options.max_length, ": the model has ", config.max_length, " positions"));

  auto run = options.run;
  run.device = train::device_for(run.device, launch);
  const session::Placement placement(run);
  const session::SequenceReader reader(source.vocabulary, options.max_length.value_or(config.max_length),
                                       data.anchor());
  const auto train_rows = data.of(Split::train);
  const auto train = train_options(options, config, static_cast<int64_t>(train_rows.size()));
  train::Ranks ranks(launch, placement.device, options.ranks.timeout);
  train::check_batch(train, ranks);
  // reports bad input before anything is written
  const auto weights = data.type == LabelType::classes      ? class_weights(data, options.balanced_classes)
                       : data.type == LabelType::regression ? std::vector<double>(data.features.size(), 1)
                                                            : feature_weights(options, data.features);
  if (ranks.first()) {
    warn_of_leakage(source.training_intervals(), data);
    if (options.existing == io::Existing::resume) refuse_older_record(options.output + "/" + io::kJobFile);
    const std::vector<std::string> inputs{source.path, options.dataset, options.genome, options.feature_weights};
    io::prepare_output_folder({options.output, "run", options.existing, inputs});
  }
  log::info(train_rows.size(), " training rows, ", train.steps, " steps of ", train.batch, ", learning rate ",
            train.learning_rate, options.from_scratch ? ", from scratch" : "", ", seed ", options.seed);

  auto initial = options.from_scratch ? model::initialise(config, options.seed)
                                      : model::load_encoder(config, source.weights_path(), options.seed);
  const auto validation = data.of(Split::validation, options.validation_rows);
  std::optional<session::Session> encoder;
  std::optional<FrozenStates> states;
  const auto sequences =
      static_cast<int64_t>(train_rows.size() * (options.reverse_complement ? 2 : 1) + validation.size());
  if (encoder_stays && FrozenStates::fit(sequences, config.pooled_size())) {
    states.emplace(reader, encoder.emplace(config, initial, placement), data);
    states->add(train_rows);
    if (options.reverse_complement) states->add(train_rows, /*reversed=*/true);
    states->add(validation);
  }
  std::optional<FittedWords> fitted;
  if (options.words || options.baseline)
    if (ranks.first()) fitted = fit_words(data, options.run.threads);
  std::optional<StackedWords> words;
  const bool resumed = train::Checkpoints::any(options.output + "/checkpoints");
  const std::string words_path = options.output + "/words.cbor";
  if (ranks.first() && !resumed) {
    at::Tensor of_encoder;
    if (head_fitted) {
      const auto rows = fitted_rows(data);
      const auto pooled = states ? states->of(rows)
                                 : session::all_pooled(reader, session::Session(config, initial, placement),
                                                       data.bases_of(rows));
      of_encoder = fit_head(initial, config, pooled, data, weights, options.run.threads);
    } else if (options.words) {
      start_from_zero(config, initial, weights);
    }
    if (config.bases > 0) start_bases(initial, config, reader, data, options.seed);
    if (options.words) {
      StackedWords stacked(data, *fitted, of_encoder, weights);
      log_shares(stacked.shares);
      if (config.bases > 0) move_share_to_head(initial, config, stacked.model);
      io::write_file(words_path, stacked.bytes());
    }
  }
  if (options.words) words.emplace(ranks.broadcast(ranks.first() ? io::read_file(words_path) : "", /*patience=*/true));
  session::WordModel* word_model = words ? &words->model : nullptr;
  const auto task = finetune_task(config, reader, placement, data, options, weights, words ? &*words : nullptr,
                                  states ? &*states : nullptr);
  auto result = train::run(task, std::move(initial), train, options.output, placement.device, ranks);
  if (!ranks.first()) return "";
  train::draw_learning_curve(options.output, data.type == LabelType::regression ? "pearson" : "auroc");
  log::info("parameters of step ", result.best_step, " of ", result.steps, " kept");

  if (config.bases > 0 && !validation.empty()) {
    const auto chosen = choose_bases(result.parameters, config, reader, placement, data, validation, weights,
                                     word_model, states ? &*states : nullptr);
    keep_bases(chosen.kept, result.parameters, config, data, weights, word_model);
  }

  EvaluationOptions evaluation;
  evaluation.seed = options.seed;
  evaluation.threads = options.run.threads;
  const auto answers = data.answers(weights);
  const session::Session session(config, result.parameters, placement);
  const auto scored_with = [&](const session::WordModel* with) {
    return [&, with](const std::vector<int64_t>& rows) {
      auto probabilities =
          session::all_probabilities(reader, session, data.bases_of(rows), session::Strands::forward, with, answers);
      answers.correct(probabilities, data.labels());
      return std::vector<float>(probabilities.begin(), probabilities.end());
    };
  };
  Method method{"bigdna", scored_with(word_model)};
  if (options.task == "promoter")
    if (const auto validation = data.of(Split::validation); !validation.empty())
      method.threshold = choose_threshold(method.score(validation), data.labels_of(validation, 0));

  const std::string folder = options.output + "/model";
  io::prepare_output_folder({folder, "model", io::Existing::resume});
  model::save_weights(result.parameters, folder + "/model.safetensors");
  if (options.task != "promoter") dataset::write_features(folder + "/features.tsv", data.features);
  if (word_model) word_model->save(folder + "/" + model_folder::kWordsFile);
  io::Manifest manifest;
  manifest.kind = "model";
  manifest.seed = options.seed;
  manifest.add_input(source.weights_path());
  manifest.add_input(options.dataset + "/" + io::manifest_name("dataset"));
  auto& details = manifest.details;
  details["task"] = options.task;
  details["upstream"] = data.upstream;
  details["downstream"] = data.downstream;
  if (options.task == "table") details["label_type"] = dataset::label_type_name(data.type);
  answers.save(details);
  details["anchor"] = data.anchor();
  if (options.max_length) details["max_length"] = *options.max_length;
  if (options.task == "promoter") {
    details["threshold"] = method.threshold;
    details["negatives"] = data.negatives;
  }
  details["from_scratch"] = options.from_scratch;
  details["best_step"] = result.best_step;
  if (words) details["encoder_share"] = evaluation.encoder_share = words->shares;
  auto seen = options.from_scratch ? genome::IntervalSet() : source.training_intervals();
  for (const int64_t row : train_rows)
    if (const auto& region = data.regions[static_cast<size_t>(row)]; region.contig != dataset::kNowhere)
      seen.add(region);
  details[model_folder::kTrainingIntervals] = genome::to_json(seen);
  details[model_folder::kHeldOutIntervals] = genome::to_json(source.held_out_intervals());
  if (word_model) manifest.add_file(folder, model_folder::kWordsFile);
  model_folder::write_model_folder(folder, config, source.vocabulary, manifest);

  std::string table;
  if (!data.of(Split::test).empty()) {
    evaluation.scores = options.output + "/scores.tsv.gz";
    std::vector<Method> methods{method};
    if (options.baseline) {
      methods.push_back(words_method("kmers", data, fitted->model, options.run.threads));
      if (word_model) methods.push_back({"encoder", scored_with(nullptr), method.threshold});
      if (config.bases > 0)
        methods.push_back({"bases", [&](const std::vector<int64_t>& rows) {
                             const auto logits = session::all_base_logits(reader, session, data.bases_of(rows));
                             std::vector<double> values(logits.begin(), logits.end());
                             answers.apply(values, data.labels());
                             return std::vector<float>(values.begin(), values.end());
                           }});
      if (options.task == "table") methods.push_back(constant_method(data));
    }
    const auto scored = evaluate(data, methods, evaluation);
    table = scored.table;
    write_report(scored, options.output);
    if (!scored.feature_table.empty()) io::write_file(options.output + "/features.tsv", scored.feature_table);
  } else {
    log::warn(options.dataset, ": the test split is empty, so there are no metrics");
    io::write_file(options.output + "/metrics.tsv", "");
  }
  reader.report_truncated();
  manifest.kind = "run";
  manifest.save(options.output + "/" + io::manifest_name("run"));
  std::filesystem::remove(words_path);  // the model has them
  return table;
}

}  // namespace bigdna::classification
