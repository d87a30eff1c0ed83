/// The training loop: it knows parameters, losses and time, and no task.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "corpus/example.h"
#include "model/batch.h"
#include "model/parameters.h"
#include "train/options.h"

namespace bigdna::train {

/// What a task gives the loop for one micro-batch.
struct StepResult {
  at::Tensor loss;                          // scalar, already a mean over the micro-batch
  std::map<std::string, double> metrics;    // named values for the log, e.g. mlm_loss, mlm_accuracy; averaged there
};
struct Task {
  std::string label = "train";              // of the progress bar
  /// Examples of global batch `step` (0-based): a pure function of the step. Called from other threads, ahead of time.
  std::function<std::vector<corpus::Example>(int64_t step)> batch;
  /// Forward pass and loss of one micro-batch; `dropout_seed` differs for each (step, micro-batch).
  std::function<StepResult(const model::Parameters&, const model::Batch&, uint64_t dropout_seed)> forward;
  /// Held-out evaluation: values for the log ("held_out_bpc" ...). May be empty. Runs without gradients.
  std::function<std::map<std::string, double>(const model::Parameters&)> evaluate;
  /// The metrics (of `forward`) that the progress bar shows, in this order.
  std::vector<std::string> shown;
  /// Which evaluated value picks the best parameters, and whether less is better. "" : the last are kept.
  std::string best_metric;
  bool lower_is_better = true;
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
/// log_every steps (step, tokens, loss, learning_rate, gradient_norm, the task's metrics averaged since the last line,
/// tokens_per_second) and one for each evaluation (step and its values).
RunResult run(const Task& task, model::Parameters parameters, const TrainOptions& options, const std::string& folder,
              const at::Device& device);

/// One optimiser step's forward and backward over `examples`, in micro-batches: gradients are left in the
/// parameters. Returns the loss and metrics averaged over the examples, and adds real tokens to `tokens`.
struct StepValues {
  double loss = 0;
  std::map<std::string, double> metrics;
  int64_t tokens = 0;
};
StepValues forward_backward(const Task& task, const model::Parameters& parameters, const std::vector<corpus::Example>& examples,
                            int64_t micro_batch, uint64_t dropout_seed, const at::Device& device);

}  // namespace bigdna::train
