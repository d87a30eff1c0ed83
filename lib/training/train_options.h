/// The options of `bigdna train`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/features.h"
#include "dataset/task.h"
#include "io/folder.h"
#include "model_folder/network_config.h"
#include "session/run_options.h"
#include "train/options.h"

namespace bigdna::training {

/// What a profile model is, and what it is trained on.
struct ProfileTrainOptions {
  int64_t filters = 64, layers = 8;    // layers: dilated convolutions
  std::optional<double> count_weight;  // of the count loss; unset: a tenth of the median number of reads, at least 20
  std::optional<int64_t> jitter;       // bp that peaks and tiles are moved by; unset: the dataset's
  double background = 0.1;             // background regions in an epoch, for each peak
  bool background_alone = false;       // train on background regions: a bias model
  /// background_alone: regions have fewer reads than this times what 99 % of the peaks have; 0: all.
  double background_limit = 0.5;
  std::string bias;  // a bias model that stands frozen beside the model; "": none
};

/// Tasks whose rows are bins (dataset/task.h) train networks that label every bin of a window; the others, networks
/// that answer for a sequence as a whole.
struct TrainOptions {
  std::string task = "chromatin";          // its name
  std::string dataset;                     // a dataset folder of this task
  std::vector<std::string> more_datasets;  // bins: further ones, which the same network learns (rows/joined_rows.h)
  std::string output;                      // the run folder
  std::string genome;                      // bins: the FASTA; "" for the one that the dataset records
  io::Existing existing = io::Existing::refuse;

  std::string from;            // a model of networks on bases, whose shape and weights they start from; "": drawn anew
  bool keep_networks = false;  // those of `from` are taken over as they are, and only what stands beside them is fitted
  std::string preset = "small";
  std::optional<int64_t> networks, epochs;  // unset: the preset's
  std::optional<int64_t> steps;             // replaces epochs
  int64_t window = 32'000;                  // bins: bp that a network reads at a time
  int64_t batch = 4;                        // windows, or sequences, per step
  double learning_rate = 2e-3;              // the peak
  double weight_decay = 0.01, dropout = 0.2;
  std::vector<int64_t> pools;       // sequences: of the convolutions; empty: by the longest one
  bool reverse_complement = false;  // sequences: a row's label holds for either strand
  int64_t patience = 4;             // sequences: validations without a better one after which training ends; 0: never
  /// Weight in the loss of bins without a label of group TF (without such a group: without any label).
  double background_weight = 0.1;
  /// Bins: a label's part in the loss goes with its prevalence to the power of minus this.
  double label_balance = 0.5;
  std::vector<int64_t> dilations;  // empty: by the width of the bins
  int64_t layers = 0, heads = 4;   // of attention over bins
  int64_t seeds = 0;               // sequences: NetworkConfig::seeds
  std::string pattern = "bigbird";
  int64_t block = 16;  // bins of a block of attention
  int64_t checkpoint_every = 500;
  int64_t validation_rows = 20'000;  // the most rows of each evaluation
  train::RankOptions ranks;
  ProfileTrainOptions profile;
  std::string encoder;   // sequences: a pretrained encoder beside the networks, likewise; "": none
  bool kmers = true;     // the model has k-mers beside its networks, where validation rows call for them
  bool baseline = true;  // also evaluate k-mers alone
  bool plan = false;     // measure, print and end
  uint64_t seed = 1;
  session::RunOptions run;
};

/// Those that a task's networks have where the command line says nothing else.
inline TrainOptions default_options(const dataset::Task& task) {
  TrainOptions options;
  options.task = task.name;
  if (task.profiles) {
    options.batch = 64;
    options.learning_rate = 1e-2;
    options.weight_decay = 0;
    options.run.precision = "fp32";
    return options;
  }
  if (task.site == dataset::Task::Site::bin) return options;
  options.batch = 32;
  options.dilations = {1, 2, 4};
  options.weight_decay = 0.05;
  return options;
}

/// The network that they describe, for these labels of bins of `bin` bp (dataset::kBinWidths, which say how its stages
/// pool); UsageError naming what does not fit. `from`: the configuration of options.from, whose convolutions and layers
/// it then has; null without it.
model_folder::NetworkConfig config_of(const TrainOptions& options, const std::vector<dataset::Feature>& features,
                                      int64_t bin, const model_folder::NetworkConfig* from);
/// The same for sequences of at most `longest` bp: the longer, the more of them one state stands for.
model_folder::NetworkConfig sequence_config_of(const TrainOptions& options,
                                               const std::vector<dataset::Feature>& features, int64_t longest,
                                               const model_folder::NetworkConfig* from);

}  // namespace bigdna::training
