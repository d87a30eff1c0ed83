#include "apps/options/train.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "base/error.h"
#include "base/table.h"
#include "model_folder/network_config.h"

namespace bigdna::apps {
namespace {

/// Options of attention, and those among them that layers alone read.
constexpr const char *kAttention = "attention", *kLayers = "layers";

/// The options that shape a network; `window`: with what only networks that label bins have.
void visit_network(OptionList& visit, training::TrainOptions& o, bool window) {
  visit.group("Network");
  Option& from =
      visit(o.from, "--from",
            concat("Start from the networks of this model, which may have other labels: all of them but the heads is "
                   "taken over",
                   window ? ", and --preset sets the epochs alone" : ""))
          .model();
  if (window)
    from.excludes({"--dilations", "--layers", "--heads", "--pattern", "--block"});
  else
    from.excludes({"--preset", "--dilations", "--layers", "--heads", "--pattern", "--block"});
  visit(o.keep_networks, "--keep-networks",
        "Keep the networks of --from as they are, heads included, and fit only the k-mers beside them: for a model of "
        "the same outputs")
      .needs({"--from"})
      .excludes({"--epochs", "--steps"});
  visit(o.preset, "--preset",
        window ? "Sizes of the convolutions, number of networks and epochs"
               : "Sizes of the convolutions and number of networks")
      .one_of(row_names(model_folder::network_presets()));
  visit(o.networks, "--networks",
        "Networks that are trained one after the other, from different seeds, and whose logits are averaged (default: "
        "the preset's, or as many as the model of --from has)")
      .check(between(1, 64));
  if (window)
    visit(o.window, "--window", "Sequence that a network reads at a time, whole bins").type("BP").check(positive());
  if (!window)
    visit(o.pools, "--pools",
          "Width of the max-pooling after each convolution, joined by commas: one to three convolutions (default: 2,2 "
          "for sequences of up to 120 bp, 4,5 up to 4000, otherwise 4,5,10)")
        .type("N,...")
        .commas()
        .check(positive());
  visit(o.dilations, "--dilations", "Dilations of the residual convolutions, joined by commas")
      .type("N,...")
      .commas()
      .check(positive());
  visit(o.layers, "--layers", "Layers of attention after the convolutions").check(not_negative());
  if (!window)
    visit(o.seeds, "--pooling-seeds",
          "Pool the states of a sequence by attention of this many learned seeds (Set Transformer's PMA); 0: by their "
          "largest and their mean")
        .check(between(0, 1024));
  visit(o.heads, "--heads",
        window ? "Attention heads of each of the --layers"
               : "Attention heads of each of the --layers and of --pooling-seeds")
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

/// `one`: what a step reads several of.
void visit_training(OptionList& visit, training::TrainOptions& o, const std::string& one, const std::string& epochs) {
  visit.group("Training");
  visit(o.epochs, "--epochs", epochs).check(positive());
  visit(o.steps, "--steps", "Number of optimiser steps of each network").check(positive()).excludes({"--epochs"});
  visit(o.batch, "--batch", one + " per step").check(positive());
  visit(o.learning_rate, "--learning-rate", "Peak learning rate").check(positive());
  visit(o.weight_decay, "--weight-decay", "Weight decay of AdamW; not applied to biases and LayerNorm")
      .check(not_negative());
}

}  // namespace

void TrainCommandOptions::visit_files(OptionList& visit, const std::string& dataset, const std::string& written) {
  visit(train.dataset, "dataset", dataset).type("DATASET").input().required();
  folder.visit(visit,
               concat("Run folder (required without --plan): model/, metrics.tsv and .json (test split), ", written));
  visit(train.plan, "--plan",
        "Measure a few steps and a validation, print size, time, memory and disk space, and exit without writing "
        "anything")
      .not_decisive();
  visit(no_kmers, "--no-kmers",
        "The network alone, without k-mers beside it, whose weight is else chosen on validation examples");
  visit(no_baseline, "--no-baseline", "Skip the baselines: k-mers fitted to the same training examples");
}

void TrainCommandOptions::visit_checks(OptionList& visit) {
  visit(train.validation_rows, "--validation-rows", "Largest number of rows per validation; 0: all")
      .check(not_negative());
  visit(train.checkpoint_every, "--checkpoint-every", "Steps between checkpoints").check(positive()).recorded();
  visit.group("Options");
}

void TrainCommandOptions::finish(const OptionList& list) {
  if (folder.output.empty() && !train.plan) throw UsageError("-o/--output is required (only --plan does without)");
  if (train.keep_networks && no_kmers)
    throw UsageError("--keep-networks with --no-kmers: then there is nothing to fit");
  if (train.layers == 0)
    list.refuse_with(train.seeds > 0 ? kLayers : kAttention, "without --layers: the network has no attention then");
}

void TrainCommandOptions::visit_machine(OptionList& visit) {
  visit_ranks(visit, train.ranks);
  visit_device(visit, train.run);
  common.visit_with_seed(visit);
}

void TrainChromatinOptions::visit(OptionList& visit) {
  visit_files(visit, "Dataset folder of bigdna dataset chromatin; best of all bins (--keep all)",
              "features.tsv, scores.tsv.gz, network-N/ (training)");
  visit_network(visit, train, /*window=*/true);
  visit_training(visit, train, "Windows", "Passes over the training bins (default: the preset's)");
  visit(train.background_weight, "--background-weight",
        "Weight in the loss of bins without a label of group TF (if there is no such group, without any label); "
        "predictions are calibrated on the validation bins")
      .check(between(0.0, 1.0));
  visit(
      train.label_balance, "--label-balance",
      "Weight each feature in the loss by the fraction of training bins that have it, to the power of -X; 0: all alike")
      .check(between(0.0, 1.0));
  visit_checks(visit);
  visit(train.genome, "-g,--genome", "Genome (default: the one the dataset was made from)").type("FASTA").input();
  visit_machine(visit);
}

void TrainCommandOptions::visit_sequences(OptionList& visit, const char* task) {
  auto& o = train;
  o.task = task;
  o.batch = 32;
  o.dilations = {1, 2, 4};
  o.weight_decay = 0.05;
  visit_files(visit, concat("Dataset folder of bigdna dataset ", task), "scores.tsv.gz, network-N/ (training)");
  visit_network(visit, o, /*window=*/false);
  visit_training(visit, o, "Sequences", "Passes over the training rows, at most (default: 15)");
  visit(o.patience, "--patience",
        "Stop after this many validations (one per epoch) without a better AUROC, or correlation; 0: never. The best "
        "parameters are kept")
      .check(not_negative());
  visit(
      o.reverse_complement, "--reverse-complement",
      "Labels hold for either strand: read each training row from a random strand, and average predictions over both");
  visit_checks(visit);
  visit_machine(visit);
}

void TrainPromoterOptions::visit(OptionList& visit) { visit_sequences(visit, "promoter"); }
void TrainTableOptions::visit(OptionList& visit) { visit_sequences(visit, "table"); }

std::string TrainPromoterOptions::details() {
  return R"(Prints metrics.tsv. Columns: #method (bigdna; kmers: a logistic regression on k-mers, fitted to the same
rows), split, metric, value, and low and high of its 95 % interval (bootstrap over 1-Mb blocks; NA if there
is none).)";
}

std::string TrainTableOptions::details() {
  return R"(Prints metrics.tsv. Columns: #method (bigdna; kmers: a regression on k-mers, fitted to the same rows;
constant: the training rows' frequencies or means), split, metric, value, and low and high of its 95 %
interval (bootstrap over groups, blocks of the genome, or rows; NA if there is none).)";
}

std::string TrainChromatinOptions::details() {
  return R"(Prints metrics.tsv. Columns: #group, method (bigdna; kmers: a logistic regression, fitted to
the same rows, on the k-mers of what the network reads; kmers-bin: on those of the bin alone), split,
features, scored (those with both classes), median and mean AUROC and AUPRC over them, and low and high of
the 95 % intervals of the two AUROCs. features.tsv has one row per feature.)";
}

}  // namespace bigdna::apps
