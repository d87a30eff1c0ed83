// The row kernels against LibTorch's operations, forward and backward.
#include "model/fused_rows.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "model/cross_entropy.h"
#include "model/dropout.h"
#include "model/gated.h"
#include "model/rotary.h"
#include "model_support.h"

namespace bigdna::model {
namespace {

constexpr int64_t kShapes[][2] = {{1, 1}, {3, 5}, {70, 16}, {33, 100}, {200, 256}, {5, 3072}};

/// A leaf of `type` with the values rounded to it, and its twin in double.
struct Leaf {
  at::Tensor ours, reference;
  Leaf(at::IntArrayRef shape, uint64_t seed, at::ScalarType type = at::kFloat)
      : ours(random_tensor(shape, seed).to(type).requires_grad_()),
        reference(ours.detach().to(at::kDouble).requires_grad_()) {}
  double gradient_error() const { return error(ours.grad(), reference.grad()); }
  static double error(const at::Tensor& a, const at::Tensor& b) {
    return max_difference(a.detach().to(at::kDouble), b.detach()) /
           std::max(1.0, b.detach().abs().max().item<double>());
  }
};

class FusedRows : public testing::TestWithParam<at::ScalarType> {
 protected:
  double bound() const { return GetParam() == at::kFloat ? 3e-6 : 1.2e-2; }  // bf16 keeps 8 bits
};

TEST_P(FusedRows, bias_gelu) {
  for (const auto& [rows, columns] : kShapes) {
    Leaf x({rows, columns}, 1, GetParam()), bias({columns}, 2);
    const at::Tensor grad = random_tensor({rows, columns}, 3).to(GetParam());
    const at::Tensor out = bias_gelu(x.ours, bias.ours), expected = at::gelu(x.reference + bias.reference, "tanh");
    EXPECT_EQ(out.scalar_type(), GetParam());
    out.backward(grad);
    expected.backward(grad.to(at::kDouble));
    EXPECT_LE(Leaf::error(out, expected), bound());
    EXPECT_LE(x.gradient_error(), bound());
    EXPECT_LE(bias.gradient_error(), bound());
    // without gradients it works in place
    const at::Tensor fresh = x.ours.detach().clone(), in_place = bias_gelu(fresh, bias.ours.detach());
    EXPECT_EQ(fresh.const_data_ptr(), in_place.const_data_ptr());
    EXPECT_TRUE(in_place.equal(out.detach()));
  }
}

TEST_P(FusedRows, residual_norm) {
  for (const double probability : {0.0, 0.3})
    for (const auto& [rows, columns] : kShapes) {
      Leaf x({rows, columns}, 1, GetParam()), residual({rows, columns}, 2, GetParam()), bias({columns}, 3),
          weight({columns}, 4), shift({columns}, 5);
      const at::Tensor grad = random_tensor({rows, columns}, 6).to(GetParam());
      const double epsilon = columns == 1 ? 1.0 : 1e-5;
      const uint64_t seed = 0x123456789abcdef0;
      const at::Tensor out =
          residual_norm(x.ours, bias.ours, residual.ours, weight.ours, shift.ours, epsilon, probability, seed);
      const at::Tensor sum = residual.reference + dropout(x.reference + bias.reference, probability, seed);
      const at::Tensor expected = at::layer_norm(sum, {columns}, weight.reference, shift.reference, epsilon);
      EXPECT_EQ(out.scalar_type(), GetParam());
      out.backward(grad);
      expected.backward(grad.to(at::kDouble));
      const double allowed = columns < 10 ? 20 * bound() : bound();  // a short row's deviation may be small
      EXPECT_LE(Leaf::error(out, expected), allowed);
      for (const Leaf* leaf : {&x, &residual, &bias, &weight, &shift})
        EXPECT_LE(leaf->gradient_error(), allowed) << rows << " x " << columns;
      const at::Tensor fresh = x.ours.detach().clone();
      const at::Tensor in_place = residual_norm(fresh, bias.ours.detach(), residual.ours.detach(), weight.ours.detach(),
                                                shift.ours.detach(), epsilon, probability, seed);
      EXPECT_EQ(fresh.const_data_ptr(), in_place.const_data_ptr());
      EXPECT_TRUE(in_place.equal(out.detach()));
    }
}

TEST_P(FusedRows, add_norm) {
  for (const double probability : {0.0, 0.3})
    for (const auto& [rows, columns] : kShapes) {
      Leaf x({rows, columns}, 1, GetParam()), residual({rows, columns}, 2, GetParam()), weight({columns}, 4);
      const at::Tensor grad_sum = random_tensor({rows, columns}, 6).to(GetParam()),
                       grad = random_tensor({rows, columns}, 7).to(GetParam());
      const double epsilon = columns == 1 ? 1.0 : 1e-5;
      const auto [sum, out] = add_norm(x.ours, residual.ours, weight.ours, epsilon, probability, 9);
      const at::Tensor e_sum = residual.reference + dropout(x.reference, probability, uint64_t{9});
      const at::Tensor expected = at::layer_norm(e_sum, {columns}, weight.reference, {}, epsilon);
      EXPECT_EQ(out.scalar_type(), GetParam());
      at::Tensor loss = (sum * grad_sum).sum() + (out * grad).sum();
      loss.backward();
      (e_sum * grad_sum + expected * grad).sum().backward();
      const double allowed = columns < 10 ? 20 * bound() : bound();
      EXPECT_LE(Leaf::error(sum, e_sum), bound());
      EXPECT_LE(Leaf::error(out, expected), allowed);
      for (const Leaf* leaf : {&x, &residual, &weight})
        EXPECT_LE(leaf->gradient_error(), allowed) << rows << " x " << columns;
      const auto plain =
          add_norm(x.ours.detach().clone(), residual.ours.detach(), weight.ours.detach(), epsilon, probability, 9);
      EXPECT_TRUE(plain.first.equal(sum.detach()) && plain.second.equal(out.detach()));
    }
}

TEST_P(FusedRows, gated) {
  for (const auto& [rows, columns] : kShapes) {
    Leaf x({rows, 2 * columns}, 1, GetParam());
    const at::Tensor grad = random_tensor({rows, columns}, 3).to(GetParam());
    for (const std::string activation : {"gelu", "gelu_new"}) {
      x.ours.mutable_grad().reset(), x.reference.mutable_grad().reset();
      const at::Tensor out = gated(x.ours, activation);
      const at::Tensor expected = at::gelu(x.reference.narrow(1, 0, columns), activation == "gelu" ? "none" : "tanh") *
                                  x.reference.narrow(1, columns, columns);
      EXPECT_EQ(out.scalar_type(), GetParam());
      out.backward(grad);
      expected.backward(grad.to(at::kDouble));
      EXPECT_LE(Leaf::error(out, expected), bound());
      EXPECT_LE(x.gradient_error(), bound());
    }
  }
}

// LibTorch's operations, which serve other types, are the reference of the kernel.
TEST_P(FusedRows, rotate) {
  const auto rotation = make_rotation(-2, 7, 6, 100, at::kCPU);
  Leaf qkv({2, 7, 3, 2, 6}, 1, GetParam());
  const auto ours = rotate(qkv.ours.clone(), rotation), expected = rotate(qkv.reference.clone(), rotation);
  for (size_t part = 0; part < 3; ++part) {
    EXPECT_LE(Leaf::error(ours[part], expected[part]), bound());
    const at::Tensor grad = random_tensor({2, 7, 2, 6}, 2 + part).to(GetParam());
    ours[part].backward(grad, /*retain_graph=*/true);
    expected[part].backward(grad.to(at::kDouble), /*retain_graph=*/true);
  }
  EXPECT_LE(qkv.gradient_error(), bound());
}

TEST_P(FusedRows, cross_entropy) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{1, 3}, {40, 33}, {70, 1000}}) {
    Leaf logits({rows + 2, columns}, 1, GetParam()), bias({columns}, 2);
    const at::Tensor labels = at::arange(rows, at::kLong) * 7 % columns;
    const auto scores = cross_entropy(logits.ours.clone(), bias.ours, labels);
    const at::Tensor values = logits.reference.narrow(0, 0, rows) + bias.reference;
    const at::Tensor expected = at::cross_entropy_loss(values, labels, {}, at::Reduction::None);
    EXPECT_EQ(scores.nats.scalar_type(), at::kFloat);
    EXPECT_TRUE(scores.right.equal(values.argmax(1).eq(labels)));
    EXPECT_LE(Leaf::error(scores.nats, expected), 1e-6);
    const at::Tensor grad = random_tensor({rows}, 3), loss = (scores.nats * grad).sum();
    loss.backward({}, /*retain_graph=*/true);
    expected.backward(grad.to(at::kDouble));
    EXPECT_LE(logits.gradient_error(), bound());
    EXPECT_LE(bias.gradient_error(), 3e-6);
    EXPECT_THROW(loss.backward(), Error);  // the logits are gone
  }
}

TEST_P(FusedRows, threads_change_nothing) {
  const int before = at::get_num_threads();
  std::vector<at::Tensor> results[2];
  for (const int threads : {1, 3}) {
    at::set_num_threads(threads);
    Leaf x({500, 96}, 1, GetParam()), bias({96}, 2), weight({96}, 3), shift({96}, 4);
    const at::Tensor out =
        residual_norm(bias_gelu(x.ours, bias.ours), bias.ours, x.ours, weight.ours, shift.ours, 1e-12, 0.1, 7);
    out.backward(random_tensor({500, 96}, 6).to(GetParam()));
    Leaf wide({500, 192}, 7, GetParam());
    const auto [sum, normed] = add_norm(gated(wide.ours, "gelu"), out.detach(), weight.ours, 1e-5, 0.1, 8);
    const auto scores = cross_entropy(normed + sum, bias.ours, at::arange(500, at::kLong) % 96);
    scores.nats.sum().backward();
    results[threads == 3] = {out.detach(),      x.ours.grad(),        bias.ours.grad(), weight.ours.grad(),
                             shift.ours.grad(), scores.nats.detach(), wide.ours.grad()};
  }
  at::set_num_threads(before);
  for (size_t i = 0; i < results[0].size(); ++i) EXPECT_TRUE(results[0][i].equal(results[1][i])) << i;
}

TEST(FusedRowsServe, cpu_floats_alone) {
  const at::Tensor bias = random_tensor({3}, 2), x = random_tensor({2, 2}, 1), wide = x.to(at::kDouble);
  EXPECT_TRUE(bias_gelu_serves(x, bias) && residual_norm_serves(x, bias));
  EXPECT_FALSE(bias_gelu_serves(wide, bias) || residual_norm_serves(wide, bias));
}

INSTANTIATE_TEST_SUITE_P(types, FusedRows, testing::Values(at::kFloat, at::kBFloat16),
                         [](const auto& type) { return std::string(type.param == at::kFloat ? "fp32" : "bf16"); });

}  // namespace
}  // namespace bigdna::model
