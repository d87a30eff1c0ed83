/// The settings of training that do not depend on a task. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>

namespace bigdna::train {

/// Settings of runs with several processes (train/ranks.h).
struct RankOptions {
  bool shard_optimiser = false;  // each rank keeps the optimiser's state for its part of the parameters
  double timeout = 1800;         // seconds that a rank waits for another
};

struct LoopOptions {
  int64_t steps = 1000;
  int64_t batch = 8;        // examples per step
  int64_t micro_batch = 0;  // examples per forward pass; 0: the whole batch
  double learning_rate = 1e-4;
  std::optional<int64_t> warmup_steps;  // unset: min(10 000, 10 % of the steps)
  double weight_decay = 0.01, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6, clip_norm = 1.0;
  int64_t checkpoint_every = 1000;
  int64_t keep = 2;              // checkpoints kept
  int64_t evaluate_every = 500;  // 0: only at the end
  int64_t patience = 0;          // evaluations without a better best_metric before training ends; 0: never
  int64_t log_every = 10;
  uint64_t seed = 1;
  int threads = 1;
  RankOptions ranks;
};

}  // namespace bigdna::train
