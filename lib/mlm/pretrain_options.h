/// What `bigdna pretrain` can be told. Torch-free: apps/options holds one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "corpus/examples.h"
#include "corpus/sampler.h"
#include "io/output.h"
#include "train/options.h"

namespace bigdna::mlm {

/// What training starts from: counts of neighbouring tokens (mlm/counts_init.h), or BERT's random weights.
enum class Init { counts, random };

struct PretrainOptions {
  std::string input;   // a genome (FASTA) or a corpus folder; "" only with --resume
  std::string output;  // the run folder
  io::Existing existing = io::Existing::refuse;
  bool plan = false;   // measure, print and leave

  std::string preset = "auto";  // base on a GPU, small on a CPU; what is not given below is the preset's
  std::optional<int64_t> layers, heads, hidden, ffn, max_length, vocab_size, batch, steps;
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
  std::string corpus_md5;                   // of the manifest, where the input is a corpus folder: found by the run
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;

  corpus::Objective objective = corpus::Objective::mlm_nsp;
  double mask_fraction = 0.15;
  bool recompute = false;                   // activation checkpointing
  train::TrainOptions train;                // steps, batch, learning_rate: from above
  int64_t evaluation_tokens = 200'000;      // held-out tokens that each evaluation scores

  std::string device = "auto", precision = "auto", backend = "auto";
};

/// Calls visit(flag, field) for every option that decides what comes out of a run: what RUN/options.json holds and
/// what --resume compares. Steps of saving and printing, threads and the device are not among them.
template <class Options, class Visit>
void visit_options(Options& o, Visit visit) {
  visit("genome", o.input);
  visit("--preset", o.preset);
  visit("--layers", o.layers);
  visit("--heads", o.heads);
  visit("--hidden", o.hidden);
  visit("--ffn", o.ffn);
  visit("--max-length", o.max_length);
  visit("--vocab-size", o.vocab_size);
  visit("--batch", o.batch);
  visit("--batch-tokens", o.batch_tokens);
  visit("--micro-batch", o.train.micro_batch);
  visit("--steps", o.steps);
  visit("--learning-rate", o.learning_rate);
  visit("--warmup", o.train.warmup_steps);
  visit("--weight-decay", o.train.weight_decay);
  visit("--clip", o.train.clip_norm);
  visit("--dropout", o.dropout);
  visit("--block", o.block);
  visit("--pattern", o.pattern);
  visit("--global", o.global);
  visit("--window", o.window);
  visit("--random", o.random);
  visit("--init", o.init);
  visit("--init-from", o.init_from);
  visit("--vocab", o.vocab);
  visit("--vocab-bases", o.vocab_bases);
  visit("--passes", o.passes);
  visit("--max-n-fraction", o.sampler.max_n_fraction);
  visit("--strands", o.sampler.strands);
  visit("--contigs", o.contigs);
  visit("--hold-out", o.hold_out);
  visit("--exclude", o.exclude);
  visit("--invalid-bases", o.invalid_bases);
  visit("corpus", o.corpus_md5);
  visit("--objective", o.objective);
  visit("--mask-fraction", o.mask_fraction);
  visit("--precision", o.precision);
  visit("--recompute", o.recompute);  // by the micro-batch that fits
  visit("--evaluation-tokens", o.evaluation_tokens);
  visit("--evaluate-every", o.train.evaluate_every);
  visit("--seed", o.train.seed);
}

}  // namespace bigdna::mlm
