#include "training/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/poisson_nll_loss.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace bigdna::training {
namespace {

using dataset::LabelType;

TEST(Loss, ByHand) {
  const at::Tensor logits = at::tensor({1.f, -2.f, 0.5f, 3.f}).view({2, 2});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Loss squares{LabelType::regression, {}, false}, huber{LabelType::regression, {}, true};
  const at::Tensor targets = at::tensor({0.5f, nan, 0.5f, 0.f}).view({2, 2});
  EXPECT_NEAR(squares.sum(logits, targets).item<float>(), (0.25 + 9) / 2, 1e-6);
  EXPECT_NEAR(huber.sum(logits, targets).item<float>(), 0.125 + 2.5, 1e-6);
  const Loss classes{LabelType::classes, at::tensor({1.f, 3.f}), false};
  const at::Tensor truth = at::tensor({1.f, 0.f, 0.f, 1.f}).view({2, 2});
  EXPECT_NEAR(classes.sum(logits, truth).item<float>(), std::log1p(std::exp(-3)) + 3 * std::log1p(std::exp(-2.5)),
              1e-5);
  EXPECT_EQ(classes.count(4, 2), 4);
  const Loss counts{LabelType::counts, at::tensor({0.5f, 2.f}), false};
  const at::Tensor reads = at::tensor({2.f, 0.f, 1.f, 7.f}).view({2, 2});
  EXPECT_NEAR(counts.sum(logits, reads).item<float>(),
              0.5 * (std::exp(1) - 2 + std::exp(0.5) - 0.5) + 2 * (std::exp(-2) + std::exp(3) - 21), 1e-4);
  EXPECT_EQ(counts.count(4, 2), 8);
  EXPECT_EQ(squares.count(4, 2), 8);
}

TEST(BinLoss, OfCountsIsPoissonsWithItsGradient) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor z = at::tensor({0.3f, -1.2f, 2.f, 0.7f, 0.1f, 5.f}).view({3, 2}).requires_grad_(true);
  const at::Tensor y = at::tensor({2.f, 0.f, 7.f, nan, 1.f, 90.f}).view({3, 2}), weights = at::tensor({0.5f, 0.25f});
  const auto& loss = bin_loss(LabelType::counts);
  const at::Tensor sum = loss.sum(z, y, weights);
  // LibTorch's, without the count that is missing
  const at::Tensor each = at::poisson_nll_loss(z.detach(), at::nan_to_num(y), /*log_input=*/true, /*full=*/false, 1e-8,
                                               at::Reduction::None);
  const at::Tensor known = at::tensor({1.f, 1.f, 1.f, 0.f, 1.f, 1.f}).view({3, 2});
  EXPECT_NEAR(sum.item<float>(), (each * weights * known).sum().item<float>(), 1e-4);
  sum.backward();
  const auto value = [&](const at::Tensor& logits) {
    return loss.sum(logits.to(at::kDouble), y.to(at::kDouble), weights.to(at::kDouble)).item<double>();
  };
  for (int64_t row = 0; row < 3; ++row)
    for (int64_t f = 0; f < 2; ++f) {
      at::Tensor more = z.detach().to(at::kDouble).clone(), fewer = more.clone();
      more[row][f] += 1e-4;
      fewer[row][f] -= 1e-4;
      const double slope = (value(more) - value(fewer)) / 2e-4;
      EXPECT_NEAR(z.grad()[row][f].item<double>(), slope, 1e-4 * std::max(1., std::abs(slope))) << row << " " << f;
    }
  EXPECT_EQ(z.grad()[1][1].item<float>(), 0) << "of a missing count";
}

TEST(BinLoss, StartsAtTheMeanAndWeighsTracksByIt) {
  EXPECT_DOUBLE_EQ(bin_loss(LabelType::counts).start(9.5), std::log(9.5));
  EXPECT_DOUBLE_EQ(bin_loss(LabelType::counts).weight(9.5, 0.5), 1 / 9.5);
  EXPECT_DOUBLE_EQ(bin_loss(LabelType::multilabel).start(0.25), std::log(1. / 3));
  EXPECT_DOUBLE_EQ(bin_loss(LabelType::multilabel).weight(0.25, 0.5), 2);
}

}  // namespace
}  // namespace bigdna::training
