/// What fine-tuning trains: examples, loss, and the metric on validation rows.
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/rng.h"
#include "base/streams.h"
#include "training/finetune.h"
#include "training/loss.h"
#include "evaluation/validation_metrics.h"
#include "genome/alphabet.h"
#include "model_folder/architecture.h"

namespace bigdna::training {

using dataset::Split;

train::TrainingTask finetune_task(const ModelParts& parts, const FinetunePlan& plan, const FinetuneOptions& options) {
  const auto& [config, reader, placement, data, weights, states] = parts;
  const auto train_rows = std::make_shared<const std::vector<int64_t>>(data.of(Split::train));
  train::TrainingTask task;
  task.label = concat("finetune ", data.task->name);
  task.block = config.pattern.block;
  task.pad_id = config.pad_id;
  task.rate_factor = [rates = plan.rates, config](const std::string& name) {
    return rates.factor(model_folder::depth_of(config, name), config.layers);
  };
  task.example = [&reader, &data, &options, train_rows, states](int64_t index) {
    const auto count = static_cast<int64_t>(train_rows->size());
    const auto epoch = static_cast<uint64_t>(index / count), place = static_cast<uint64_t>(index % count);
    const int64_t row =
        (*train_rows)[Permutation(train_rows->size(), mix({options.seed, kFinetuneOrder, epoch}))(place)];
    std::string bases = data.bases(row);
    const bool reversed = options.reverse_complement && mix({options.seed, kFinetuneStrand, epoch, place}) % 2;
    if (reversed) genome::reverse_complement_in_place(bases);
    auto example = reader.example(bases, reversed);
    if (states) example.pooled = states->of(row, reversed);
    for (int64_t label = 0; label < data.labels(); ++label) example.targets.push_back(data.target(row, label));
    example.region = data.regions[static_cast<size_t>(row)];
    example.index = row;
    return example;
  };
  task.forward = [config, recompute = options.recompute, &placement,
                  loss = Loss{data.type, at::tensor(weights).to(placement.device, at::kFloat), options.huber}](
                     const model::Parameters& parameters, const model::Batch& batch, const train::Totals& totals,
                     uint64_t seed) {
    auto forward = placement.forward();
    forward.training = true;
    forward.recompute = recompute;
    forward.dropout_seed = seed;
    forward.share = static_cast<double>(batch.size()) / static_cast<double>(totals.examples);
    const auto hidden = model::encode_for_head(config, parameters, batch, forward);
    const auto logits = model::task_logits(config, parameters, hidden, batch, forward).to(at::kFloat);
    return train::StepResult{loss.sum(logits, batch.targets).div(loss.count(totals.examples, logits.size(1))), {}};
  };
  const auto validation = data.of(Split::validation, options.validation_rows);
  if (validation.empty()) return task;
  task.evaluate = [parts, validation, of_rows = evaluation::ValidationMetrics(data, validation),
                   link = data.link(weights)](const model::Parameters& parameters) {
    const auto& [config, reader, placement, data, weights, states] = parts;
    const session::Session session(config, parameters, placement);
    const auto logits = models::encoder_sum(reader, session)
                            .all_logits(data.bases_of(validation), session::Strands::forward, placement.streams(),
                                        states ? states->of(validation) : std::vector<float>());
    std::vector<double> scores(logits.begin(), logits.end());
    link.apply(scores, data.labels());
    return of_rows.of(scores);
  };
  task.best_metric = evaluation::ValidationMetrics::best_of(data.type);
  task.evaluates_start = true;
  task.lower_is_better = false;
  return task;
}

}  // namespace bigdna::training
