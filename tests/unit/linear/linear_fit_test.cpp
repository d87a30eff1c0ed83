#include "linear/linear_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/rng.h"

namespace bigdna::linear {
namespace {
using dataset::LabelType;

struct Case {
  at::Tensor x, y;
  std::vector<int64_t> folds;
};

/// Columns of unlike scales, one of them constant; `outputs` numbers, labels or classes that depend on the first few.
Case draw(uint64_t seed, int64_t rows, int64_t columns, int64_t outputs, LabelType type) {
  Rng rng(seed);
  Case drawn{at::empty({rows, columns}), at::zeros({rows, outputs}), {}};
  auto* x = drawn.x.mutable_data_ptr<float>();
  auto* y = drawn.y.mutable_data_ptr<float>();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j)
      x[i * columns + j] =
          j == 2 ? 7.f : static_cast<float>(rng.normal() * std::pow(10, static_cast<double>(j % 3) - 1));
    const float* row = x + i * columns;
    if (type == LabelType::regression)
      for (int64_t f = 0; f < outputs; ++f)
        y[i * outputs + f] = static_cast<float>(3 * row[0] + static_cast<double>(f) * row[1] + 2 + 0.3 * rng.normal());
    else if (type == LabelType::multilabel)
      for (int64_t f = 0; f < outputs; ++f)
        y[i * outputs + f] = (f < 2 ? row[f] * (f ? 1 : 10) : 0.) + rng.normal() > 0.5 + 0.5 * static_cast<double>(f);
    else
      y[i * outputs + (row[0] + 0.05 * rng.normal() > 0 ? 1 : row[1] > 0.5 ? 2 : 0)] = 1;
    drawn.folds.push_back(i % 4);
  }
  return drawn;
}

TEST(FitLinear, ARidgeWithMissingNumbersIsThatOfTheRowsThatHaveThem) {
  auto drawn = draw(1, 60, 8, 2, LabelType::regression);
  auto* y = drawn.y.mutable_data_ptr<float>();
  for (int64_t i = 0; i < 60; i += 5) y[2 * i + 1] = std::numeric_limits<float>::quiet_NaN();
  const auto fit = fit_linear(drawn.x, drawn.y, drawn.folds, LabelType::regression, 2);
  const auto alone = fit_linear(drawn.x, drawn.y.narrow(1, 0, 1), drawn.folds, LabelType::regression, 1);
  EXPECT_TRUE(fit.models.weight[0].equal(alone.models.weight[0]));  // one thread or two
  EXPECT_TRUE(at::isfinite(fit.models.weight).all().item<bool>() && at::isfinite(fit.models.bias).all().item<bool>());
  EXPECT_EQ(fit.models.weight[0][2].item<float>(), 0);  // the constant column says nothing
  const at::Tensor error = fit.models.logits(drawn.x).select(1, 0) - drawn.y.select(1, 0);
  EXPECT_LT(error.square().mean().item<float>(), 0.15);
}

TEST(FitLinear, ANumberThatNoRowHasIsItsMean) {
  auto drawn = draw(1, 60, 8, 2, LabelType::regression);
  drawn.y.select(1, 1).fill_(std::numeric_limits<float>::quiet_NaN());
  const auto fit = fit_linear(drawn.x, drawn.y, drawn.folds, LabelType::regression, 1);
  const auto alone = fit_linear(drawn.x, drawn.y.narrow(1, 0, 1), drawn.folds, LabelType::regression, 1);
  EXPECT_TRUE(fit.models.weight[0].equal(alone.models.weight[0]));
  EXPECT_EQ(fit.models.logits(drawn.x).select(1, 1).abs().max().item<float>(), 0);
  EXPECT_EQ(fit.out_of_fold.select(1, 1).abs().max().item<float>(), 0);
}

TEST(FitLinear, ClassesAreToldApart) {
  const auto drawn = draw(2, 200, 6, 3, LabelType::classes);
  const auto fit = fit_linear(drawn.x, drawn.y, drawn.folds, LabelType::classes, 2);
  const at::Tensor right = fit.models.logits(drawn.x).argmax(1) == drawn.y.argmax(1);
  EXPECT_GT(right.to(at::kFloat).mean().item<float>(), 0.8);  // the commonest class is half of the rows
  const at::Tensor out = fit.out_of_fold.argmax(1) == drawn.y.argmax(1);
  EXPECT_GT(out.to(at::kFloat).mean().item<float>(), 0.8);
}

// With BIGDNA_LINEAR_CASES set the fits are written there, for tests/peers/linear_test.py to compare with scikit-learn.
TEST(FitLinear, Cases) {
  auto cases = nlohmann::json::array();
  for (uint64_t number = 0; number < 9; ++number) {
    const auto type = number % 3 == 0   ? LabelType::multilabel
                      : number % 3 == 1 ? LabelType::classes
                                        : LabelType::regression;
    const auto drawn =
        draw(10 + number, number < 6 ? 120 : 30, number < 6 ? 6 : 45, type == LabelType::regression ? 2 : 3, type);
    const auto fit = fit_linear(drawn.x, drawn.y, drawn.folds, type, 2);
    const auto list = [](const at::Tensor& tensor) {
      const at::Tensor values = tensor.contiguous();
      return std::vector<float>(values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.numel());
    };
    cases.push_back({{"type", dataset::label_type_name(type)},
                     {"rows", drawn.x.size(0)},
                     {"x", list(drawn.x)},
                     {"y", list(drawn.y)},
                     {"folds", drawn.folds},
                     {"outputs", list(fit.models.logits(drawn.x))},
                     {"out_of_fold", list(fit.out_of_fold)}});
    EXPECT_EQ(fit.out_of_fold.size(0), drawn.x.size(0));
    EXPECT_LT((fit.out_of_fold_of(drawn.x, drawn.folds) - fit.out_of_fold).abs().max().item<float>(), 1e-3);
  }
  if (const char* path = std::getenv("BIGDNA_LINEAR_CASES")) std::ofstream(path) << cases.dump();
}

}  // namespace
}  // namespace bigdna::linear
