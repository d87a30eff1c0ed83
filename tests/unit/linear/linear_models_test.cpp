#include "linear/linear_models.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/rng.h"
#include "metrics/classification.h"

namespace bigdna::linear {
namespace {

struct Simulated {
  at::Tensor x, y;
  std::vector<int64_t> folds;
};

/// Feature 0 depends on column 0, feature 1 on nothing, feature 2 is always true. Columns have different means and
/// scales.
Simulated simulate(int64_t rows, int64_t columns, uint64_t seed, double effect = 6) {
  Rng rng(seed);
  Simulated data{at::zeros({rows, columns}), at::zeros({rows, 3}), {}};
  auto x = data.x.accessor<float, 2>();
  auto y = data.y.accessor<float, 2>();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) x[i][j] = static_cast<float>(5 * j + (j % 3 + 0.01) * rng.normal());
    const double signal = (x[i][0] - 0) / 0.01 * effect;
    y[i][0] = rng.uniform() < 1 / (1 + std::exp(-signal));
    y[i][1] = rng.uniform() < 0.5;
    y[i][2] = 1;
    data.folds.push_back(static_cast<int64_t>(rng.below(5)));
  }
  return data;
}

double auroc(const at::Tensor& logits, const at::Tensor& y, int64_t feature) {
  std::vector<float> scores;
  std::vector<uint8_t> truth;
  for (int64_t i = 0; i < y.size(0); ++i) {
    scores.push_back(logits[i][feature].item<float>());
    truth.push_back(y[i][feature].item<float>() != 0);
  }
  return metrics::Ranking(scores, truth).auroc();
}

TEST(LinearModels, LearnASignalAndNotNoise) {
  for (const int64_t columns : {4, 400}) {  // fewer than rows, and more
    const auto data = simulate(300, columns, 1), test = simulate(300, columns, 2);
    const auto fit = fit_linear_models(data.x, data.y, data.folds, 1);
    const auto logits = fit.models.logits(test.x);
    EXPECT_GT(auroc(logits, test.y, 0), columns == 4 ? 0.9 : 0.6);
    EXPECT_GT(auroc(fit.out_of_fold, data.y, 0), columns == 4 ? 0.9 : 0.6);
    EXPECT_NEAR(auroc(logits, test.y, 1), 0.5, 0.1);
    EXPECT_NEAR(auroc(fit.out_of_fold, data.y, 1), 0.5, 0.12) << "rows saw their own labels";
    EXPECT_NEAR(logits[0][2].item<float>(), std::log(300.5 / 0.5), 1e-3) << "a feature of one class has its odds";
  }
}

TEST(LinearModels, AreWhereTheGradientIsZero) {
  // the penalised log loss in standardised columns, checked without the fit's own coordinates: with one of its
  // penalties the gradient vanishes
  const auto data = simulate(200, 3, 5, 0.7);
  const auto fit = fit_linear_models(data.x, data.y, data.folds, 1);
  const at::Tensor mean = data.x.mean(0), scale = (data.x - mean).square().mean(0).sqrt();
  const at::Tensor residual = (fit.models.logits(data.x).sigmoid() - data.y).select(1, 0) / 200;
  const at::Tensor gradient = ((data.x - mean) / scale).t().matmul(residual),
                   w = fit.models.weight.select(0, 0) * scale;
  EXPECT_NEAR(residual.sum().item<double>(), 0, 2e-4);
  const double penalty = -(gradient * w).sum().item<double>() / (w * w).sum().item<double>();
  double nearest = 1;
  for (const double candidate : {3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001})
    nearest = std::min(nearest, std::abs(penalty - candidate));
  EXPECT_LT(nearest, 5e-4) << penalty;
  EXPECT_LT((gradient + penalty * w).abs().max().item<double>(), 5e-4);
}

TEST(LinearModels, DoNotDependOnThreads) {
  for (const auto& [rows, columns] : {std::pair{120, 30}, {4413, 384}}) {  // products that MKL would share and not
    const auto data = simulate(rows, columns, 3);
    const auto one = fit_linear_models(data.x, data.y, data.folds, 1);
    for (const int threads : {2, 3}) {
      const auto more = fit_linear_models(data.x, data.y, data.folds, threads);
      EXPECT_TRUE(one.models.weight.equal(more.models.weight)) << rows << " rows, " << threads << " threads";
      EXPECT_TRUE(one.models.bias.equal(more.models.bias));
      EXPECT_TRUE(one.out_of_fold.equal(more.out_of_fold));
    }
  }
}

TEST(LinearModels, ConstantColumnsSayNothing) {
  auto data = simulate(100, 4, 4);
  data.x.select(1, 2).fill_(7);
  const auto fit = fit_linear_models(data.x, data.y, data.folds, 1);
  EXPECT_EQ(fit.models.weight[0][2].item<float>(), 0);
  EXPECT_GT(std::abs(fit.models.weight[0][0].item<float>()), 0);
}

TEST(LinearModels, WeightsSayHowManyRowsEachStandsFor) {
  const auto data = simulate(400, 3, 6, 0.7);
  LinearRows how;  // rows of feature 1 stand for four
  for (int64_t i = 0; i < 400; ++i) how.weights.push_back(data.y[i][1].item<float>() > 0 ? 4 : 1);
  const auto fit = fit_linear_models(data.x, data.y, data.folds, 1, how);
  const at::Tensor weights = at::tensor(how.weights), logits = fit.models.logits(data.x);
  const auto mean = [&](const at::Tensor& values) {
    return (values * weights).sum().item<double>() / weights.sum().item<double>();
  };
  for (const int64_t f : {0, 1}) EXPECT_NEAR(mean(logits.select(1, f).sigmoid()), mean(data.y.select(1, f)), 1e-3) << f;
  const auto equal = fit_linear_models(data.x, data.y, data.folds, 1);
  EXPECT_GT((logits - equal.models.logits(data.x)).select(1, 1).mean().item<double>(), 1);
}

TEST(LinearModels, AreTheSameWhereTheRowsAreOverwritten) {
  auto data = simulate(300, 20, 7);
  std::ranges::sort(data.folds);
  const auto kept = fit_linear_models(data.x, data.y, data.folds, 1);
  const auto overwritten = fit_linear_models(data.x.clone(), data.y, data.folds, 1, {.overwrite = true});
  EXPECT_TRUE(kept.models.weight.equal(overwritten.models.weight));
  EXPECT_TRUE(kept.out_of_fold.equal(overwritten.out_of_fold));
}

TEST(LinearModels, PoissonRegressionsFindTheLogarithmOfCountsWhateverTheDepth) {
  Rng rng(9);
  at::Tensor x = at::zeros({3000, 2}), y = at::zeros({3000, 3});
  std::vector<int64_t> folds;
  for (int64_t i = 0; i < 3000; ++i) {
    const double logit = rng.normal() / 2;
    x[i][0] = logit + 7;
    x[i][1] = rng.normal();
    for (const int64_t f : {0, 1}) {
      double count = 0;
      for (double left = (f == 0 ? 2 : 50) * std::exp(logit); (left += std::log(1 - rng.uniform())) > 0;) ++count;
      y[i][f] = count;
    }
    folds.push_back(i % 5);
  }
  const auto fit = fit_linear_models(x, y, folds, 1, {}, dataset::LabelType::counts);
  for (const int64_t f : {0, 1}) {
    EXPECT_NEAR(fit.models.weight[f][0].item<double>(), 1, 0.1);
    EXPECT_NEAR(fit.models.weight[f][1].item<double>(), 0, 0.05);
    EXPECT_NEAR(fit.models.bias[f].item<double>() + 7, std::log(f == 0 ? 2. : 50.), 0.7);
    const at::Tensor expected = fit.out_of_fold.select(1, f).exp();
    EXPECT_NEAR(expected.sum().item<double>() / y.select(1, f).sum().item<double>(), 1, 0.02);
  }
  EXPECT_EQ(fit.models.weight[2][0].item<float>(), 0) << "a track without counts";
}

}  // namespace
}  // namespace bigdna::linear
