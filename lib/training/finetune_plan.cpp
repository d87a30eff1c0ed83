#include "training/finetune_plan.h"

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "training/label_weights.h"
#include "model_folder/stack.h"

namespace bigdna::training {

namespace {

/// The embeddings and so many layers that are not trained. Beside the CNN branch the encoder learns nothing that
/// lasts, and disturbs the branch (docs/benchmarks.md).
int64_t frozen_layers(const FinetuneOptions& options, const model_folder::ModelConfig& config) {
  const int64_t frozen = options.freeze.value_or(config.cnn_filters > 0 && !options.from_scratch ? config.layers : 0);
  if (frozen > config.layers)
    throw UsageError(concat("--freeze ", frozen, ": the model has ", counted(config.layers, "layer")));
  return frozen;
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
  if (options.positive_weight != 1 && (classes || numbers)) refuse("--positive-weight", "binary and multilabel");
}

void refuse_options_without_effect(const FinetuneOptions& options, const FinetunePlan& plan) {
  if (options.random_head && plan.config.head_kind != "linear")
    throw UsageError("--random-head has no effect on --head classification, which is never fitted");
  if (options.cnn_rate != FinetuneOptions().cnn_rate && plan.config.cnn_filters == 0)
    throw UsageError("--cnn-rate has no effect without --cnn-filters");
  if (!options.kernel && !(options.kmers && plan.encoder_stays && plan.head_fitted))
    throw UsageError(
        "--no-kernel has no effect without k-mers, on an encoder that is trained, or on a head that is not "
        "fitted: there is no kernel model");
  if (options.recompute && !plan.encoder_stays) model_folder::check_recompute(plan.config);
  if (!plan.encoder_stays) return;
  if (options.layer_decay != 1 || options.recompute)
    throw UsageError(concat(options.recompute ? "--recompute" : "--layer-decay",
                            " has no effect on an encoder that stays as it is (--freeze 0 trains all of its layers)"));
  if (plan.rates.head_factor > 0) return;
  if (options.learning_rate)
    throw UsageError(
        "--learning-rate has no effect where encoder and head stay as they are (--head-rate 1 trains the head, "
        "--freeze 0 the encoder)");
  if (plan.config.cnn_filters == 0)
    throw UsageError(
        "--head-rate 0 leaves nothing to train (without --cnn-filters, of an encoder that stays as it is)");
}

train::LoopOptions train_options(const FinetuneOptions& options, const FinetunePlan& plan, int64_t rows) {
  train::LoopOptions train;
  const int64_t epoch = std::max<int64_t>(1, rows / options.batch);
  train.steps = options.steps.value_or(epoch * options.epochs);
  train.batch = options.batch;
  train.micro_batch = std::clamp<int64_t>(options.run.batch_tokens / plan.longest, 1, options.batch);
  train.learning_rate = options.learning_rate.value_or(3e-5 * 768 / static_cast<double>(plan.config.hidden));
  train.weight_decay = options.weight_decay;
  train.checkpoint_every = options.checkpoint_every;
  train.keep = 1;
  train.evaluate_every = options.evaluations ? (train.steps + options.evaluations - 1) / options.evaluations : epoch;
  train.patience = options.patience.value_or(plan.branch_alone ? 0 : FinetuneOptions::kPatience);
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
  config.cnn_filters = options.cnn_filters.value_or(options.kmers ? FinetuneOptions::kCnnFilters : 0);
  plan.rates.decay = options.layer_decay;
  plan.rates.frozen = frozen_layers(options, config);
  plan.encoder_stays = plan.rates.frozen == config.layers;
  plan.head_fitted = config.head_kind == "linear" && !options.random_head;
  plan.kernel = options.kernel && options.kmers && plan.encoder_stays && plan.head_fitted;
  // a head that was fitted to the states of an encoder that stays as it is has nothing to learn but noise
  plan.rates.head_factor =
      options.head_rate.value_or(plan.encoder_stays && plan.head_fitted && config.cnn_filters > 0 ? 0 : 1);
  refuse_options_without_effect(options, plan);
  plan.branch_alone = plan.encoder_stays && plan.rates.head_factor == 0;
  plan.keep_best = !plan.branch_alone || options.patience;
  if (options.dropout) config.dropout = config.attention_dropout = *options.dropout;
  model_folder::check(config);
  if (options.max_length && *options.max_length > config.max_length)
    throw UsageError(concat("--max-length ", *options.max_length, ": the model has ", config.max_length, " positions"));
  plan.longest = options.max_length.value_or(config.max_length);

  const auto rows = data.of(dataset::Split::train);
  if (rows.empty()) fail(data.folder, ": the train split is empty");
  plan.train = train_options(options, plan, static_cast<int64_t>(rows.size()));
  using dataset::LabelType;
  plan.weights = data.type == LabelType::classes      ? class_weights(data, options.balanced_classes)
                 : data.type == LabelType::regression ? std::vector<double>(data.features.size(), 1)
                                                      : feature_weights(options, data.features);
  return plan;
}

}  // namespace bigdna::training
