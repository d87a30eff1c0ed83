#include "train/passes.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/rng.h"

namespace bigdna::train {
namespace {

/// An example of so many tokens below 20, whose target is by chance.
corpus::Example example_of(int64_t index, size_t tokens) {
  corpus::Example example;
  Rng rng(7, static_cast<uint64_t>(index));
  for (size_t i = 0; i < tokens; ++i) example.ids.push_back(static_cast<int32_t>(rng.below(20)));
  example.token_types.assign(tokens, 0);
  example.targets = {static_cast<float>(rng.normal())};
  return example;
}

/// Regression of the target on sums of learned values of the tokens, whatever their padding (token 0's value is 0 at
/// the start, and targets do not depend on it).
TrainingTask toy_task() {
  TrainingTask task;
  task.forward = [](const model::Parameters& p, const model::Batch& batch, const Totals& totals, uint64_t) {
    const at::Tensor sums = at::embedding(p.at("weight"), batch.ids).sum(1);
    const at::Tensor squares = at::mse_loss(sums, batch.targets, at::Reduction::Sum);
    return StepResult{squares.div(static_cast<double>(totals.examples)),
                      [sum = squares.detach(), size = static_cast<double>(batch.size())] {
                        return std::map<std::string, Mean>{{"squares", {sum.item<double>(), size}}};
                      }};
  };
  return task;
}

model::Parameters toy_parameters() {
  model::Parameters parameters{{"weight", at::zeros({20, 1})}, {"unused", at::ones({3})}};
  for (int64_t i = 1; i < 20; ++i) parameters.at("weight")[i][0] = 1.0 / static_cast<double>(3 * i + 1);
  for (auto& [name, tensor] : parameters) tensor.requires_grad_(true);
  return parameters;
}

BatchPart part_of(const std::vector<size_t>& lengths) {
  BatchPart part;
  for (size_t i = 0; i < lengths.size(); ++i) part.examples.push_back(example_of(static_cast<int64_t>(i), lengths[i]));
  part.totals = totals_of(part.examples);
  return part;
}

struct Threads {
  int before = at::get_num_threads();
  explicit Threads(int threads) { at::set_num_threads(threads); }
  ~Threads() { at::set_num_threads(before); }
};

TEST(Passes, TakeTheFewestExamplesWithEnoughTokens) {
  const auto starts = [](const std::vector<size_t>& lengths, int64_t most) {
    return passes_of(part_of(lengths).examples, 256, most);
  };
  EXPECT_EQ(starts({300, 300, 10}, 8), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(starts({100, 100, 56, 100, 255, 1}, 8), (std::vector<int64_t>{0, 3, 5, 6}));
  EXPECT_EQ(starts({10, 10, 10, 10, 10}, 2), (std::vector<int64_t>{0, 2, 4, 5}));
  EXPECT_EQ(starts({1}, 1), (std::vector<int64_t>{0, 1}));
}

TEST(Passes, AddUpToTheBatch) {
  const TrainingTask task = toy_task();
  const BatchPart part = part_of({40, 40, 40, 40, 40});
  const auto whole = toy_parameters(), parts = toy_parameters();
  const auto one = forward_backward(task, whole, part, 0, 1, at::kCPU),
             several = forward_backward(task, parts, part, 2, 1, at::kCPU);
  EXPECT_NEAR(one.loss, several.loss, 1e-4);
  EXPECT_EQ(one.tokens, 200);
  EXPECT_EQ(several.metrics.at("squares").weight, 5);
  EXPECT_NEAR(one.metrics.at("squares").value(), several.metrics.at("squares").value(), 1e-4);
  EXPECT_TRUE(at::Tensor(whole.at("weight").grad()).allclose(parts.at("weight").grad(), 1e-5, 1e-6));
  EXPECT_FALSE(whole.at("unused").grad().defined());
}

TEST(Passes, AreTheSameForAnyNumberOfThreads) {
  const TrainingTask task = toy_task();
  const BatchPart part = part_of({300, 257, 100, 200, 512, 30, 300, 256, 300});
  const auto run = [&](int threads) {
    const Threads set(threads);
    const auto parameters = toy_parameters();
    const double loss = forward_backward(task, parameters, part, 0, 1, at::kCPU).loss;
    EXPECT_EQ(at::get_num_threads(), threads);
    return std::pair(loss, at::Tensor(parameters.at("weight").grad()));
  };
  const auto one = run(1);
  for (const int threads : {2, 3, 16}) {
    const auto other = run(threads);
    EXPECT_EQ(one.first, other.first) << threads;
    EXPECT_TRUE(one.second.equal(other.second)) << threads;
  }
}

TEST(Passes, ShareNoOperationsEvenWhereOneHoldsMostOfTheMicroBatch) {
  TrainingTask task = toy_task();
  task.forward = [forward = task.forward](const auto& p, const auto& batch, const auto& totals, uint64_t seed) {
    EXPECT_EQ(at::get_num_threads(), 1);
    return forward(p, batch, totals, seed);
  };
  const Threads set(2);
  for (const int64_t micro_batch : {0, 2, 8}) {
    forward_backward(task, toy_parameters(), part_of({40, 40, 40}), micro_batch, 1, at::kCPU);
    forward_backward(task, toy_parameters(), part_of({50, 50, 50, 50, 50, 50, 50, 50}), micro_batch, 1, at::kCPU);
  }
}

TEST(Passes, AnErrorInOneEndsAll) {
  TrainingTask task = toy_task();
  task.forward = [forward = task.forward](const auto& p, const auto& batch, const auto& totals, uint64_t seed) {
    if (batch.tokens() == 301) throw std::runtime_error("one of them");
    return forward(p, batch, totals, seed);
  };
  const Threads set(3);
  const auto parameters = toy_parameters();
  EXPECT_THROW(forward_backward(task, parameters, part_of({300, 301, 300, 300, 300, 300}), 0, 1, at::kCPU),
               std::runtime_error);
  EXPECT_EQ(at::get_num_threads(), 3);
}

}  // namespace
}  // namespace bigdna::train
