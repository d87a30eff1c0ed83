#include "apps/options/finetune.h"

#include "apps/options/checks.h"
#include "apps/options/run_options.h"

namespace bigdna::apps {

void FinetuneCommandOptions::define_shared(CLI::App& app) {
  auto& o = finetune;
  app.add_option("model", o.model, "Pretrained model (or run folder): encoder, vocabulary, configuration")
      ->required()
      ->type_name("MODEL");
  app.add_option("dataset", o.dataset, "Dataset folder of bigdna dataset " + o.task)
      ->required()
      ->type_name("DATASET");
  folder.define(
      app, "Run folder: model/, metrics.tsv and .json (test split), scores.tsv.gz, metrics.jsonl (training)");

  const char* group = "Training";
  app.add_option("--epochs", o.epochs, "Passes over the training rows")
      ->check(positive())
      ->capture_default_str()
      ->group(group);
  app.add_option("--steps", o.steps, "Optimiser steps, in place of --epochs")
      ->check(positive())
      ->group(group);
  app.add_option("--batch", o.batch, "Rows per step")
      ->check(positive())
      ->capture_default_str()
      ->group(group);
  app.add_option("--learning-rate", o.learning_rate, "Peak learning rate (default: 3e-5 x 768 / hidden size)")
      ->check(positive())
      ->group(group);
  app.add_option("--layer-decay", o.rates.decay,
                 "Each layer learns at this share of the rate of the one above it, from the head down to the embeddings")
      ->check(between(1e-3, 1.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--head-rate", o.rates.head_factor, "The head learns at this multiple of the learning rate")
      ->check(positive())
      ->capture_default_str()
      ->group(group);
  app.add_option("--freeze", o.rates.frozen,
                 "Leave the embeddings and the first LAYERS layers as they are; all of the model's layers: train the head alone")
      ->type_name("LAYERS")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_option("--weight-decay", o.weight_decay, "AdamW's, not for biases and LayerNorm")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_option("--dropout", o.dropout, "Of activations and attention (default: the model's)")
      ->check(between(0.0, 0.99))
      ->group(group);
  app.add_option("--max-length", o.max_length,
                 "Read at most so much of each interval, around its start site or bin (default: all "
                 "positions of the model)")
      ->type_name("TOKENS")
      ->check(between(3, 1 << 20))
      ->group(group);
  app.add_option("--evaluations", o.evaluations, "Validations, evenly over the run; 0: one an epoch")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_option("--validation-rows", o.validation_rows, "Rows of each validation, at most; 0: all")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_option("--patience", o.patience,
                 "Stop after so many validations without a better AUROC; 0: never. The best parameters are "
                 "kept in any case")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_option("--positive-weight", o.positive_weight,
                 "Weight of labels 1 in the loss; probabilities are corrected for it")
      ->check(positive())
      ->capture_default_str()
      ->group(group);
  app.add_flag("--reverse-complement", o.reverse_complement,
               "Read each training row from either strand, by chance")
      ->group(group);
  app.add_flag("--recompute", o.recompute,
               "Compute each layer again in the backward pass instead of keeping it: a fraction of the memory, a "
               "third more time, the same gradients")
      ->group(group);
  app.add_flag("--from-scratch", o.from_scratch,
               "Take only the model's configuration and vocabulary, not its weights")
      ->group(group);
  app.add_option(
         "--head", o.head_kind,
         "linear = one layer (the paper's); classification = dense, activation, out_proj (Hugging Face's)")
      ->check(CLI::IsMember({"classification", "linear"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--pool", o.pool, "What the head reads: cls, the first token (the paper, Hugging Face); mean, the mean of all tokens; or scales, that and the "
                 "means of the 1000 and the 200 bp around the start site or bin")
      ->check(CLI::IsMember({"cls", "mean", "scales"}))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--random-head", o.random_head,
               "A linear head starts from small random weights, not from a logistic regression on what it reads of the training rows")
      ->group(group);
  app.add_option("--checkpoint-every", o.checkpoint_every, "Steps between checkpoints")
      ->check(positive())
      ->capture_default_str()
      ->group(group);
  app.add_flag("--no-baseline", no_baseline, "Leave out the k-mer logistic regression on the same splits");
  add_ranks(app, finetune.ranks);
  device.define(app);
  common.define(app);
  common.define_seed(app);
}

void FinetunePromoterOptions::define(CLI::App& app) {
  finetune.task = "promoter";
  define_shared(app);
  app.footer(
      "Prints metrics.tsv: #method (bigdna, or kmers: logistic regression on words up to 5), split, metric, "
      "value, and low and high\n"
      "of its 95 % interval (bootstrap over 1-Mb blocks; NA where there is none).");
}

void FinetuneChromatinOptions::define(CLI::App& app) {
  finetune.task = "chromatin";
  finetune.positive_weight = 8;
  define_shared(app);
  app.add_option("--feature-weights", finetune.feature_weights,
                 "Other weights than --positive-weight for some features: lines of FEATURES (as bigdna chromatin "
                 "--features has them), a tab and a weight; the last line that chooses a feature counts")
      ->type_name("TSV")
      ->group("Training");
  app.add_option("-g,--genome", finetune.genome, "Genome (default: the one the dataset was made from)")
      ->type_name("FASTA");
  app.add_option("--upstream", finetune.upstream, "Context before the bin (default: the dataset's)")
      ->type_name("BP")
      ->check(not_negative());
  app.add_option("--downstream", finetune.downstream, "Context after the bin (default: the dataset's)")
      ->type_name("BP")
      ->check(not_negative());
  app.footer(
      "Prints metrics.tsv: #group, method (bigdna, or kmers: logistic regression on words up to 4 of the "
      "bin, 1000 bp and all context),\n"
      "split, features, scored (those with both classes), and median and mean AUROC and AUPRC over them; "
      "features.tsv has a row a feature.");
}

}  // namespace bigdna::apps
