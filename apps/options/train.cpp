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

/// Options of networks, of attention, and those among the latter that layers alone read.
constexpr const char *kNetwork = "network", *kAttention = "attention", *kLayers = "layers", *kTrains = "trains",
                     *kTraining = "Training";

void visit_start(OptionList& visit, training::TrainOptions& o) {
  visit(o.from, "--from",
        "Start from the networks of this model, which may have other labels. Everything except their heads is taken "
        "over; of --preset, only the epochs on bins are used")
      .model()
      .excludes({"--dilations", "--layers", "--heads", "--pattern", "--block"})
      .tag(kNetwork);
  visit(o.keep_networks, "--keep-networks",
        "Keep the networks of --from unchanged, including their heads, and fit only the added terms; the outputs must "
        "be the same")
      .needs({"--from"})
      .excludes({"--epochs", "--steps"})
      .tag(kNetwork);
}

/// The options that shape a network of any task.
void visit_network(OptionList& visit, TrainOptions& command) {
  auto& o = command.train;
  visit.group(kLabelOptions);
  visit_start(visit, o);
  visit(o.preset, "--preset", "Sizes of the convolutions, number of networks and, on bins, epochs")
      .one_of(row_names(model_folder::network_presets()))
      .tag(kNetwork)
      .tag(kTrains);
  visit(o.networks, "--networks",
        "Number of networks, trained one after the other from different seeds; their logits are averaged (default: as "
        "in the preset or in --from). 0 (sequences): none, only k-mers and --encoder, which are fitted in seconds")
      .check(between(0, 64));
  visit(command.dilations, "--dilations",
        "Dilations of the residual convolutions, joined by commas (default: 1,2,4,8,16,1 for bins of 200 bp, and more "
        "for narrower bins, as far as 3200 bp; otherwise 1,2,4)")
      .type("N,...")
      .commas()
      .check(positive())
      .tag(kNetwork);
  visit(o.layers, "--layers", "Number of attention layers after the convolutions").check(not_negative()).tag(kNetwork);
  visit(o.heads, "--heads", "Number of attention heads of the --layers and of --pooling-seeds")
      .check(positive())
      .tag(kNetwork)
      .tag(kAttention);
  visit(o.pattern, "--pattern", "Attention pattern of the --layers (bigdna info --help lists them)")
      .one_of(pattern_names())
      .type("PATTERN")
      .tag(kNetwork)
      .tag(kAttention)
      .tag(kLayers);
  visit(o.block, "--block", "Number of positions in a block of attention")
      .check(positive())
      .tag(kAttention)
      .tag(kLayers)
      .tag(kNetwork);
  visit(o.dropout, "--dropout", "Dropout of the residual convolutions and of attention layers")
      .check(between(0.0, 0.99))
      .tag(kNetwork)
      .tag(kTrains);
}

void visit_training(OptionList& visit, TrainOptions& command) {
  auto& o = command.train;
  visit.group(kTraining);
  visit(o.epochs, "--epochs",
        "Passes over the training examples (default: as in the preset for bins, 20 for profiles, otherwise at most 15)")
      .check(positive())
      .tag(kNetwork);
  visit(o.steps, "--steps", "Number of optimiser steps of each network")
      .check(positive())
      .excludes({"--epochs"})
      .tag(kNetwork);
  visit(command.batch, "--batch",
        "Windows of bins (default: 4), regions of profiles (default: 64) or sequences (default: 32) per step")
      .check(positive())
      .tag(kNetwork);
  visit(command.learning_rate, "--learning-rate", "Peak learning rate (default: 0.01 for profiles, otherwise 0.002)")
      .check(positive())
      .tag(kNetwork);
  visit(command.weight_decay, "--weight-decay",
        "Weight decay of AdamW; not applied to biases and LayerNorm (default: 0.01 for chromatin, 0 for profiles, "
        "otherwise 0.05)")
      .check(not_negative())
      .tag(kNetwork);
  visit(o.validation_rows, "--validation-rows", "Largest number of examples per validation; 0: all")
      .check(not_negative())
      .tag(kNetwork);
  visit(o.checkpoint_every, "--checkpoint-every", "Steps between checkpoints")
      .check(positive())
      .recorded()
      .tag(kNetwork);
}

/// Networks that label the bins of a window.
void visit_bins(OptionList& visit, training::TrainOptions& o) {
  visit.group(kChromatinOptions);
  visit(o.window, "--window", "Length of the sequence that a network reads at a time, in whole bins")
      .type("BP")
      .check(positive());
  visit(o.background_weight, "--background-weight",
        "Weight in the loss of bins without a label of group TF (without any label, if there is no such group); "
        "predictions are calibrated on the validation bins")
      .check(between(0.0, 1.0))
      .tag(kTrains);
  visit(o.label_balance, "--label-balance",
        "Weight each feature in the loss by the fraction of training bins that have it, to the power of -X; 0: equal "
        "weights")
      .check(between(0.0, 1.0))
      .tag(kTrains);
}

/// Profile models.
void visit_profiles(OptionList& visit, training::ProfileTrainOptions& o) {
  visit.group(kProfileOptions);
  visit(o.filters, "--filters", "Filters of each convolution").check(positive());
  visit(o.layers, "--dilated-layers", "Dilated convolutions, whose dilations are 2, 4, 8 ...").check(between(1, 20));
  visit(
      o.count_weight, "--count-weight",
      "Weight of the squared error of log(1 + reads) next to the profile's loss (default: a tenth of the median number "
      "of reads, at least 20)")
      .check(not_negative());
  visit(o.jitter, "--jitter", "Move peaks and tiles by up to this much, either way (default: the dataset's)")
      .type("BP")
      .check(not_negative());
  visit(o.background, "--background", "Background regions in an epoch, for each peak").check(not_negative());
  visit.choice(o.background_alone, "--regions", {{"all", false}, {"background", true}},
               "Train on all regions, or on the background alone: a bias model");
  visit(
      o.background_limit, "--background-limit",
      "With --regions background: leave out regions that have as many reads as X times what 99 % of the peaks exceed; "
      "0: none")
      .type("X")
      .check(not_negative());
  visit(o.bias, "--bias",
        "A bias model, of --regions background, that stays as it is: its logits are added to the profile's, and its "
        "expected reads to the model's")
      .model()
      .excludes({"--regions"});
}

void visit_genome(OptionList& visit, training::TrainOptions& o) {
  visit.group(kGenomeOptions);
  visit(o.genome, "-g,--genome", "Genome (default: the one the dataset was made from)").type("FASTA").input();
}

/// Networks that answer for sequences as a whole.
void visit_sequences(OptionList& visit, training::TrainOptions& o) {
  visit.group(kSequenceOptions);
  visit(o.encoder, "--encoder",
        "Add this pretrained encoder, unchanged: a linear head is fitted to its states, and the examples choose "
        "its weight. Without any weight it is not in the model")
      .model();
  visit(o.pools, "--pools",
        "Width of the max-pooling after each convolution, joined by commas: one to three convolutions (default: 2,2 "
        "for sequences of up to 120 bp, 4,5 up to 4000, otherwise 4,5,10)")
      .type("N,...")
      .commas()
      .check(positive())
      .tag(kNetwork);
  visit(o.seeds, "--pooling-seeds",
        "Pool the states of a sequence by attention from this many learned queries (Set Transformer's PMA); 0: by "
        "maximum and mean")
      .check(between(0, 1024))
      .tag(kNetwork);
  visit(o.patience, "--patience",
        "Stop after this many validations (one per epoch) without a better AUROC, or correlation; 0: never. The best "
        "parameters are kept")
      .check(not_negative())
      .tag(kNetwork)
      .tag(kTrains);
  visit(o.reverse_complement, "--reverse-complement",
        "For labels that apply to both strands: read each training example on a random strand, and average predictions "
        "over both");
}

}  // namespace

void TrainOptions::visit(OptionList& visit) {
  visit(datasets, "dataset",
        "Dataset folder of bigdna dataset, which determines the task. Several datasets of bins train one network: of "
        "several genomes, or with other labels; an output that a dataset lacks has no loss on this dataset")
      .type("DATASET...")
      .input()
      .required();
  folder.visit(
      visit,
      "Run folder (required without --plan): model/, metrics.tsv and .json (test split), features.tsv (several "
      "outputs), tracks.tsv (tracks), scores.tsv.gz, network-N/ (training); of several datasets dataset-N/ with the "
      "tables of each");
  visit(train.plan, "--plan",
        "Measure a few steps and a validation, print size, time, memory and disk space, and exit without writing "
        "anything")
      .not_decisive()
      .tag(kNetwork)
      .tag(kTrains);
  visit(no_kmers, "--no-kmers",
        "Train the network alone. Otherwise a k-mer model is added, with a weight chosen on validation examples")
      .tag(kLabelOptions);
  visit(no_baseline, "--no-baseline", "Skip the baselines: k-mers fitted to the same training examples");
  visit_network(visit, *this);
  visit_training(visit, *this);
  visit_bins(visit, train);
  visit_profiles(visit, train.profile);
  visit_genome(visit, train);
  visit_sequences(visit, train);
  visit_ranks(visit, train.ranks);
  visit_device(visit, train.run);
  common.visit_with_seed(visit);
}

void TrainOptions::finish(const OptionList& list) {
  if (folder.output.empty() && !train.plan) throw UsageError("-o/--output is required (only --plan does without)");
  if (train.keep_networks && no_kmers && train.encoder.empty())
    throw UsageError("--keep-networks with --no-kmers leaves nothing to fit");
  if (train.keep_networks)
    for (const char* untrained : {kTraining, kTrains, kRankOptions})
      list.refuse_with(untrained, "with --keep-networks");
  if (train.layers == 0)
    list.refuse_with(train.seeds > 0 ? kLayers : kAttention,
                     "without --layers, because the network has no attention then");
  require_different(datasets);
  train.dataset = datasets.front();
  train.more_datasets.assign(datasets.begin() + 1, datasets.end());
  const auto& task = task_of_dataset(list, train.dataset);
  if (!train.more_datasets.empty()) {
    for (const auto& dataset : datasets)
      if (const auto& other = task_of_dataset(list, dataset); other.site != dataset::Task::Site::bin || other.profiles)
        throw UsageError(concat(dataset, ": is a ", other.name, " dataset; several datasets are of bins"));
    if (!train.genome.empty()) throw UsageError("-g: several datasets have the genomes that they were made from");
    if (train.keep_networks) throw UsageError("--keep-networks: only with one dataset");
  }
  if (task.site != dataset::Task::Site::bin && list.given("--from") && list.given("--preset"))
    throw UsageError(concat("--preset has no effect with --from on ", train.dataset, ", which is a ", task.name,
                            " dataset: the sizes are the model's"));
  if (train.networks == 0) {
    if (task.site == dataset::Task::Site::bin)
      throw UsageError(
          concat("--networks 0: ", train.dataset, " is a ", task.name, " dataset, whose bins networks label"));
    if (no_kmers && train.encoder.empty()) throw UsageError("--networks 0 with --no-kmers leaves nothing to fit");
    for (const char* untrained : {kNetwork, kRankOptions}) list.refuse_with(untrained, "with --networks 0");
  }
  const auto defaults = training::default_options(task);
  train.task = defaults.task;
  train.batch = batch.value_or(defaults.batch);
  train.learning_rate = learning_rate.value_or(defaults.learning_rate);
  train.weight_decay = weight_decay.value_or(defaults.weight_decay);
  if (!list.given("--precision")) train.run.precision = defaults.run.precision;
  train.dilations = dilations.empty() ? defaults.dilations : dilations;
}

std::string TrainOptions::details() {
  return R"(Prints metrics.tsv, whose columns depend on the task.
Promoters and tables: #method (bigdna; kmers: a regression on k-mers, fitted to the same examples; for tables
constant: the same prediction for every example), split, metric, value, and low and high of its 95 % interval
(bootstrap over groups, 1-Mb blocks or examples; NA if there is none).
Chromatin: #group, method (bigdna; kmers: a logistic regression on the k-mers of the sequence that the network
reads, fitted to the same examples; kmers-bin: on the k-mers of the bin alone), split, features, scored
(features with both classes), median and mean AUROC and AUPRC over the scored features, and low and high of
the 95 % intervals of the two AUROCs.
Tracks: tracks.tsv, which is printed if the dataset has tracks only: #index, name, cell, assay, group, strand,
bins, rows, method (also gc, constant, and halves of the reads), split, metric, value, low and high, as in
bigdna evaluate. The loss is Poisson's; that of a track is divided by its mean.
Profiles: #regions (peak, background, tile or all), method (also bias, mean, shuffled, halves, gc, kmers),
split, rows, metric (jsd_median and jsd_mean of profiles; of counts as above), value, low and high.)";
}

}  // namespace bigdna::apps
