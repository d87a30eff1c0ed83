#include "model/convolution.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/conv1d.h>
#include <gtest/gtest.h>

#include "model_support.h"

namespace bigdna::model {
namespace {

struct Case {
  int64_t batch, positions, inputs, outputs, taps, dilation;
};

// LibTorch's own convolution in double precision, channels first.
TEST(Convolution, OutputsAndGradientsAreThoseOfLibTorch) {
  for (const Case& c : {Case{1, 50, 8, 16, 5, 1}, Case{3, 20, 5, 7, 3, 4}, Case{2, 4, 6, 3, 5, 3},
                        Case{1, 1, 4, 4, 3, 1}, Case{1, 300, 32, 24, 1, 1}}) {
    const at::Tensor weights = random_tensor({c.batch, c.positions, c.outputs}, 4);
    at::Tensor x = random_tensor({c.batch, c.positions, c.inputs}, 1).requires_grad_(true),
               weight = random_tensor({c.outputs, c.inputs, c.taps}, 2).requires_grad_(true),
               bias = random_tensor({c.outputs}, 3).requires_grad_(true);
    const at::Tensor out = convolution(x, weight, bias, c.dilation);
    (out * weights).sum().backward();
    const auto leaf = [](const at::Tensor& of) { return of.detach().to(at::kDouble).requires_grad_(true); };
    at::Tensor x2 = leaf(x), weight2 = leaf(weight), bias2 = leaf(bias);
    const at::Tensor expected =
        at::conv1d(x2.transpose(1, 2), weight2, bias2, {1}, {c.taps / 2 * c.dilation}, {c.dilation}).transpose(1, 2);
    (expected * weights).sum().backward();
    const auto difference = [](const at::Tensor& a, const at::Tensor& b) {
      return max_difference(a.to(at::kDouble), b) / (1 + b.abs().max().item<double>());
    };
    EXPECT_LT(difference(out, expected), 1e-6);
    EXPECT_LT(difference(x.grad(), x2.grad()), 1e-6);
    EXPECT_LT(difference(weight.grad(), weight2.grad()), 1e-6);
    EXPECT_LT(difference(bias.grad(), bias2.grad()), 1e-6);
  }
}

TEST(Convolution, InputsWithoutAGradientHaveNone) {
  const at::Tensor x = random_tensor({1, 9, 3}, 1);
  at::Tensor weight = random_tensor({2, 3, 3}, 2).requires_grad_(true);
  convolution(x, weight, random_tensor({2}, 3).requires_grad_(true), 1).sum().backward();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_TRUE(weight.grad().defined());
}

}  // namespace
}  // namespace bigdna::model
