#include "linear/kernel_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"
#include "linear/linear_fit.h"

namespace bigdna::linear {
namespace {

struct Problem {
  at::Tensor kmers, states, y;
  std::vector<int64_t> folds;
};

/// The label is the sign of a product of two k-mers, which no linear model can tell.
Problem products(int64_t rows) {
  Rng rng(11);
  Problem problem{at::empty({rows, 3}), at::empty({rows, 2}), at::empty({rows, 1}), {}};
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < 3; ++j) problem.kmers[i][j] = rng.normal();
    for (int64_t j = 0; j < 2; ++j) problem.states[i][j] = rng.normal();
    problem.y[i][0] = (problem.kmers[i][0] * problem.kmers[i][1]).item<float>() > 0 ? 1 : 0;
    problem.folds.push_back(i % 5);
  }
  return problem;
}

double share_of_right(const at::Tensor& logits, const at::Tensor& y) {
  return logits.gt(0).eq(y.gt(0.5)).to(at::kDouble).mean().item<double>();
}

TEST(KernelFit, LearnsWhatIsNotLinear) {
  const auto p = products(600);
  const auto linear = fit_linear(at::cat({p.kmers, p.states}, 1), p.y, p.folds, dataset::LabelType::binary, 1);
  const auto kernel = fit_kernel({{p.kmers, p.states}}, p.y, p.folds, dataset::LabelType::binary, 1, 1);
  EXPECT_LT(share_of_right(linear.out_of_fold, p.y), 0.6);
  EXPECT_GT(share_of_right(kernel.out_of_fold[0], p.y), 0.85);
  EXPECT_GT(share_of_right(kernel.model.logits(p.kmers, p.states), p.y), 0.9);
  // a second reading that says the same has the same logits, by models that saw nothing of the row
  const auto twice =
      fit_kernel({{p.kmers, p.states}, {p.kmers, p.states}}, p.y, p.folds, dataset::LabelType::binary, 1, 1);
  EXPECT_LT((twice.out_of_fold[1] - kernel.out_of_fold[0]).abs().max().item<double>(), 1e-3);
}

TEST(KernelFit, IsTheSameForAnyNumberOfThreadsAndOtherwiseForAnotherSeed) {
  const auto p = products(1100);  // more than there are landmarks
  const auto one = fit_kernel({{p.kmers, p.states}}, p.y, p.folds, dataset::LabelType::binary, 1, 1);
  const auto two = fit_kernel({{p.kmers, p.states}}, p.y, p.folds, dataset::LabelType::binary, 1, 2);
  const auto other = fit_kernel({{p.kmers, p.states}}, p.y, p.folds, dataset::LabelType::binary, 2, 1);
  EXPECT_EQ(one.model.weight.size(1), 1000);
  EXPECT_TRUE(one.out_of_fold[0].equal(two.out_of_fold[0]));
  EXPECT_TRUE(one.model.weight.equal(two.model.weight));
  EXPECT_FALSE(one.model.kmers.landmarks.equal(other.model.kmers.landmarks));
  EXPECT_LT((one.out_of_fold[0] - other.out_of_fold[0]).abs().mean().item<double>(), 0.5) << "landmarks matter little";
}

TEST(KernelFit, NothingIsLearnedOfShuffledLabels) {
  auto p = products(600);
  Rng rng(5);
  for (int64_t i = 0; i < 600; ++i) p.y[i][0] = rng.uniform() < 0.5 ? 1 : 0;
  const auto kernel = fit_kernel({{p.kmers, p.states}}, p.y, p.folds, dataset::LabelType::binary, 1, 1);
  EXPECT_NEAR(share_of_right(kernel.out_of_fold[0], p.y), 0.5, 0.07);
}

TEST(KernelFit, NumbersAndClassesAndColumnsThatAreConstant) {
  auto p = products(300);
  p.kmers.select(1, 2).fill_(3);
  const at::Tensor numbers = (p.kmers.select(1, 0) * p.kmers.select(1, 1)).unsqueeze(1).contiguous();
  const auto regression = fit_kernel({{p.kmers, p.states}}, numbers, p.folds, dataset::LabelType::regression, 1, 1);
  const double error = (regression.out_of_fold[0] - numbers).square().mean().item<double>();
  EXPECT_LT(error, 0.6 * numbers.square().mean().item<double>());
  const at::Tensor classes = at::cat({p.y, 1 - p.y}, 1);
  const auto fit = fit_kernel({{p.kmers, p.states}}, classes, p.folds, dataset::LabelType::classes, 1, 1);
  EXPECT_GT(share_of_right((fit.out_of_fold[0].select(1, 0) - fit.out_of_fold[0].select(1, 1)).unsqueeze(1), p.y), 0.8);
}

}  // namespace
}  // namespace bigdna::linear
