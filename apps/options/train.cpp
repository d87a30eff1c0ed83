#include "apps/options/train.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "apps/options/task_options.h"
#include "base/error.h"
#include "base/table.h"
#include "model_folder/network_config.h"

namespace bigdna::apps {
namespace {

/// Options of attention, and those among them that layers alone read.
constexpr const char *kAttention = "attention", *kLayers = "layers";

void visit_start(OptionList& visit, training::TrainOptions& o) {
  visit(o.from, "--from",
        "Start from the networks of this model, which may have other labels: all of them but the heads is taken over, "
        "and of --preset only the epochs on bins")
      .model()
      .excludes({"--dilations", "--layers", "--heads", "--pattern", "--block"});
  visit(o.keep_networks, "--keep-networks",
        "Keep the networks of --from as they are, heads included, and fit only the k-mers beside them: for a model of "
        "the same outputs")
      .needs({"--from"})
      .excludes({"--epochs", "--steps"});
}

/// The options that shape a network of any task.
void visit_network(OptionList& visit, TrainOptions& command) {
  auto& o = command.train;
  visit.group("Network");
  visit_start(visit, o);
  visit(o.preset, "--preset", "Sizes of the convolutions, number of networks and, on bins, epochs")
      .one_of(row_names(model_folder::network_presets()));
  visit(o.networks, "--networks",
        "Networks that are trained one after the other, from different seeds, and whose logits are averaged (default: "
        "the preset's, or as many as the model of --from has)")
      .check(between(1, 64));
  visit(command.dilations, "--dilations",
        "Dilations of the residual convolutions, joined by commas (default: 1,2,4,8,16,1 for chromatin, otherwise "
        "1,2,4)")
      .type("N,...")
      .commas()
      .check(positive());
  visit(o.layers, "--layers", "Layers of attention after the convolutions").check(not_negative());
  visit(o.heads, "--heads", "Attention heads of each of the --layers and of --pooling-seeds")
      .check(positive())
      .tag(kAttention);
  visit(o.pattern, "--pattern", "Attention pattern of the --layers (bigdna info --help lists them)")
      .one_of(pattern_names())
      .type("PATTERN")
      .tag(kAttention)
      .tag(kLayers);
  visit(o.block, "--block", "States of a block of attention").check(positive()).tag(kAttention).tag(kLayers);
  visit(o.dropout, "--dropout", "Dropout of the residual convolutions and of attention layers")
      .check(between(0.0, 0.99));
}

void visit_training(OptionList& visit, TrainOptions& command) {
  auto& o = command.train;
  visit.group("Training");
  visit(o.epochs, "--epochs", "Passes over the training bins (default: the preset's) or rows (default: at most 15)")
      .check(positive());
  visit(o.steps, "--steps", "Number of optimiser steps of each network").check(positive()).excludes({"--epochs"});
  visit(command.batch, "--batch", "Windows of bins (default: 4) or sequences (default: 32) per step").check(positive());
  visit(o.learning_rate, "--learning-rate", "Peak learning rate").check(positive());
  visit(command.weight_decay, "--weight-decay",
        "Weight decay of AdamW; not applied to biases and LayerNorm (default: 0.01 for chromatin, otherwise 0.05)")
      .check(not_negative());
  visit(o.validation_rows, "--validation-rows", "Largest number of rows per validation; 0: all").check(not_negative());
  visit(o.checkpoint_every, "--checkpoint-every", "Steps between checkpoints").check(positive()).recorded();
}

/// Networks that label the bins of a window.
void visit_bins(OptionList& visit, training::TrainOptions& o) {
  visit.group(kChromatinOptions);
  visit(o.window, "--window", "Sequence that a network reads at a time, whole bins").type("BP").check(positive());
  visit(o.background_weight, "--background-weight",
        "Weight in the loss of bins without a label of group TF (if there is no such group, without any label); "
        "predictions are calibrated on the validation bins")
      .check(between(0.0, 1.0));
  visit(
      o.label_balance, "--label-balance",
      "Weight each feature in the loss by the fraction of training bins that have it, to the power of -X; 0: all alike")
      .check(between(0.0, 1.0));
  visit(o.genome, "-g,--genome", "Genome (default: the one the dataset was made from)").type("FASTA").input();
}

/// Networks that answer for sequences as a whole.
void visit_sequences(OptionList& visit, training::TrainOptions& o) {
  visit.group(kSequenceOptions);
  visit(o.pools, "--pools",
        "Width of the max-pooling after each convolution, joined by commas: one to three convolutions (default: 2,2 "
        "for sequences of up to 120 bp, 4,5 up to 4000, otherwise 4,5,10)")
      .type("N,...")
      .commas()
      .check(positive());
  visit(o.seeds, "--pooling-seeds",
        "Pool the states of a sequence by attention of this many learned seeds (Set Transformer's PMA); 0: by their "
        "largest and their mean")
      .check(between(0, 1024));
  visit(o.patience, "--patience",
        "Stop after this many validations (one per epoch) without a better AUROC, or correlation; 0: never. The best "
        "parameters are kept")
      .check(not_negative());
  visit(
      o.reverse_complement, "--reverse-complement",
      "Labels hold for either strand: read each training row from a random strand, and average predictions over both");
}

}  // namespace

void TrainOptions::visit(OptionList& visit) {
  visit(train.dataset, "dataset", "Dataset folder of bigdna dataset, which says the task")
      .type("DATASET")
      .input()
      .required();
  folder.visit(
      visit,
      "Run folder (required without --plan): model/, metrics.tsv and .json (test split), features.tsv (several "
      "outputs), tracks.tsv (tracks), scores.tsv.gz, network-N/ (training)");
  visit(train.plan, "--plan",
        "Measure a few steps and a validation, print size, time, memory and disk space, and exit without writing "
        "anything")
      .not_decisive();
  visit(no_kmers, "--no-kmers",
        "The network alone, without k-mers beside it, whose weight is else chosen on validation examples");
  visit(no_baseline, "--no-baseline", "Skip the baselines: k-mers fitted to the same training examples");
  visit_network(visit, *this);
  visit_training(visit, *this);
  visit_bins(visit, train);
  visit_sequences(visit, train);
  visit_ranks(visit, train.ranks);
  visit_device(visit, train.run);
  common.visit_with_seed(visit);
}

void TrainOptions::finish(const OptionList& list) {
  if (folder.output.empty() && !train.plan) throw UsageError("-o/--output is required (only --plan does without)");
  if (train.keep_networks && no_kmers)
    throw UsageError("--keep-networks with --no-kmers: then there is nothing to fit");
  if (train.layers == 0)
    list.refuse_with(train.seeds > 0 ? kLayers : kAttention, "without --layers: the network has no attention then");
  const auto& task = task_of_dataset(list, train.dataset);
  if (task.site != dataset::Task::Site::bin && list.given("--from") && list.given("--preset"))
    throw UsageError(concat("--preset has no effect with --from on ", train.dataset, ", which is a ", task.name,
                            " dataset: the sizes are those of the model"));
  const auto defaults = training::default_options(task);
  train.task = defaults.task;
  train.batch = batch.value_or(defaults.batch);
  train.weight_decay = weight_decay.value_or(defaults.weight_decay);
  train.dilations = dilations.empty() ? defaults.dilations : dilations;
}

std::string TrainOptions::details() {
  return R"(Prints metrics.tsv, whose columns depend on the task.
Promoters and tables: #method (bigdna; kmers: a regression on k-mers, fitted to the same rows; constant, of
tables: the training rows' frequencies or means), split, metric, value, and low and high of its 95 % interval
(bootstrap over groups, 1-Mb blocks or rows; NA if there is none).
Chromatin: #group, method (bigdna; kmers: a logistic regression, fitted to the same rows, on the k-mers of
what the network reads; kmers-bin: on those of the bin alone), split, features, scored (those with both
classes), median and mean AUROC and AUPRC over them, and low and high of the 95 % intervals of the two
AUROCs.
Tracks: tracks.tsv, which is printed for a dataset of tracks alone: #index, name, cell, assay, group, strand,
bins, rows, method (also gc, constant, and halves of the reads), split, metric, value, low and high, as of
bigdna evaluate. Poisson's loss; a track's loss is divided by its mean.)";
}

}  // namespace bigdna::apps
