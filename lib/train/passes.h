/// The forward and backward passes over a batch: what a task computes, and how examples are divided into passes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "corpus/example.h"
#include "model/batch.h"
#include "model/parameters.h"
#include "train/gradients.h"
#include "train/optimiser.h"

namespace bigdna::train {

/// A sum and its divisor, so that means over passes, ranks and steps of unequal size are exact.
struct Mean {
  double sum = 0, weight = 0;
  double value() const { return sum / weight; }
  void add(const Mean& other) { sum += other.sum, weight += other.weight; }
};

/// The counts of a whole batch, over all passes and ranks, by which sums are divided to get the batch's loss.
struct Totals {
  int64_t examples = 0, masked = 0;  // masked: tokens that MLM predicts
  double weight = 0;                 // of the examples' bins (Example::weights)
};
Totals totals_of(const std::vector<corpus::Example>& examples);

/// A task's result for the examples of one forward pass.
struct StepResult {
  at::Tensor loss;  // scalar: these examples' part of the batch's loss; the parts are added
  /// Named values for the log, e.g. mlm_loss, accuracy; may be empty. Called after the backward pass, because it waits
  /// for the GPU.
  std::function<std::map<std::string, Mean>()> metrics;
};

struct TrainingTask {
  std::string label = "train";  // of the progress bar
  /// Example `index`, numbered over the whole run (step * batch + its index in the batch): a pure function. Called from
  /// other threads, ahead of time.
  std::function<corpus::Example(int64_t index)> example;
  /// Forward pass and loss of some examples of a batch of `totals`; `dropout_seed` differs for each pass of each step.
  /// On a CPU, several threads call it at the same time.
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
  int64_t pass_tokens = 256;  // of passes_of(): fewer take longer than their work
};

/// What is left of a batch's passes: the loss, the metrics and the real tokens, added up.
struct StepValues {
  double loss = 0;
  std::map<std::string, Mean> metrics;
  int64_t tokens = 0;
};
/// One rank's part of a batch.
struct BatchPart {
  std::vector<corpus::Example> examples;
  int64_t first = 0;  // index of examples[0] in the batch
  Totals totals;      // of the whole batch
};

/// The first examples of the passes over a batch on a CPU, and the number of examples at the end: each pass takes the
/// fewest that have `tokens`, and no more than `most`. They depend on the examples alone.
std::vector<int64_t> passes_of(const std::vector<corpus::Example>& examples, int64_t tokens, int64_t most);

/// Runs forward and backward over a part of a batch and adds the gradients to the parameters' own (or `gradients`).
/// At most `micro_batch` examples at the same time (0: all). On a GPU these share a pass. On a CPU the passes are those
/// of passes_of(), each on one of LibTorch's threads, which wait for each other less than if they shared every
/// operation; gradients are added in the order of the examples, so that the result does not depend on the number of
/// threads. With a `micro_batch` of 1 only one pass may run at a time, so its operations use all threads, and sums
/// differ by rounding.
StepValues forward_backward(const TrainingTask& task, const model::Parameters& parameters, const BatchPart& part,
                            int64_t micro_batch, uint64_t dropout_seed, const at::Device& device,
                            Gradients* gradients = nullptr);

}  // namespace bigdna::train
