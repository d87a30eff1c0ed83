#include "training/loss.h"

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
  EXPECT_EQ(squares.count(4, 2), 8);
}

}  // namespace
}  // namespace bigdna::training
