#include "model/rotary.h"

#include <ATen/ops/matmul.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "model/gated.h"
#include "model/layers.h"
#include "model_support.h"

namespace bigdna::model {
namespace {

constexpr double kTheta = 50;

/// qkv turned number by number, in double precision.
at::Tensor reference(const at::Tensor& qkv, int64_t first) {
  at::Tensor turned = qkv.to(at::kDouble).clone();
  const int64_t half = qkv.size(4) / 2;
  for (int64_t b = 0; b < qkv.size(0); ++b)
    for (int64_t i = 0; i < qkv.size(1); ++i)
      for (int64_t part = 0; part < 2; ++part)
        for (int64_t h = 0; h < qkv.size(3); ++h)
          for (int64_t f = 0; f < half; ++f) {
            const at::Tensor head = turned[b][i][part][h];
            const double angle = static_cast<double>(first + i) *
                                 std::pow(kTheta, -2.0 * static_cast<double>(f) / static_cast<double>(2 * half));
            const auto z = std::complex(head[f].item<double>(), head[f + half].item<double>()) * std::polar(1.0, angle);
            head[f].fill_(z.real());
            head[f + half].fill_(z.imag());
          }
  return turned;
}

TEST(Rotary, TurnsPairsByTheirPlace) {
  const at::Tensor qkv = random_tensor({2, 7, 3, 2, 6}, 1);
  for (const int64_t first : {0, -3}) {
    const at::Tensor expected = reference(qkv, first);
    const auto parts = rotate(qkv.clone(), make_rotation(first, 7, 6, kTheta, at::kCPU));
    const auto rounded = rotate(qkv.to(at::kBFloat16), make_rotation(first, 7, 6, kTheta, at::kCPU));
    for (int64_t part = 0; part < 3; ++part) {
      EXPECT_LT(max_difference(parts[static_cast<size_t>(part)].to(at::kDouble), expected.select(2, part)), 2e-6)
          << part;
      EXPECT_EQ(rounded[static_cast<size_t>(part)].scalar_type(), at::kBFloat16);
      EXPECT_LT(max_difference(rounded[static_cast<size_t>(part)].to(at::kDouble), expected.select(2, part)), 0.04)
          << part;
    }
  }
}

TEST(Rotary, ProductsDependOnDistancesAlone) {
  const at::Tensor qkv = random_tensor({1, 6, 3, 1, 8}, 1);
  const auto products = [&](int64_t first) {
    const auto [q, k, v] = rotate(qkv.clone(), make_rotation(first, 6, 8, kTheta, at::kCPU));
    return at::matmul(q.view({6, 8}), k.view({6, 8}).t());
  };
  EXPECT_LT(max_difference(products(0), products(17)), 2e-5);
  EXPECT_GT(max_difference(products(0), at::matmul(qkv.select(2, 0).view({6, 8}), qkv.select(2, 1).view({6, 8}).t())),
            0.1);
}

// A turn is orthogonal, so the gradient is turned back; values' passes through.
TEST(Rotary, Gradients) {
  const at::Tensor qkv = random_tensor({2, 5, 3, 2, 4}, 1).requires_grad_(), grad = random_tensor({2, 5, 3, 2, 4}, 2);
  const auto rotation = make_rotation(0, 5, 4, kTheta, at::kCPU);
  const auto loss = [&](const at::Tensor& x) {
    const auto parts = rotate(x.clone(), rotation);
    at::Tensor sum = (parts[0] * grad.select(2, 0)).sum();
    for (int64_t part : {1, 2}) sum = sum + (parts[static_cast<size_t>(part)] * grad.select(2, part)).sum();
    return sum;
  };
  loss(qkv).backward();
  const at::Tensor direction = random_tensor(qkv.sizes(), 3);
  const double step = 1e-2;
  const double numeric =
      ((loss(qkv.detach() + direction * step) - loss(qkv.detach() - direction * step)) / (2 * step)).item<double>();
  EXPECT_NEAR(numeric, (qkv.grad() * direction).sum().item<double>(), 2e-3 * std::abs(numeric) + 1e-3);
  EXPECT_EQ(max_difference(qkv.grad().select(2, 2), grad.select(2, 2)), 0);
}

TEST(Gated, EqualsItsParts) {
  for (const std::string activation : {"gelu", "gelu_new", "relu"}) {
    const at::Tensor x = random_tensor({3, 5, 8}, 1).requires_grad_(), twin = x.detach().clone().requires_grad_(),
                     grad = random_tensor({3, 5, 4}, 2);
    const at::Tensor out = gated(x, activation),
                     expected = activate(twin.narrow(2, 0, 4), activation) * twin.narrow(2, 4, 4);
    EXPECT_LT(max_difference(out, expected), 1e-6) << activation;
    out.backward(grad);
    expected.backward(grad);
    EXPECT_LT(max_difference(x.grad(), twin.grad()), 1e-6) << activation;
  }
}

}  // namespace
}  // namespace bigdna::model
