/// Fine-tuning (paper, section 5 and appendices F.2 and F.3): a pretrained encoder with a new head on a dataset; writes
/// a run folder with the model and its metrics.
#pragma once

#include <vector>

#include "classification/finetune_options.h"
#include "classification/frozen_states.h"
#include "classification/task_rows.h"
#include "classification/words.h"
#include "session/task_model.h"
#include "train/loop.h"

namespace bigdna::classification {

/// Runs it all. RUN/model (with features.tsv for chromatin and tables), RUN/metrics.tsv and metrics.json (test split),
/// RUN/scores.tsv.gz, RUN/metrics.jsonl (training), RUN/run.json last. Returns the table of metrics.tsv.
std::string finetune(const FinetuneOptions& options);

/// The peak learning rate: what is asked for, otherwise 3e-5 for 768 hidden units, and more for fewer.
double learning_rate(const FinetuneOptions& options, const model_folder::ModelConfig& config);

/// Whether only the branch of bases is trained. Its last parameters are then kept, unless options.patience asks for
/// the best: the share that validation gives the branch in the end (choose_bases()) takes back what it has learned too
/// much, and a choice among steps follows chance (docs/benchmarks.md).
bool trains_branch_alone(const FinetuneOptions& options, const model_folder::ModelConfig& config);

/// The task for train::run: the loss of the labels' type (classification/loss.h); evaluated on validation rows
/// ("validation_auroc": of promoters, or the median over features or classes; regression: "validation_pearson", the
/// mean).
/// `weights`: of labels 1, as feature_weights() gives them, or of classes. `words`: what the encoder's logits are added
/// to; null: nothing. `states`: of all training and validation rows, where the encoder stays as it is; null: the
/// encoder is run for each example.
train::Task finetune_task(const model_folder::ModelConfig& config, const session::SequenceReader& reader,
                          const session::Placement& placement, const TaskRows& data, const FinetuneOptions& options,
                          const std::vector<double>& weights, const StackedWords* words,
                          const FrozenStates* states = nullptr);

/// Weights of labels 1 in the loss, one a feature: options.positive_weight, or what the last line of
/// options.feature_weights that chooses the feature says (dataset::choose_features(); '#' begins a comment).
/// Error "FILE:LINE: cause".
std::vector<double> feature_weights(const FinetuneOptions& options,
                                    const std::vector<dataset::Feature>& features);
/// Weights of rows by their class: 1, or where `balanced` rows / (classes x rows of the class), of the training rows.
std::vector<double> class_weights(const TaskRows& data, bool balanced);

}  // namespace bigdna::classification
