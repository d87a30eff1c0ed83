/// The options of `bigdna finetune`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/folder.h"
#include "session/run_options.h"
#include "train/options.h"

namespace bigdna::training {

struct FinetuneOptions {
  std::string task;                             // its name (dataset/task.h)
  std::string model;                            // a model folder (or run folder): encoder, vocabulary, configuration
  std::string dataset;                          // a dataset folder
  std::string output;                           // the run folder
  std::string genome;                           // chromatin: the FASTA; "" for the one that the dataset records
  std::optional<int64_t> upstream, downstream;  // chromatin: context in bp; unset: the dataset's
  io::Existing existing = io::Existing::refuse;

  static constexpr int64_t kEpochs = 4;
  std::optional<int64_t> epochs;  // passes over the training rows; unset: kEpochs. 0: only the head, which is fitted
  std::optional<int64_t> steps;   // replaces epochs
  int64_t batch = 16;             // rows per step
  std::optional<double> learning_rate;  // unset: 3e-5 * 768 / hidden (BERT: 2e-5 to 5e-5 at 768)
  double layer_decay = 1;               // LayerRates::decay
  double head_rate = 1;                 // of the head, as a multiple of learning_rate
  int64_t freeze = 0;                   // so many layers, and the embeddings, are not trained
  double weight_decay = 0.01;
  std::optional<double> dropout;      // unset: the model's
  std::optional<int64_t> max_length;  // most tokens that are read; unset: the model's
  int64_t evaluations = 0;            // on the validation rows, evenly over the run; 0: one per epoch
  int64_t patience = 3;  // evaluations without a better AUROC after which training ends, 0: never; the best is kept
  int64_t validation_rows = 2000;          // the most rows of each evaluation
  static constexpr double kBinWeight = 8;  // as in the paper
  std::optional<double> positive_weight;   // of labels 1 in the loss; unset: kBinWeight for bins, otherwise 1
  std::string feature_weights;       // file of weights by feature: lines "FEATURES <tab> WEIGHT", see feature_weights()
  bool balanced_classes = false;     // table: rows of a class weigh inversely to its number of training rows
  bool huber = false;                // table: Huber's loss instead of the squared error
  bool reverse_complement = false;   // reads each training row from a random strand
  bool recompute = false;            // activation checkpointing
  bool from_scratch = false;         // take only the model's configuration and vocabulary
  std::string head_kind = "linear";  // with `pool`: what learns most from few rows (docs/benchmarks.md)
  std::string pool = "scales";
  bool random_head = false;  // a linear head starts from small random weights instead of fitted ones (fit_head())
  int64_t checkpoint_every = 500;
  train::RankOptions ranks;
  bool baseline = true;  // also evaluate a k-mer regression
  uint64_t seed = 1;
  session::RunOptions run;
};

}  // namespace bigdna::training
