#include "train/loop.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/rng.h"
#include "base/signals.h"
#include "io/output.h"
#include "io/safetensors.h"
#include "support.h"
#include "train/checkpoint.h"
#include "train/optimiser.h"

namespace bigdna::train {
namespace {

namespace fs = std::filesystem;

struct Folder : test::TempDir {
  operator std::string() const { return path(); }
};

/// Regression: the sum of learned values of an example's ids should be its target; the noise stands for dropout.
TrainingTask toy_task() {
  TrainingTask task;
  task.example = [](int64_t index) {
    corpus::Example example;
    Rng rng(7, mix({static_cast<uint64_t>(index)}));
    float sum = 0;
    for (int k = 0; k < 6; ++k) {
      example.ids.push_back(static_cast<int32_t>(rng.below(20)));
      sum += 0.1f * static_cast<float>(example.ids.back());
    }
    example.token_types.assign(6, 0);
    example.targets = {sum};
    return example;
  };
  task.forward = [](const model::Parameters& p, const model::Batch& batch, const Totals& totals, uint64_t seed) {
    const double noise = 0.01 * Rng(seed).normal();
    const auto sums = at::embedding(p.at("weight"), batch.ids).sum(1).add(p.at("out.bias")).add(noise);
    const auto squares = at::mse_loss(sums, batch.targets, at::Reduction::Sum);
    StepResult result;
    result.loss = squares.div(static_cast<double>(totals.examples));
    result.metrics = [sum = squares.detach(), size = static_cast<double>(batch.size())] {
      return std::map<std::string, Mean>{{"squares", {sum.item<double>(), size}}};
    };
    return result;
  };
  task.evaluate = [](const model::Parameters& p) {
    double worst = 0;
    const double shift = p.at("out.bias").item<double>() / 6;  // the bias can stand for a constant in all six
    for (int64_t id = 0; id < 20; ++id)
      worst = std::max(worst, std::abs(p.at("weight")[id].item<double>() + shift - 0.1 * static_cast<double>(id)));
    return std::map<std::string, double>{{"worst", worst}};
  };
  return task;
}

model::Parameters toy_parameters() {
  model::Parameters p;
  std::vector<float> values(20);
  Rng rng(3);
  for (float& value : values) value = static_cast<float>(rng.normal());
  p.emplace("weight", at::tensor(values).reshape({20, 1}));
  p.emplace("out.bias", at::tensor(std::vector<float>{0.5f}));
  return p;
}

LoopOptions toy_options(int64_t steps) {
  LoopOptions options;
  options.steps = steps;
  options.batch = 4;
  options.learning_rate = 0.05;
  options.checkpoint_every = 5;
  options.evaluate_every = 4;
  options.log_every = 3;
  return options;
}

std::string last_checkpoint(const std::string& folder, int64_t step, const std::string& file) {
  char name[40];
  std::snprintf(name, sizeof name, "/checkpoints/step-%09d/", static_cast<int>(step));
  return io::read_file(folder + name + file);
}

void expect_same_checkpoint(const std::string& a, const std::string& b, int64_t step) {
  for (const char* file : {"parameters.safetensors", "exp_avg.safetensors", "exp_avg_sq.safetensors", "state.json"})
    EXPECT_EQ(last_checkpoint(a, step, file), last_checkpoint(b, step, file)) << file;
}

std::vector<nlohmann::json> lines_without_rates(const std::string& folder) {
  std::vector<nlohmann::json> lines;
  std::ifstream in(folder + "/metrics.jsonl");
  for (std::string line; std::getline(in, line);) {
    lines.push_back(nlohmann::json::parse(line));
    lines.back().erase("tokens_per_second");
  }
  return lines;
}

TEST(Loop, LearnsAndLogs) {
  Folder folder;
  LoopOptions options = toy_options(400);
  options.checkpoint_every = 200;
  const auto result = run(toy_task(), toy_parameters(), options, folder, at::kCPU);
  EXPECT_EQ(result.steps, 400);
  EXPECT_LT(result.metrics.at("worst"), 0.1);
  const auto lines = lines_without_rates(folder);
  EXPECT_EQ(lines.size(), 400 / 3 + 1 + 400 / 4);
  EXPECT_LT(lines[lines.size() - 2].at("loss").get<double>(), lines.front().at("loss").get<double>() / 100);
}

/// Trains and raises `signal` inside step `at` (0-based); leaves as bigdna would when stopped.
void train_with_signal(const std::string& folder, int at, int signal) {
  TrainingTask task = toy_task();
  task.forward = [forward = task.forward, step = 0, at, signal](const auto& p, const auto& batch, const auto& totals,
                                                                uint64_t seed) mutable {
    if (step++ == at) raise(signal);
    return forward(p, batch, totals, seed);
  };
  try {
    run(task, toy_parameters(), toy_options(10), folder, at::kCPU);
  } catch (const Stopped& e) {
    std::fprintf(stderr, "%s", e.what());
    std::_Exit(128 + e.signal());
  }
}

TEST(Loop, KilledAndResumedEqualsUndisturbedBitForBit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string folder = test::program_folder() / "killed";
  Folder whole;
  run(toy_task(), toy_parameters(), toy_options(10), whole, at::kCPU);
  for (const int at : {0, 3, 5, 7, 9}) {
    EXPECT_EXIT(train_with_signal(folder, at, SIGKILL), testing::KilledBySignal(SIGKILL), "");
    const auto result = run(toy_task(), toy_parameters(), toy_options(10), folder, at::kCPU);
    EXPECT_EQ(result.steps, 10);
    expect_same_checkpoint(whole, folder, 10);
    EXPECT_EQ(lines_without_rates(whole), lines_without_rates(folder)) << at;
    fs::remove_all(folder);
  }
}

TEST(Loop, ASignalSavesAndStops) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string folder = test::program_folder() / "stopped";
  Folder whole;
  run(toy_task(), toy_parameters(), toy_options(10), whole, at::kCPU);
  EXPECT_EXIT(train_with_signal(folder, 6, SIGUSR1), testing::ExitedWithCode(128 + SIGUSR1),
              "stopped by SIGUSR1 after step 7 of 10");
  EXPECT_TRUE(fs::exists(folder + "/checkpoints/step-000000007"));
  EXPECT_FALSE(Checkpoints::any(folder + "/none"));
  EXPECT_FALSE(Checkpoints::any(folder));
  fs::remove(folder + "/checkpoints/last");  // for people; nothing is asked of it
  EXPECT_TRUE(Checkpoints::any(folder + "/checkpoints"));
  run(toy_task(), toy_parameters(), toy_options(10), folder, at::kCPU);
  expect_same_checkpoint(whole, folder, 10);
  fs::remove_all(folder);
}

TEST(Loop, ADamagedLastCheckpointFallsBackToTheOneBefore) {
  Folder whole, folder;
  run(toy_task(), toy_parameters(), toy_options(12), whole, at::kCPU);
  run(toy_task(), toy_parameters(), toy_options(12), folder, at::kCPU);
  const fs::path last = folder / "checkpoints/step-000000012/parameters.safetensors";
  std::string bytes = io::read_file(last);
  bytes.back() ^= 1;
  std::ofstream(last, std::ios::binary) << bytes;
  testing::internal::CaptureStderr();
  run(toy_task(), toy_parameters(), toy_options(12), folder, at::kCPU);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("using the one before"), std::string::npos);
  expect_same_checkpoint(whole, folder, 12);
  for (const char* step : {"step-000000010", "step-000000012"})
    fs::resize_file(fs::path(folder.path()) / "checkpoints" / step / "exp_avg.safetensors", 20);
  EXPECT_THROW(run(toy_task(), toy_parameters(), toy_options(12), folder, at::kCPU), Error);
}

TEST(Loop, KeepsTheBestAndStopsWithPatience) {
  Folder folder;
  TrainingTask task = toy_task();
  task.evaluate = [n = 0](const model::Parameters&) mutable {
    const double values[] = {3, 1, 2, 4, 5, 6};
    return std::map<std::string, double>{{"score", values[std::min(n++, 5)]}};
  };
  task.best_metric = "score";
  LoopOptions options = toy_options(100);
  options.patience = 2;
  const auto result = run(task, toy_parameters(), options, folder, at::kCPU);
  EXPECT_EQ(result.steps, 16);  // evaluations after 4, 8 (the best), 12, 16
  EXPECT_EQ(result.best_step, 8);
  EXPECT_EQ(result.metrics.at("score"), 1);
  EXPECT_TRUE(fs::exists(folder / "checkpoints/best-000000008"));
  const auto again = run(task, toy_parameters(), options, folder, at::kCPU);  // finished: nothing is done
  EXPECT_EQ(again.best_step, 8);
  EXPECT_TRUE(again.parameters.at("weight").equal(result.parameters.at("weight")));
}

TEST(Loop, KeepsWhatItWasGivenWhereThatIsBest) {
  Folder folder;
  TrainingTask task = toy_task();
  task.evaluates_start = true;
  task.evaluate = [n = 0](const model::Parameters&) mutable { return std::map<std::string, double>{{"score", n++}}; };
  task.best_metric = "score";
  const auto result = run(task, toy_parameters(), toy_options(8), folder, at::kCPU);
  EXPECT_EQ(result.best_step, 0);
  EXPECT_TRUE(result.parameters.at("weight").equal(toy_parameters().at("weight")));
}

TEST(Loop, AMetricThatIsNoNumberIsNoReasonToKeepOrToStop) {
  Folder folder;
  TrainingTask task = toy_task();
  task.evaluates_start = true;
  task.evaluate = [n = 0](const model::Parameters&) mutable {
    const double values[] = {NAN, NAN, 3, NAN, NAN, NAN};
    return std::map<std::string, double>{{"score", values[std::min(n++, 5)]}};
  };
  task.best_metric = "score";
  LoopOptions options = toy_options(20);
  options.patience = 1;
  const auto result = run(task, toy_parameters(), options, folder, at::kCPU);
  EXPECT_EQ(result.steps, 20);
  EXPECT_EQ(result.best_step, 8);
  task.evaluate = [](const model::Parameters&) { return std::map<std::string, double>{{"score", NAN}}; };
  Folder never;
  EXPECT_EQ(run(task, toy_parameters(), options, never, at::kCPU).best_step, 20);
}

TEST(Loop, RateFactorsSlowDownAndFreeze) {
  const auto change = [&](double weight, double bias) {
    Folder folder;
    TrainingTask task = toy_task();
    task.rate_factor = [=](const std::string& name) { return name == "weight" ? weight : bias; };
    const auto after = run(task, toy_parameters(), toy_options(1), folder, at::kCPU).parameters;
    const auto before = toy_parameters();
    const auto moved = [&](const char* name) { return (after.at(name) - before.at(name)).abs().max().item<double>(); };
    const io::SafetensorsFile moments(folder / "checkpoints/last/exp_avg.safetensors");
    EXPECT_EQ(moments.arrays().count("weight"), weight > 0);
    EXPECT_EQ(moments.arrays().count("out.bias"), bias > 0);
    return std::pair(moved("weight"), moved("out.bias"));
  };
  const auto whole = change(1, 1), half = change(1, 0.5), frozen = change(0, 1);
  EXPECT_GT(whole.second, 0);
  EXPECT_NEAR(half.second, whole.second / 2, 1e-6);
  EXPECT_EQ(half.first, whole.first);
  EXPECT_EQ(frozen.first, 0);
  EXPECT_GT(frozen.second, 0);
}

TEST(AdamW, IsTheFormula) {
  model::Parameters p{{"a.weight", at::tensor(std::vector<float>{1.0f})},
                      {"a.bias", at::tensor(std::vector<float>{-2.0f})}};
  for (auto& [name, tensor] : p) tensor.requires_grad_(true);
  AdamW optimiser(p);
  AdamWOptions options;
  options.clip_norm = 1;
  std::map<std::string, double> value{{"a.weight", 1.0}, {"a.bias", -2.0}}, m, v;
  for (int step = 1; step <= 5; ++step) {
    const std::map<std::string, double> gradient{{"a.weight", 3.0 / step}, {"a.bias", -4.0 / step}};
    for (auto& [name, tensor] : p)
      tensor.mutable_grad() = at::tensor(std::vector<float>{static_cast<float>(gradient.at(name))});
    const double norm = gradient_norm(p), expected_norm = 5.0 / step;
    EXPECT_NEAR(norm, expected_norm, 1e-5);
    const double squared_change = optimiser.update(p, 0.1, options, norm, /*measure=*/true);
    double expected_change = 0;
    for (auto& [name, x] : value) {
      const double before = x;
      const double g = gradient.at(name) * (expected_norm > 1 ? 1 / expected_norm : 1);
      m[name] = 0.9 * m[name] + 0.1 * g;
      v[name] = 0.999 * v[name] + 0.001 * g * g;
      if (name == "a.weight") x -= 0.1 * 0.01 * x;
      x -= 0.1 * m[name] / (1 - std::pow(0.9, step)) / (std::sqrt(v[name] / (1 - std::pow(0.999, step))) + 1e-6);
      EXPECT_NEAR(p.at(name).item<double>(), x, 1e-4) << name << " " << step;
      expected_change += (x - before) * (x - before);
    }
    EXPECT_NEAR(squared_change, expected_change, 1e-5);
    EXPECT_FALSE(p.at("a.weight").grad().defined());
  }
}

TEST(AdamW, GradientsMayBeInAnyMemoryOrder) {
  const at::Tensor gradient = at::arange(1, 7, at::kFloat).view({2, 3});
  const auto changed = [&](const at::Tensor& given) {
    model::Parameters p{{"a.weight", at::zeros({2, 3}).requires_grad_(true)}};
    p.at("a.weight").mutable_grad() = given;
    AdamW(p).update(p, 0.1, {.epsilon = 1}, gradient_norm(p));
    return p.at("a.weight").detach();
  };
  const at::Tensor transposed = gradient.t().contiguous().t();  // the same numbers, column after column
  ASSERT_FALSE(transposed.is_contiguous());
  EXPECT_TRUE(at::equal(changed(gradient), changed(transposed)));
}

TEST(AdamW, ExclusionsAndSchedule) {
  EXPECT_TRUE(decays("bert.encoder.layer.0.output.dense.weight"));
  EXPECT_FALSE(decays("bert.encoder.layer.0.output.dense.bias"));
  EXPECT_FALSE(decays("bert.encoder.layer.0.output.LayerNorm.weight"));
  EXPECT_FALSE(decays("cls.predictions.bias"));
  EXPECT_EQ(default_warmup(1000000), 10000);
  EXPECT_EQ(default_warmup(711), 71);
  EXPECT_DOUBLE_EQ(learning_rate(0, 1, 10, 110), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(9, 1, 10, 110), 1);
  EXPECT_DOUBLE_EQ(learning_rate(10, 1, 10, 110), 1);
  EXPECT_DOUBLE_EQ(learning_rate(60, 1, 10, 110), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(109, 1, 10, 110), 0.01);
  EXPECT_DOUBLE_EQ(learning_rate(0, 1, 0, 10), 1);
}

}  // namespace
}  // namespace bigdna::train
