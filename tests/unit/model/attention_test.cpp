/// Every backend against the reference, for every pattern: outputs, gradients, padding.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "model/attention/backend.h"
#include "model_support.h"

namespace bigdna::model {
namespace {

struct Result {
  at::Tensor out, grad_q, grad_k, grad_v;
};

/// Attention and the gradients of sum(out * weights) on copies of q, k, v.
Result attend(std::string_view name, const std::vector<at::Tensor>& qkv, const at::Tensor& weights, const AttentionPlan& plan,
              const AttentionOptions& options = {}) {
  std::vector<at::Tensor> leaves;
  for (const auto& x : qkv) leaves.push_back(x.detach().clone().requires_grad_(true));
  const at::Tensor out = backend(name).run(leaves[0], leaves[1], leaves[2], plan, options);
  (out * weights).sum().backward();
  return {out.detach(), leaves[0].grad(), leaves[1].grad(), leaves[2].grad()};
}

constexpr double kTolerance = 2e-6;
/// Largest magnitude, at least 1: what tolerances are relative to.
double scale(const at::Tensor& x) { return std::max(1.0, max_difference(x, 0)); }

struct Case {
  sparsity::PatternConfig pattern;
  std::vector<int64_t> lengths;
  int64_t n;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.pattern.name << " " << sparsity::to_string(c.pattern.random_blocks) << " block " << c.pattern.block << " batch " << c.lengths.size() << " n " << c.n;
}

std::vector<Case> cases(bool blocks_once) {
  std::vector<Case> list;
  std::vector<sparsity::PatternConfig> patterns;
  for (const auto& row : sparsity::patterns()) patterns.push_back({.name = std::string(row.name), .block = 4, .seed = 3});
  patterns.push_back({.block = 4, .global = 3, .random = 2, .global_blocks = sparsity::GlobalBlocks::first});
  if (!blocks_once) {
    patterns.push_back({.block = 4, .random_blocks = sparsity::RandomBlocks::huggingface});
    patterns.push_back({.block = 4, .random_blocks = sparsity::RandomBlocks::original});
  }
  for (const auto& pattern : patterns) {
    list.push_back({pattern, {4}, 4});                              // one block
    list.push_back({pattern, {1}, 64});                             // all padding but one token
    list.push_back({pattern, {61}, 64});                            // odd length
    list.push_back({pattern, {96, 1, 57, 33, 5, 80, 95}, 96});      // lengths that differ, short ones among them
  }
  return list;
}

class Attention : public testing::TestWithParam<Case> {};

TEST_P(Attention, EqualsTheReference) {
  const auto& c = GetParam();
  const int64_t heads = 3, size = 8;
  const AttentionPlan plan = plan_attention(c.pattern, 1, heads, c.lengths, c.n);
  std::vector<at::Tensor> qkv;
  for (uint64_t i = 0; i < 4; ++i) qkv.push_back(random_tensor({static_cast<int64_t>(c.lengths.size()), heads, c.n, size}, i));
  const at::Tensor weights = qkv.back();
  qkv.pop_back();
  const Result expected = attend("dense", qkv, weights, plan);
  for (const auto& row : backends()) {
    SCOPED_TRACE(std::string(row.name));
    const Result actual = attend(row.name, qkv, weights, plan);
    EXPECT_LT(max_difference(actual.out, expected.out), kTolerance * scale(expected.out));
    EXPECT_LT(max_difference(actual.grad_q, expected.grad_q), kTolerance * scale(expected.grad_q));
    EXPECT_LT(max_difference(actual.grad_k, expected.grad_k), kTolerance * scale(expected.grad_k));
    EXPECT_LT(max_difference(actual.grad_v, expected.grad_v), kTolerance * scale(expected.grad_v));
    for (size_t b = 0; b < c.lengths.size(); ++b) {
      if (c.lengths[b] == c.n) continue;
      EXPECT_EQ(max_difference(actual.out.select(0, b).narrow(1, c.lengths[b], c.n - c.lengths[b]), 0), 0);
    }
  }
}

/// Patterns that attend to no block twice: the reference has one weight for both, and drops it once.
class AttentionDropout : public testing::TestWithParam<Case> {};

TEST_P(AttentionDropout, IsTheSameInEveryBackend) {
  const auto& c = GetParam();
  const int64_t heads = 2;
  const AttentionPlan plan = plan_attention(c.pattern, 0, heads, c.lengths, c.n);
  std::vector<at::Tensor> qkv;
  for (uint64_t i = 0; i < 4; ++i) qkv.push_back(random_tensor({static_cast<int64_t>(c.lengths.size()), heads, c.n, 8}, i));
  const AttentionOptions options{.dropout = 0.3, .dropout_seed = 99};
  const at::Tensor weights = qkv.back();
  qkv.pop_back();
  const Result expected = attend("dense", qkv, weights, plan, options);
  EXPECT_GT(max_difference(expected.out, attend("dense", qkv, weights, plan).out), c.lengths[0] > 4 ? 0.01 : -1);
  for (const auto& row : backends()) {
    const Result actual = attend(row.name, qkv, weights, plan, options);
    EXPECT_LT(max_difference(actual.out, expected.out), 5e-6) << row.name;
    EXPECT_LT(max_difference(actual.grad_k, expected.grad_k), 1e-5) << row.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, Attention, testing::ValuesIn(cases(false)));
INSTANTIATE_TEST_SUITE_P(Patterns, AttentionDropout, testing::ValuesIn(cases(true)));

TEST(AttentionPlanTest, LayoutsFollowTheRealLengthExceptInHuggingFaceMode) {
  EXPECT_EQ(plan_attention({.block = 4}, 0, 2, {33, 64}, 64).layouts[0]->blocks, 9);
  EXPECT_EQ(plan_attention({.block = 4, .random_blocks = sparsity::RandomBlocks::huggingface}, 0, 2, {33, 64}, 64).layouts[0]->blocks, 16);
  EXPECT_THROW(plan_attention({.block = 4}, 0, 2, {0}, 64), Error);
}

TEST(Backends, UnknownNamesAreUsageErrors) {
  EXPECT_THROW(backend("flash"), UsageError);
  for (const auto& row : backends()) EXPECT_EQ(backend(row.name).name, row.name);
}

}  // namespace
}  // namespace bigdna::model
