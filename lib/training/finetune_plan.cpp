#include "training/finetune_plan.h"

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "training/label_weights.h"
#include "model_folder/stack.h"

namespace bigdna::training {

namespace {

int64_t steps_of(const FinetuneOptions& options, int64_t epoch) {
  return options.steps.value_or(epoch * options.epochs.value_or(FinetuneOptions::kEpochs));
}

/// Options of the loss that labels of this type do not have.
void refuse_options_of_other_labels(const FinetuneOptions& options, dataset::LabelType type) {
  using dataset::LabelType;
  const auto refuse = [&](const char* option, const char* labels) {
    throw UsageError(
        concat(option, " has no effect on labels of the type ", dataset::label_type_name(type), ", only on ", labels));
  };
  const bool classes = type == LabelType::classes, numbers = type == LabelType::regression;
  if (options.balanced_classes && !classes) refuse("--class-weights", "classes");
  if (options.huber && !numbers) refuse("--loss", "regression");
  if (options.positive_weight.value_or(1) != 1 && (classes || numbers))
    refuse("--positive-weight", "binary and multilabel");
}

void refuse_options_without_effect(const FinetuneOptions& options, const FinetunePlan& plan) {
  if (options.random_head && plan.config.head_kind != "linear")
    throw UsageError("--random-head has no effect on --head classification, which is never fitted");
  if (options.recompute && !plan.encoder_stays) model_folder::check_recompute(plan.config);
  const FinetuneOptions defaults;
  const std::pair<const char*, bool> of_layers[]{{"--layer-decay", options.layer_decay != defaults.layer_decay},
                                                 {"--recompute", options.recompute}},
      of_training[]{{"--batch", options.batch != defaults.batch},
                    {"--learning-rate", options.learning_rate.has_value()},
                    {"--head-rate", options.head_rate != defaults.head_rate},
                    {"--freeze", options.freeze != defaults.freeze},
                    {"--weight-decay", options.weight_decay != defaults.weight_decay},
                    {"--dropout", options.dropout.has_value()},
                    {"--evaluations", options.evaluations != defaults.evaluations},
                    {"--validation-rows", options.validation_rows != defaults.validation_rows},
                    {"--checkpoint-every", options.checkpoint_every != defaults.checkpoint_every},
                    {"--shard-optimiser", options.ranks.shard_optimiser},
                    {"--patience", options.patience != defaults.patience},
                    {"--reverse-complement", options.reverse_complement},
                    {"--loss", options.huber},
                    {"--class-weights", options.balanced_classes},
                    {"--feature-weights", !options.feature_weights.empty()},
                    {"--positive-weight", options.positive_weight.has_value()}};
  const auto refuse = [](const auto& list, const char* why) {
    for (const auto& [name, given] : list)
      if (given) throw UsageError(concat(name, " has no effect ", why));
  };
  if (plan.encoder_stays) refuse(of_layers, "on an encoder that is not trained");
  if (!plan.trains) refuse(of_training, "without training (--epochs 0)");
  if (!plan.trains && !plan.head_fitted)
    throw UsageError("nothing is trained with --epochs 0, and this head is never fitted");
  if (plan.trains && plan.encoder_stays && plan.rates.head_factor == 0)
    throw UsageError("--head-rate 0 leaves nothing to train of an encoder whose layers are all frozen");
}

train::LoopOptions train_options(const FinetuneOptions& options, const FinetunePlan& plan, int64_t rows) {
  train::LoopOptions train;
  const int64_t epoch = std::max<int64_t>(1, rows / options.batch);
  train.steps = steps_of(options, epoch);
  train.batch = options.batch;
  train.micro_batch = std::clamp<int64_t>(options.run.batch_tokens / plan.longest, 1, options.batch);
  train.learning_rate = options.learning_rate.value_or(3e-5 * 768 / static_cast<double>(plan.config.hidden));
  train.weight_decay = options.weight_decay;
  train.checkpoint_every = options.checkpoint_every;
  train.keep = 1;
  train.evaluate_every = options.evaluations ? (train.steps + options.evaluations - 1) / options.evaluations : epoch;
  train.patience = options.patience;
  train.ranks = options.ranks;
  train.seed = options.seed;
  train.threads = options.run.threads;
  return train;
}

}  // namespace

FinetunePlan plan_finetuning(const FinetuneOptions& options, const model_folder::ModelConfig& pretrained,
                             const rows::TaskRows& data) {
  refuse_options_of_other_labels(options, data.type);
  FinetunePlan plan;
  auto& config = plan.config = pretrained;
  config.head = options.task;
  config.head_kind = options.head_kind;
  config.pool = options.pool;
  config.labels = data.labels();
  plan.rates = {options.layer_decay, options.freeze, options.head_rate};
  if (options.freeze > config.layers)
    throw UsageError(concat("--freeze ", options.freeze, ": the model has ", counted(config.layers, "layer")));
  plan.trains = steps_of(options, 1) > 0;
  plan.encoder_stays = !plan.trains || options.freeze == config.layers;
  plan.head_fitted = config.head_kind == "linear" && !options.random_head;
  refuse_options_without_effect(options, plan);
  if (options.dropout) config.dropout = config.attention_dropout = *options.dropout;
  model_folder::check(config);
  if (options.max_length && *options.max_length > config.max_length)
    throw UsageError(concat("--max-length ", *options.max_length, ": the model has ", config.max_length, " positions"));
  plan.longest = options.max_length.value_or(config.max_length);

  const auto rows = data.of(dataset::Split::train);
  if (rows.empty()) fail(data.folder, ": the train split is empty");
  plan.train = train_options(options, plan, static_cast<int64_t>(rows.size()));
  using dataset::LabelType;
  const double positive =
      options.positive_weight.value_or(data.task->site == dataset::Task::Site::bin ? FinetuneOptions::kBinWeight : 1);
  plan.weights = !plan.trains || data.type == LabelType::regression ? std::vector<double>(data.features.size(), 1)
                 : data.type == LabelType::classes                  ? class_weights(data, options.balanced_classes)
                                                                    : feature_weights(options, positive, data.features);
  return plan;
}

}  // namespace bigdna::training
