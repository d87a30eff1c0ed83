// What the fused backend adds to the kernels: strides, autograd, types, LibTorch's threads. Patterns are
// compared in the backends' own test.
#include "model/attention/fused.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "model/attention/backend.h"

namespace bigdna::model {
namespace {

constexpr int64_t kBatch = 2, kHeads = 3, kTokens = 256, kSize = 32;

AttentionPlan plan() {
  sparsity::PatternConfig pattern;
  pattern.block = 16;
  return plan_attention(pattern, 0, kHeads, {kTokens, 199}, kTokens);
}

/// [batch, heads, n, head_size], leaves: as a projection leaves them where `interleaved`.
std::vector<at::Tensor> inputs(bool interleaved, at::ScalarType type = at::kFloat) {
  std::vector<at::Tensor> tensors;
  for (int i = 0; i < 3; ++i) {
    at::Tensor x = at::randn({kBatch, kHeads, kTokens, kSize}, at::kFloat).to(type);
    if (interleaved) x = x.permute({0, 2, 1, 3}).contiguous().permute({0, 2, 1, 3});
    tensors.push_back(x.detach().requires_grad_());
  }
  return tensors;
}

/// The output and the gradients of a weighted sum of it.
std::vector<at::Tensor> run(AttentionFunction attention, const std::vector<at::Tensor>& inputs,
                            const AttentionOptions& options, const at::Tensor& weights) {
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& x : inputs) leaves.push_back(x.detach().requires_grad_());
  const at::Tensor out = attention(leaves[0], leaves[1], leaves[2], plan(), options);
  (out * weights).sum().backward();
  return {out.detach(), leaves[0].grad(), leaves[1].grad(), leaves[2].grad()};
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  return ((a.to(at::kDouble) - b.to(at::kDouble)).abs().max() / b.to(at::kDouble).abs().max()).item<double>();
}

TEST(Fused, equals_the_reference_with_any_strides) {
  for (const double dropout : {0.0, 0.1})
    for (const bool interleaved : {false, true}) {
      const auto tensors = inputs(interleaved);
      for (const at::Tensor& weights :
           {at::randn({kBatch, kHeads, kTokens, kSize}), at::randn({kBatch, kHeads, kSize, kTokens}).transpose(2, 3),
            at::randn({1}).expand({kBatch, kHeads, kTokens, kSize})}) {
        const AttentionOptions options{dropout, 7, 2};
        const auto ours = run(fused_attention, tensors, options, weights);
        const auto expected = run(backend("dense").run, tensors, options, weights);
        for (size_t i = 0; i < ours.size(); ++i) EXPECT_LT(difference(ours[i], expected[i]), 5e-6) << i;
      }
    }
}

TEST(Fused, inference_equals_training_without_dropout) {
  const auto tensors = inputs(true);
  const at::Tensor training = fused_attention(tensors[0], tensors[1], tensors[2], plan(), {});
  EXPECT_TRUE(training.requires_grad());
  const at::NoGradGuard guard;
  const at::Tensor inference = fused_attention(tensors[0], tensors[1], tensors[2], plan(), {});
  EXPECT_FALSE(inference.requires_grad());
  EXPECT_TRUE(at::equal(training, inference));
}

TEST(Fused, threads_change_nothing) {
  const auto tensors = inputs(true);
  const at::Tensor weights = at::randn({kBatch, kHeads, kTokens, kSize});
  const auto one = run(fused_attention, tensors, {0.1, 3, 1}, weights),
             two = run(fused_attention, tensors, {0.1, 3, 2}, weights);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::equal(one[i], two[i])) << i;
}

TEST(Fused, heads_merge_without_a_copy) {
  const auto tensors = inputs(false);
  const at::NoGradGuard guard;
  EXPECT_TRUE(fused_attention(tensors[0], tensors[1], tensors[2], plan(), {}).permute({0, 2, 1, 3}).is_contiguous());
}

TEST(Fused, bf16_is_within_its_rounding) {
  const auto tensors = inputs(true, at::kBFloat16);
  const at::Tensor weights = at::randn({kBatch, kHeads, kTokens, kSize}).to(at::kBFloat16);
  const auto ours = run(fused_attention, tensors, {0, 0, 2}, weights);
  std::vector<at::Tensor> wide;
  for (const at::Tensor& x : tensors) wide.push_back(x.to(at::kFloat));
  const auto expected = run(backend("dense").run, wide, {0, 0, 2}, weights.to(at::kFloat));
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].scalar_type(), at::kBFloat16);
    EXPECT_LT(difference(ours[i], expected[i]), 1e-2) << i;
  }
}

TEST(Fused, auto_takes_it_where_it_serves) {
  EXPECT_TRUE(fused_serves(at::empty({1}, at::kFloat)));
  EXPECT_FALSE(fused_serves(at::empty({1}, at::kDouble)));
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    const auto tensors = inputs(true, type);
    EXPECT_TRUE(at::equal(backend("auto").run(tensors[0], tensors[1], tensors[2], plan(), {}),
                          fused_attention(tensors[0], tensors[1], tensors[2], plan(), {})));
  }
  const at::Tensor x = at::randn({kBatch, kHeads, kTokens, kSize}, at::kDouble);
  EXPECT_THROW(fused_attention(x, x, x, plan(), {}), Error);
  EXPECT_EQ(backend("auto").run(x, x, x, plan(), {}).scalar_type(), at::kDouble);
  EXPECT_THROW(fused_attention(x.to(at::kFloat), x.to(at::kFloat).slice(2, 0, 16), x.to(at::kFloat), plan(), {}),
               Error);
}

}  // namespace
}  // namespace bigdna::model
