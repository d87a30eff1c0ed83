/// The training loop: it knows parameters, losses and time, and no task.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "corpus/example.h"
#include "io/manifest.h"
#include "model/batch.h"
#include "model/parameters.h"

namespace bigdna::train {

struct TrainOptions {
  int64_t steps = 1000;
  int64_t batch = 8;                 // examples per step
  int64_t micro_batch = 0;           // examples per forward pass; 0: the whole batch
  double learning_rate = 1e-4;
  int64_t warmup_steps = -1;         // -1: min(10 000, 10 % of the steps)
  double weight_decay = 0.01, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6, clip_norm = 1.0;
  int64_t checkpoint_every = 1000;
  int64_t keep = 2;                  // checkpoints kept
  int64_t evaluate_every = 500;      // 0: only at the end
  int64_t log_every = 10;
  uint64_t seed = 1;
  int threads = 1;
};

/// What a task gives the loop. Sums are over the examples, counts the denominators: the loop averages.
struct StepResult {
  at::Tensor loss;                          // scalar, already a mean over the micro-batch
  std::map<std::string, double> metrics;    // named values for the log, e.g. mlm_loss, mlm_accuracy
};
struct Task {
  /// Examples of global batch `step` (0-based): a pure function of the step.
  std::function<std::vector<corpus::Example>(int64_t step)> batch;
  /// Forward pass and loss of one micro-batch; `dropout_seed` differs for each (step, micro-batch).
  std::function<StepResult(const model::Parameters&, const model::Batch&, uint64_t dropout_seed)> forward;
  /// Held-out evaluation: values for the log ("held_out_bpc" ...).
  std::function<std::map<std::string, double>(const model::Parameters&)> evaluate;
  /// Which evaluated value picks the best checkpoint, and whether less is better. "" : the last is kept.
  std::string best_metric;
  bool lower_is_better = true;
  int64_t block = 1, pad_id = 0;
};

struct RunResult {
  model::Parameters parameters;             // the best, or the last
  std::map<std::string, double> metrics;    // of those parameters
  int64_t steps = 0;
};

/// Trains into `folder`: checkpoints/ (atomic, resumable bit for bit on CPU), metrics.jsonl. Resumes from the last
/// complete checkpoint where there is one. SIGTERM, SIGINT, SIGUSR1: saves, then throws Stopped.
RunResult run(const Task& task, model::Parameters parameters, const TrainOptions& options, const std::string& folder,
              const at::Device& device);

}  // namespace bigdna::train
