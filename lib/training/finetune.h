/// Fine-tuning (paper, section 5 and appendices F.2 and F.3): a pretrained encoder with a new head on a dataset; writes
/// a run folder with the model and its metrics.
#pragma once

#include <string>

#include "models/sum.h"
#include "training/finetune_plan.h"
#include "training/frozen_states.h"
#include "train/loop.h"

namespace bigdna::training {

/// Runs it all. RUN/model (with features.tsv for chromatin and tables), RUN/metrics.tsv and metrics.json (test split),
/// RUN/scores.tsv.gz, RUN/metrics.jsonl (training), RUN/run.json last. Returns the table of metrics.tsv.
std::string finetune(const FinetuneOptions& options);

/// What a fine-tuned model is computed with beside its parameters.
struct ModelParts {
  const model_folder::ModelConfig& config;
  const session::SequenceReader& reader;
  const session::Placement& placement;
  const rows::TaskRows& data;
  const std::vector<double>& weights;    // of labels 1 in the loss, for each feature
  const FrozenStates* states = nullptr;  // of all rows that are read, or null
};

/// The task for train::run: the loss of the labels' type (training/loss.h); evaluated on validation rows
/// ("validation_auroc": of promoters, or the median over features or classes; regression: "validation_pearson", the
/// mean). `parts`: with its states, those of all training and validation rows, or else the encoder is run for each
/// example. Refers to all of these.
train::TrainingTask finetune_task(const ModelParts& parts, const FinetunePlan& plan, const FinetuneOptions& options);

}  // namespace bigdna::training
