/// The options of `bigdna pretrain`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corpus/examples.h"
#include "corpus/sampler.h"
#include "io/folder.h"
#include "model_folder/config.h"
#include "model_folder/stack.h"
#include "session/run_options.h"
#include "sparsity/pattern.h"
#include "train/options.h"

namespace bigdna::mlm {

/// The initial weights: from counts of neighbouring tokens (mlm/counts_init.h), or BERT's random ones.
enum class Init { counts, random };

struct PretrainOptions {
  std::string input;   // a genome (FASTA) or a corpus folder; "" only with --resume
  std::string output;  // the run folder
  io::Existing existing = io::Existing::refuse;
  bool plan = false;  // measure, print and exit

  std::string preset = "auto";  // auto: base on a GPU, mini on a CPU. Unset options below take the preset's value
  std::optional<model_folder::Architecture> architecture;  // unset: the preset's
  std::optional<int64_t> layers, heads, hidden, ffn, max_length, vocab_size, batch, steps;
  // replaces `steps`: as many as this machine makes in that time; also chooses an `auto` preset
  std::optional<double> hours;
  std::optional<int64_t> batch_tokens;  // replaces `batch`: tokens per step, in examples of max_length
  bool fit_batch = false;               // micro-batches as large as fit the device's memory, measured once
  std::optional<double> learning_rate, dropout;
  std::optional<std::string> pattern;  // unset: sparsity::PatternConfig's default
  std::optional<int64_t> block;        // unset: the preset's
  /// In the order of sparsity::pattern_numbers(); unset: PatternConfig's.
  std::vector<std::optional<int64_t>> pattern_numbers =
      std::vector<std::optional<int64_t>>(sparsity::pattern_numbers().size());
  sparsity::Factors factors = sparsity::Factors::merged;
  sparsity::Near near = sparsity::Near::stride;
  sparsity::GlobalBlocks global_blocks = sparsity::GlobalBlocks::edges;
  std::string attention = std::string(model_folder::attentions().front().name);  // model_folder::attention_from()
  std::string stack = std::string(model_folder::stacks().front().name);
  Init init = Init::counts;
  std::string init_from;  // replaces `init`: a model folder, for its architecture, vocabulary and weights

  std::string vocab;                  // "": trained on the genome
  int64_t vocab_bases = 100'000'000;  // the vocabulary is trained on at most this many bases
  corpus::SamplerOptions sampler;     // its passes follow from `passes`
  std::optional<int> passes;          // unset: the paper's 10, or as many as the run will need
  std::string contigs = "primary", hold_out = "0.05", exclude;
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;

  corpus::Objective objective = corpus::Objective::mlm_nsp;
  double gaps = 0;                        // next: share of the examples whose middle stands behind its flanks
  bool bidirectional_flanks = false;      // gaps: flanks attend to each other in both directions
  std::optional<double> mask_fraction;    // unset: the preset's
  std::optional<corpus::Hiding> masking;  // unset: bert for bigbird, as in the paper; all for modern
  bool recompute = false;                 // activation checkpointing
  train::LoopOptions train;               // what the options above and below say is set in it
  std::optional<int64_t> evaluate_every;  // unset: as often as takes about 2 % of the training
  int64_t evaluation_tokens = 200'000;    // held-out tokens that each evaluation scores

  session::RunOptions run;
};

}  // namespace bigdna::mlm
