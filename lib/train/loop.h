/// The training loop: it knows parameters, losses and time, and no task.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "corpus/example.h"
#include "model/batch.h"
#include "model/parameters.h"
#include "train/gradients.h"
#include "train/optimiser.h"
#include "train/options.h"
#include "train/ranks.h"

namespace bigdna::train {

/// A sum and its divisor: means that stay exact over micro-batches, ranks and steps of unequal size.
struct Mean {
  double sum = 0, weight = 0;
  double value() const { return sum / weight; }
  void add(const Mean& other) { sum += other.sum, weight += other.weight; }
};

/// The counts of a whole batch, over all micro-batches and ranks: sums divided by them give the batch's loss.
struct Totals {
  int64_t examples = 0, masked = 0;  // masked: tokens that MLM predicts
};
Totals totals_of(const std::vector<corpus::Example>& examples);

/// A task's result for one micro-batch.
struct StepResult {
  at::Tensor loss;  // scalar: this micro-batch's part of the batch's loss; the parts are added
  /// Named values for the log, e.g. mlm_loss, accuracy; may be empty. Called after the backward pass, because a GPU has to be
  /// waited for then.
  std::function<std::map<std::string, Mean>()> metrics;
};
struct Task {
  std::string label = "train";              // of the progress bar
  /// Example `index`, counted over the whole run (step * batch + place): a pure function. Called from other threads,
  /// ahead of time.
  std::function<corpus::Example(int64_t index)> example;
  /// Forward pass and loss of one micro-batch of a batch of `totals`; `dropout_seed` differs for each (step, micro-batch).
  std::function<StepResult(const model::Parameters&, const model::Batch&, const Totals& totals, uint64_t dropout_seed)> forward;
  /// Held-out evaluation, on rank 0: values for the log ("held_out_bpc" ...). May be empty. Runs without gradients.
  std::function<std::map<std::string, double>(const model::Parameters&)> evaluate;
  /// The metrics (of `forward`) that the progress bar shows, in this order.
  std::vector<std::string> shown;
  /// Of each parameter's learning rate. 0: the parameter stays as it is, and nothing is computed for it. May be empty.
  RateFactor rate_factor;
  /// Which evaluated value picks the best parameters, and whether less is better. "" : the last are kept.
  std::string best_metric;
  bool lower_is_better = true;
  bool evaluates_start = false;  // evaluates before the first step too: what was given may be the best
  int64_t block = 1, pad_id = 0;
};

struct RunResult {
  model::Parameters parameters;             // the best, or the last
  std::map<std::string, double> metrics;    // the evaluation of those parameters
  int64_t steps = 0;                        // steps done
  int64_t best_step = 0;                    // after which `parameters` were taken
};

/// Trains into `folder`: checkpoints/ (atomic, resumable bit for bit on CPU), metrics.jsonl. Resumes from the last
/// complete checkpoint where there is one; a finished run returns at once. SIGTERM, SIGINT, SIGUSR1: finishes the
/// step, saves, then throws Stopped. Error where the loss is no longer a number. metrics.jsonl holds a line every
/// log_every steps (step, tokens, loss and gradient_norm averaged since the last line, learning_rate, update_norm of this
/// step: how far the parameters moved, the task's metrics since the last line, tokens_per_second) and one for each
/// evaluation (step and its values).
///
/// Several ranks: each takes its part of every batch, and the sums are the same to rounding whatever their number; rank
/// 0 alone reads and writes `folder` and evaluates, and what it found or started with is sent to the others, which wait for
/// that (and for rank 0 to come here) as long as rank 0 lives, whatever the ranks' timeout. A signal to
/// any of them stops all after the same step. Only rank 0's result has the best parameters.
RunResult run(const Task& task, model::Parameters parameters, const TrainOptions& options, const std::string& folder,
              const at::Device& device, Ranks& ranks);
RunResult run(const Task& task, model::Parameters parameters, const TrainOptions& options, const std::string& folder,
              const at::Device& device);

/// UsageError where a batch has fewer examples than there are ranks; run() checks it too.
void check_batch(const TrainOptions& options, const Ranks& ranks);

/// Forward and backward over one rank's part of a batch, in micro-batches: gradients are left in the parameters. Adds up
/// the loss, the metrics and the real tokens.
struct StepValues {
  double loss = 0;
  std::map<std::string, Mean> metrics;
  int64_t tokens = 0;
};
struct Part {
  std::vector<corpus::Example> examples;
  int64_t first = 0;  // place of examples[0] in the batch
  Totals totals;      // of the whole batch
};
StepValues forward_backward(const Task& task, const model::Parameters& parameters, const Part& part, int64_t micro_batch,
                            uint64_t dropout_seed, const at::Device& device, Gradients* gradients = nullptr);

}  // namespace bigdna::train
