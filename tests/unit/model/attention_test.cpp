/// Every backend against the reference, for every pattern: outputs, gradients, padding.
#include <ATen/TensorOperators.h>
#include <ATen/core/TensorAccessor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.h"
#include "model/attention/backend.h"
#include "model/attention/fused.h"
#include "model_support.h"

namespace bigdna::model {
namespace {

struct Result {
  at::Tensor out, grad_q, grad_k, grad_v;
};

/// Attention and the gradients of sum(out * weights) on copies of q, k, v.
Result attend(AttentionFunction run, const std::vector<at::Tensor>& qkv, const at::Tensor& weights,
              const AttentionPlan& plan, const AttentionOptions& options = {}) {
  std::vector<at::Tensor> leaves;
  for (const auto& x : qkv) leaves.push_back(x.detach().clone().requires_grad_(true));
  const at::Tensor out = run(leaves[0], leaves[1], leaves[2], plan, options);
  (out * weights).sum().backward();
  return {out.detach(), leaves[0].grad(), leaves[1].grad(), leaves[2].grad()};
}

/// LibTorch's own operations on whole matrices in the inputs' type: the error that a backend may double.
at::Tensor plain_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan,
                           const AttentionOptions&) {
  at::Tensor bias = at::full({q.size(0), q.size(1), q.size(2), q.size(2)}, -1e30);
  auto counts = bias.accessor<float, 4>();
  for (int64_t b = 0; b < q.size(0); ++b)
    for (int64_t h = 0; h < q.size(1); ++h)
      for (int64_t i = 0; i < plan.lengths[b]; ++i) {
        const auto& layout = *plan.layouts[b * q.size(1) + h];
        const bool hides = plan.causal && i / plan.block >= layout.prefix;
        std::vector<int> seen(q.size(2));
        for (const int32_t block : layout.keys_of(i / plan.block))
          for (int64_t j = block * plan.block;
               j < std::min<int64_t>((block + 1) * plan.block, hides ? i + 1 : plan.lengths[b]); ++j)
            counts[b][h][i][j] = std::log(static_cast<float>(++seen[j]));
      }
  const at::Tensor scores = at::matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(q.size(3)));
  const at::Tensor out = at::matmul(at::softmax(scores + bias.to(q.scalar_type()), 3), v);
  at::Tensor real = at::zeros({q.size(0), 1, q.size(2), 1}, q.options());
  for (int64_t b = 0; b < q.size(0); ++b) real.select(0, b).narrow(1, 0, plan.lengths[b]).fill_(1);
  return out * real;
}

struct Case {
  sparsity::PatternConfig pattern;
  std::vector<int64_t> lengths;
  int64_t n;
  std::vector<int64_t> prefixes = {};
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.pattern.name << " " << sparsity::to_string(c.pattern.random_blocks) << " block " << c.pattern.block
       << (c.pattern.causal ? " causal" : "") << " batch " << c.lengths.size() << " n " << c.n
       << (c.prefixes.empty() ? "" : " with prefixes");
}

/// Every pattern that can be causal.
std::vector<sparsity::PatternConfig> causal_patterns() {
  std::vector<sparsity::PatternConfig> patterns;
  for (const auto& row : sparsity::patterns())
    if (row.not_causal.empty())
      patterns.push_back({.name = std::string(row.name),
                          .block = 4,
                          .stride = row.reads & sparsity::kReadsStride ? 3 : 0,
                          .seed = 3,
                          .causal = true});
  return patterns;
}

std::vector<Case> cases(bool blocks_once) {
  std::vector<Case> list;
  std::vector<sparsity::PatternConfig> patterns;
  for (const auto& row : sparsity::patterns())
    patterns.push_back({.name = std::string(row.name), .block = 4, .seed = 3});
  for (const auto& pattern : causal_patterns()) patterns.push_back(pattern);
  patterns.push_back({.block = 4, .global = 3, .random = 2, .global_blocks = sparsity::GlobalBlocks::first});
  patterns.push_back({.name = "window", .block = 4, .dilation = 2, .growth = 1, .local_heads = 1});
  patterns.push_back({.name = "fixed", .block = 4, .factors = sparsity::Factors::by_head});
  if (!blocks_once) {
    patterns.push_back({.block = 4, .random_blocks = sparsity::RandomBlocks::huggingface});
    patterns.push_back({.block = 4, .random_blocks = sparsity::RandomBlocks::original});
  }
  for (const auto& pattern : patterns) {
    list.push_back({pattern, {4}, 4});                          // one block
    list.push_back({pattern, {1}, 64});                         // all padding but one token
    list.push_back({pattern, {61}, 64});                        // odd length
    list.push_back({pattern, {96, 1, 57, 33, 5, 80, 95}, 96});  // lengths that differ, short ones among them
    if (pattern.causal) list.push_back({pattern, {96, 1, 57, 33, 5, 80, 95}, 96, {50, 1, 57, 3, 0, 77, 94}});
  }
  return list;
}

class Attention : public testing::TestWithParam<std::tuple<Case, at::ScalarType>> {};

TEST_P(Attention, IsAsCloseToDoubleAsLibTorch) {
  const auto& [c, type] = GetParam();
  const int64_t heads = 3, size = 8;
  const AttentionPlan plan = plan_attention(c.pattern, 1, heads, c.lengths, c.n, c.prefixes);
  std::vector<at::Tensor> qkv, wide;
  for (uint64_t i = 0; i < 4; ++i) {
    qkv.push_back(random_tensor({static_cast<int64_t>(c.lengths.size()), heads, c.n, size}, i).to(type));
    wide.push_back(qkv.back().to(at::kDouble));
  }
  const at::Tensor weights = qkv.back(), wide_weights = wide.back();
  qkv.pop_back(), wide.pop_back();
  const Result expected = attend(backend("dense").run, wide, wide_weights, plan);
  const Result plain = attend(plain_attention, qkv, weights, plan);
  const double epsilon = type == at::kFloat ? 0x1p-21 : 0x1p-8;  // LibTorch may be exact where little is added
  for (const auto& row : backends()) {
    SCOPED_TRACE(std::string(row.name));
    const Result actual = attend(row.run, qkv, weights, plan);
    for (const auto part : {&Result::out, &Result::grad_q, &Result::grad_k, &Result::grad_v}) {
      const double scale = std::max(1.0, max_difference(expected.*part, 0));
      EXPECT_LE(max_difference(actual.*part, expected.*part),
                2 * max_difference(plain.*part, expected.*part) + epsilon * scale);
      EXPECT_EQ((actual.*part).scalar_type(), type);
    }
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
  const AttentionPlan plan = plan_attention(c.pattern, 0, heads, c.lengths, c.n, c.prefixes);
  std::vector<at::Tensor> qkv;
  for (uint64_t i = 0; i < 4; ++i)
    qkv.push_back(random_tensor({static_cast<int64_t>(c.lengths.size()), heads, c.n, 8}, i));
  const AttentionOptions options{.dropout = 0.3, .dropout_seed = 99};
  const at::Tensor weights = qkv.back();
  qkv.pop_back();
  const Result expected = attend(backend("dense").run, qkv, weights, plan, options);
  EXPECT_GT(max_difference(expected.out, attend(backend("dense").run, qkv, weights, plan).out),
            c.lengths[0] > 4 ? 0.01 : -1);
  for (const auto& row : backends()) {
    const Result actual = attend(row.run, qkv, weights, plan, options);
    EXPECT_LT(max_difference(actual.out, expected.out), 5e-6) << row.name;
    EXPECT_LT(max_difference(actual.grad_k, expected.grad_k), 1e-5) << row.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, Attention,
                         testing::Combine(testing::ValuesIn(cases(false)), testing::Values(at::kFloat, at::kBFloat16)));
INSTANTIATE_TEST_SUITE_P(Patterns, AttentionDropout, testing::ValuesIn(cases(true)));

// For every pattern and backend: the gradient of each output by what stands behind it is 0, and no other is. What
// stands behind it is read within the prefix alone, whose last whole block ends at `end`.
void expect_no_later(int64_t prefix, int64_t end) {
  const int64_t n = 40, real = 38;
  for (const auto& pattern : causal_patterns())
    for (const auto& row : backends()) {
      const AttentionPlan plan = plan_attention(pattern, 0, 1, {real}, n, {prefix});
      std::vector<at::Tensor> qkv;
      for (uint64_t i = 0; i < 3; ++i) qkv.push_back(random_tensor({1, 1, n, 8}, i).requires_grad_(true));
      const at::Tensor out = row.run(qkv[0], qkv[1], qkv[2], plan, {});
      for (int64_t i = 0; i < real; ++i) {
        for (auto& x : qkv) x.mutable_grad().reset();
        out.select(2, i).sum().backward({}, /*retain_graph=*/true);
        const int64_t hidden = std::max(i < end ? end : 0, i + 1);  // the first token that it must not read
        for (const auto& x : qkv)
          EXPECT_EQ(max_difference(x.grad().narrow(2, hidden, n - hidden), 0), 0) << pattern.name << " " << row.name;
        const auto keys = plan.layouts[0]->keys_of(i / pattern.block);
        if (i + 1 < hidden && std::ranges::find(keys, (i + 1) / pattern.block) != keys.end()) {
          EXPECT_GT(max_difference(qkv[2].grad().select(2, i + 1), 0), 0)
              << pattern.name << " " << row.name << " " << i;
        }
        EXPECT_GT(qkv[2].grad().abs().sum().item<double>(), 0) << pattern.name << " " << row.name;
      }
    }
}

TEST(CausalAttention, NoOutputDependsOnALaterToken) { expect_no_later(0, 0); }
TEST(CausalAttention, APrefixIsReadInBothDirections) { expect_no_later(23, 20); }

// `auto` computes the same; a mask that it left out would show.
TEST(CausalAttention, AutoHonoursIt) {
  const AttentionPlan plan = plan_attention({.name = "full", .block = 4, .causal = true}, 0, 1, {40}, 40);
  std::vector<at::Tensor> qkv;
  for (uint64_t i = 0; i < 3; ++i) qkv.push_back(random_tensor({1, 1, 40, 8}, i));
  const auto out = [&](const char* name) { return backend(name).run(qkv[0], qkv[1], qkv[2], plan, {}); };
  EXPECT_LT(max_difference(out("auto"), out("dense")), 1e-5);
  EXPECT_FALSE(fused_serves(at::empty({1}, at::kDouble), true));
}

TEST(AttentionPlanTest, LayoutsFollowTheRealLengthExceptInHuggingFaceMode) {
  EXPECT_EQ(plan_attention({.block = 4}, 0, 2, {33, 64}, 64).layouts[0]->blocks, 9);
  const sparsity::PatternConfig huggingface{.block = 4, .random_blocks = sparsity::RandomBlocks::huggingface};
  EXPECT_EQ(plan_attention(huggingface, 0, 2, {33, 64}, 64).layouts[0]->blocks, 16);
  EXPECT_THROW(plan_attention({.block = 4}, 0, 2, {0}, 64), Error);
}

TEST(Backends, UnknownNamesAreUsageErrors) {
  EXPECT_THROW(backend("flash"), UsageError);
  for (const auto& row : backends()) EXPECT_EQ(backend(row.name).name, row.name);
}

}  // namespace
}  // namespace bigdna::model
