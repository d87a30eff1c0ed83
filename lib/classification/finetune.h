/// Fine-tuning (paper, section 5 and appendices F.2 and F.3): a pretrained encoder with a new head on a dataset; writes
/// a run folder with the model and its metrics.
#pragma once

#include <string>

#include "classification/finetune_plan.h"
#include "classification/frozen_states.h"
#include "classification/kmer_fit.h"
#include "classification/task_rows.h"
#include "task_model/task_model.h"
#include "train/loop.h"

namespace bigdna::classification {

/// Runs it all. RUN/model (with features.tsv for chromatin and tables), RUN/metrics.tsv and metrics.json (test split),
/// RUN/scores.tsv.gz, RUN/metrics.jsonl (training), RUN/run.json last. Returns the table of metrics.tsv.
std::string finetune(const FinetuneOptions& options);

/// The task for train::run: the loss of the labels' type (classification/loss.h); evaluated on validation rows
/// ("validation_auroc": of promoters, or the median over features or classes; regression: "validation_pearson", the
/// mean). `kmers`: what the encoder's logits are added to; null: nothing. `states`: of all training and validation
/// rows, where the encoder stays as it is; null: the encoder is run for each example. Refers to all of these.
train::Task finetune_task(const FinetunePlan& plan, const FinetuneOptions& options,
                          const session::SequenceReader& reader, const session::Placement& placement,
                          const TaskRows& data, const StackedKmers* kmers, const FrozenStates* states = nullptr);

}  // namespace bigdna::classification
