#include "apps/options/finetune.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "apps/options/task_options.h"
#include "base/error.h"

namespace bigdna::apps {

namespace {

void visit_training(OptionList& visit, FinetuneOptions& command) {
  auto& o = command.finetune;
  visit.group("Training");
  visit(o.epochs, "--epochs",
        concat("Passes over the training examples. 0: do not train the encoder; fit a linear head to its states, in "
               "seconds (default: ",
               o.kEpochs, ")"))
      .check(not_negative());
  visit(o.steps, "--steps", "Number of optimiser steps").check(positive()).excludes({"--epochs"});
  visit(o.batch, "--batch", "Examples per step").check(positive());
  visit(o.learning_rate, "--learning-rate", "Peak learning rate (default: 3e-5 x 768 / hidden size)").check(positive());
  visit(
      o.layer_decay, "--layer-decay",
      "Learning rate of each layer as a fraction of the rate of the layer above, from the head down to the embeddings")
      .check(between(1e-3, 1.0));
  visit(o.head_rate, "--head-rate", "Learning rate of the head as a multiple of --learning-rate").check(not_negative());
  visit(o.freeze, "--freeze",
        "Do not train the embeddings and the first LAYERS layers. If all layers are frozen, only the head is trained")
      .type("LAYERS")
      .check(not_negative());
  visit(o.weight_decay, "--weight-decay", "Weight decay of AdamW; not applied to biases and LayerNorm")
      .check(not_negative());
  visit(o.dropout, "--dropout", "Dropout of activations and attention (default: the model's)")
      .check(between(0.0, 0.99));
  visit(o.max_length, "--max-length",
        "Read at most this many tokens of each interval, around its start site or bin (default: as many tokens as the "
        "model can read)")
      .type("TOKENS")
      .check(between(3, 1 << 20));
  visit(o.evaluations, "--evaluations", "Number of validations, evenly over the run; 0: one per epoch")
      .check(not_negative());
  visit(o.validation_rows, "--validation-rows", "Largest number of examples per validation; 0: all")
      .check(not_negative());
  visit(o.patience, "--patience",
        "Stop after this many validations without a better AUROC; 0: never. The best parameters are kept")
      .check(not_negative());
  visit(o.positive_weight, "--positive-weight",
        "Weight of positive labels in the loss; probabilities are corrected for it (default: 8 for chromatin, "
        "otherwise 1)")
      .check(positive());
  visit(o.reverse_complement, "--reverse-complement", "Read each training example on a random strand");
  visit(o.recompute, "--recompute",
        "Recompute each layer in the backward pass instead of storing it: a fraction of the memory, a third more time, "
        "the same gradients")
      .not_decisive();
  visit(o.from_scratch, "--from-scratch", "Take only the model's configuration and vocabulary, not its weights");
  visit(o.checkpoint_every, "--checkpoint-every", "Steps between checkpoints").check(positive()).recorded();
}

/// The head, and what it reads.
void visit_model(OptionList& visit, FinetuneOptions& command) {
  auto& o = command.finetune;
  visit.group("Model");
  visit(o.head_kind, "--head",
        "linear: one layer (as in the paper); classification: dense, activation, out_proj (as in transformers)")
      .one_of({"classification", "linear"});
  visit(o.pool, "--pool",
        "Input of the head: cls, the state of the first token (as in the paper and in transformers); mean, the mean of "
        "all tokens; scales, the means of all tokens, of 1000 bp and of 200 bp around the start site or bin")
      .one_of({"cls", "mean", "scales"});
  visit(o.random_head, "--random-head",
        "Start a linear head from small random weights instead of a regression on the states of the training examples");
}

/// Options that are for some tasks alone.
void visit_tasks(OptionList& visit, FinetuneOptions& command) {
  auto& o = command.finetune;
  visit.group(kChromatinOptions);
  visit(o.feature_weights, "--feature-weights",
        "Weights that replace --positive-weight for some features: lines of FEATURES (as in bigdna chromatin "
        "--features), a tab and a weight; if several lines match a feature, the last one counts")
      .type("TSV")
      .input();
  visit(o.genome, "-g,--genome", "Genome (default: the one the dataset was made from)").type("FASTA").input();
  visit(o.upstream, "--upstream", "Context before the bin (default: the dataset's)").type("BP").check(not_negative());
  visit(o.downstream, "--downstream", "Context after the bin (default: the dataset's)")
      .type("BP")
      .check(not_negative());
  visit.group(kTableOptions);
  visit(command.class_weights, "--class-weights",
        "Weights of examples in the loss. balanced: inversely proportional to the number of training examples of their "
        "class; predictions are corrected for it")
      .one_of({"none", "balanced"});
  visit(command.loss, "--loss",
        "Loss for numbers, in units of their standard deviation. mse: the squared error; huber: linear beyond one "
        "standard deviation")
      .one_of({"mse", "huber"});
}

}  // namespace

void FinetuneOptions::visit(OptionList& visit) {
  visit(finetune.model, "model", "Pretrained model (or run folder): encoder, vocabulary, configuration")
      .model()
      .required();
  visit(finetune.dataset, "dataset", "Dataset folder of bigdna dataset, which determines the task")
      .type("DATASET")
      .input()
      .required();
  folder.visit(visit, "Run folder: model/, metrics.tsv and .json (test split), scores.tsv.gz, metrics.jsonl (training)")
      .required();
  visit(no_baseline, "--no-baseline",
        "Skip the baselines: k-mers fitted to the same training examples, and (tables) a constant");
  visit_training(visit, *this);
  visit_model(visit, *this);
  visit_tasks(visit, *this);
  visit_ranks(visit, finetune.ranks);
  visit_device(visit, finetune.run);
  common.visit_with_seed(visit);
}

void FinetuneOptions::finish(const OptionList& list) {
  const auto& task = task_of_dataset(list, finetune.dataset);
  if (task.profiles)
    throw UsageError(
        concat(finetune.dataset, " is a ", task.name, " dataset, which no encoder predicts: bigdna train"));
  finetune.task = task.name;
  finetune.balanced_classes = class_weights == "balanced";
  finetune.huber = loss == "huber";
}

std::string FinetuneOptions::details() {
  return R"(The loss, the head and the metrics follow the dataset's labels. Labels of 0 and 1: binary cross-entropy
(--positive-weight); classes: cross-entropy (--class-weights); numbers: --loss of standardised numbers,
predicted in their own units. --patience counts AUROC, or for numbers Pearson's correlation.
Prints metrics.tsv, whose columns depend on the task. Methods: bigdna; kmers: a regression on k-mers, fitted
to the same examples; for tables also constant: the same prediction for every example.
Promoters and tables: #method, split, metric, value, and low and high of its 95 % interval (bootstrap over
groups, 1-Mb blocks or examples; NA if there is none).
Chromatin: #group, method, split, features, scored (features with both classes), median and mean AUROC and
AUPRC over the scored features, and low and high of the 95 % intervals of the two AUROCs.
features.tsv has one row per feature; for tables, rows for each class, label or number.)";
}

}  // namespace bigdna::apps
