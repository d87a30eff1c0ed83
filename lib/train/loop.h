/// The training loop. It is independent of the task.
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

/// A sum and its divisor, so that means over micro-batches, ranks and steps of unequal size are exact.
struct Mean {
  double sum = 0, weight = 0;
  double value() const { return sum / weight; }
  void add(const Mean& other) { sum += other.sum, weight += other.weight; }
};

/// The counts of a whole batch, over all micro-batches and ranks, by which sums are divided to get the batch's loss.
struct Totals {
  int64_t examples = 0, masked = 0;  // masked: tokens that MLM predicts
};
Totals totals_of(const std::vector<corpus::Example>& examples);

/// A task's result for one micro-batch.
struct StepResult {
  at::Tensor loss;  // scalar: this micro-batch's part of the batch's loss; the parts are added
  /// Named values for the log, e.g. mlm_loss, accuracy; may be empty. Called after the backward pass, because it waits
  /// for the GPU.
  std::function<std::map<std::string, Mean>()> metrics;
};
struct Task {
  std::string label = "train";              // of the progress bar
  /// Example `index`, numbered over the whole run (step * batch + its index in the batch): a pure function. Called from
  /// other threads, ahead of time.
  std::function<corpus::Example(int64_t index)> example;
  /// Forward pass and loss of one micro-batch of a batch of `totals`; `dropout_seed` differs for each (step,
  /// micro-batch).
  std::function<StepResult(const model::Parameters&, const model::Batch&, const Totals& totals, uint64_t dropout_seed)>
      forward;
  /// Held-out evaluation, on rank 0: values for the log ("held_out_bpc" ...). May be empty. Runs without gradients.
  std::function<std::map<std::string, double>(const model::Parameters&)> evaluate;
  /// Names of the metrics of `forward` that the progress bar shows, in this order.
  std::vector<std::string> shown;
  /// Factor of each parameter's learning rate; may be empty. A parameter with 0 does not change, and no gradient is
  /// computed for it.
  RateFactor rate_factor;
  /// The evaluated value that selects the best parameters, and whether lower is better. "" keeps the last parameters.
  std::string best_metric;
  bool lower_is_better = true;
  bool evaluates_start = false;  // also evaluates before the first step, as the initial parameters may be the best
  int64_t block = 1, pad_id = 0;
};

struct RunResult {
  model::Parameters parameters;             // the best, or the last
  std::map<std::string, double> metrics;    // the evaluation of those parameters
  int64_t steps = 0;                        // steps done
  int64_t best_step = 0;                    // the step after which `parameters` were taken
};

/// Trains and writes to `folder`: checkpoints/ (atomic, resumable bit for bit on a CPU) and metrics.jsonl. Resumes from
/// the last complete checkpoint if there is one; for a finished run, returns its result. On SIGTERM, SIGINT or SIGUSR1,
/// finishes the step, saves, then throws Stopped. Error if the loss or a gradient is no longer a number. metrics.jsonl
/// has a line every log_every steps (step, tokens, loss and gradient_norm averaged since the last line, learning_rate,
/// update_norm, i.e. how far the parameters moved in this step, the task's metrics since the last line,
/// tokens_per_second) and one for each evaluation (step and its values).
///
/// With several ranks, each takes its part of every batch, and the sums are the same up to rounding whatever their
/// number. Only rank 0 reads and writes `folder` and evaluates. It sends its state to the others, which wait for this
/// (and for rank 0 to call run()) as long as rank 0 lives, whatever the ranks' timeout. A signal to any rank stops all
/// after the same step. Only rank 0's result has the best parameters.
RunResult run(const Task& task, model::Parameters parameters, const TrainOptions& options, const std::string& folder,
              const at::Device& device, Ranks& ranks);
RunResult run(const Task& task, model::Parameters parameters, const TrainOptions& options, const std::string& folder,
              const at::Device& device);

/// UsageError if a batch has fewer examples than there are ranks; run() also checks it.
void check_batch(const TrainOptions& options, const Ranks& ranks);

/// Runs forward and backward over one rank's part of a batch, in micro-batches. Gradients are left in the parameters;
/// the loss, the metrics and the real tokens are added up.
struct StepValues {
  double loss = 0;
  std::map<std::string, Mean> metrics;
  int64_t tokens = 0;
};
struct Part {
  std::vector<corpus::Example> examples;
  int64_t first = 0;  // index of examples[0] in the batch
  Totals totals;      // of the whole batch
};
StepValues forward_backward(const Task& task, const model::Parameters& parameters, const Part& part,
                            int64_t micro_batch, uint64_t dropout_seed, const at::Device& device,
                            Gradients* gradients = nullptr);

}  // namespace bigdna::train
