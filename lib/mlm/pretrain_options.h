/// What `bigdna pretrain` can be told. Torch-free: apps/options holds one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "corpus/examples.h"
#include "corpus/sampler.h"
#include "io/output.h"
#include "model_folder/config.h"
#include "session/run_options.h"
#include "train/options.h"

namespace bigdna::mlm {

/// What training starts from: counts of neighbouring tokens (mlm/counts_init.h), or BERT's random weights.
enum class Init { counts, random };

struct PretrainOptions {
  std::string input;   // a genome (FASTA) or a corpus folder; "" only with --resume
  std::string output;  // the run folder
  io::Existing existing = io::Existing::refuse;
  bool plan = false;   // measure, print and leave

  model_folder::Architecture architecture = model_folder::Architecture::bigbird;
  std::string preset = "auto";  // base on a GPU, small on a CPU; what is not given below is the preset's
  std::optional<int64_t> layers, heads, hidden, ffn, max_length, vocab_size, batch, steps;
  std::optional<double> hours;           // in place of steps: as many as this machine makes in that time; an `auto` preset follows too
  std::optional<int64_t> batch_tokens;  // in place of batch: so many tokens a step, in examples of max_length
  bool fit_batch = false;               // micro-batches as large as the device's memory takes, measured once
  std::optional<double> learning_rate, dropout;
  std::optional<std::string> pattern;                    // what is not given: sparsity::PatternConfig's
  std::optional<int64_t> block, global, window, random;  // (block: the preset's)
  Init init = Init::counts;
  std::string init_from;  // in place of `init`: a model folder: its architecture, vocabulary and weights

  std::string vocab;                        // "": trained on the genome
  int64_t vocab_bases = 100'000'000;        // at most so many bases train it
  corpus::SamplerOptions sampler;           // passes: see `passes`
  std::optional<int> passes;                // unset: the paper's 10, or as many as the run will read
  std::string contigs = "primary", hold_out = "0.05", exclude;
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;

  corpus::Objective objective = corpus::Objective::mlm_nsp;
  std::optional<double> mask_fraction;      // unset: the preset's
  bool recompute = false;                   // activation checkpointing
  train::TrainOptions train;                // steps, batch, learning_rate: from above
  int64_t evaluation_tokens = 200'000;      // held-out tokens that each evaluation scores

  session::RunOptions run;
};

}  // namespace bigdna::mlm
