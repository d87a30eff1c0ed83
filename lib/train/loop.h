/// The training loop. It is independent of the task.
#pragma once

#include <map>
#include <string>

#include "model/parameters.h"
#include "train/options.h"
#include "train/passes.h"
#include "train/ranks.h"

namespace bigdna::train {

struct RunResult {
  model::Parameters parameters;           // the best, or the last
  std::map<std::string, double> metrics;  // the evaluation of those parameters
  int64_t steps = 0;                      // steps done
  int64_t best_step = 0;                  // the step after which `parameters` were taken
};

/// Trains and writes to `folder`: checkpoints/ (atomic, resumable bit for bit on a CPU) and metrics.jsonl. Resumes from
/// the last complete checkpoint if there is one; for a finished run, returns its result. On a signal that
/// asks for the end (base/signals.h), finishes the step, saves, then throws Stopped. Error if the loss or a gradient is
/// no longer a number. metrics.jsonl has a line every log_every steps (step, tokens, loss and gradient_norm averaged
/// since the last line, learning_rate, update_norm, i.e. how far the parameters moved in this step, the task's metrics
/// since the last line, tokens_per_second) and one for each evaluation (step and its values).
///
/// With several ranks, each takes its part of every batch, and the sums are the same up to rounding whatever their
/// number. Only rank 0 reads and writes `folder` and evaluates. It sends its state to the others, which wait for this
/// (and for rank 0 to call run()) as long as rank 0 lives, whatever the ranks' timeout. A signal to any rank stops all
/// after the same step. Only rank 0's result has the best parameters.
RunResult run(const TrainingTask& task, model::Parameters parameters, const LoopOptions& options,
              const std::string& folder, const at::Device& device, Ranks& ranks);
RunResult run(const TrainingTask& task, model::Parameters parameters, const LoopOptions& options,
              const std::string& folder, const at::Device& device);

/// UsageError if a batch has fewer examples than there are ranks; run() also checks it.
void check_batch(const LoopOptions& options, const Ranks& ranks);

}  // namespace bigdna::train
