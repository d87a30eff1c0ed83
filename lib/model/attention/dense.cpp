/// The reference: an n x n mask, double precision.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>

#include "model/attention/implementations.h"
#include "model/attention/mask.h"

namespace bigdna::model {
namespace {

/// [batch, heads, blocks, blocks]: the logarithm of how often a query block attends to a key block.
at::Tensor layout_bias(const AttentionPlan& plan, int64_t batch, int64_t heads, int64_t blocks) {
  at::Tensor bias = at::full({batch, heads, blocks, blocks}, -std::numeric_limits<double>::infinity(), at::kDouble);
  auto* data = bias.mutable_data_ptr<double>();
  for (size_t i = 0; i < plan.layouts.size(); ++i)
    for (int64_t query = 0; query < plan.layouts[i]->blocks; ++query) {
      double* row = data + (static_cast<int64_t>(i) * blocks + query) * blocks;
      for (const int32_t key : plan.layouts[i]->keys_of(query)) row[key] = std::log(std::exp(row[key]) + 1);
    }
  return bias;
}

at::Tensor dropout_mask(const AttentionOptions& options, int64_t batch_heads, int64_t n) {
  at::Tensor mask = at::empty({batch_heads, n, n}, at::kFloat);
  auto* data = mask.mutable_data_ptr<float>();
  for (int64_t i = 0; i < batch_heads; ++i)
    for (int64_t query = 0; query < n; ++query) fill_dropout(data + (i * n + query) * n, n, options, i, query, 0);
  return mask;
}

}  // namespace

at::Tensor dense_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan,
                           const AttentionOptions& options) {
  const int64_t batch = q.size(0), heads = q.size(1), n = q.size(2), blocks = n / plan.block;
  at::Tensor bias =
      layout_bias(plan, batch, heads, blocks).repeat_interleave(plan.block, 2).repeat_interleave(plan.block, 3);
  bias.add_(key_bias(plan, blocks).view({batch, 1, 1, n}));
  if (plan.causal) {
    const at::Tensor later = at::ones({n, n}, at::kBool).triu(1);
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t prefix = plan.layouts[static_cast<size_t>(b * heads)]->prefix * plan.block, rest = n - prefix;
      bias.select(0, b)
          .narrow(1, prefix, rest)
          .masked_fill_(later.narrow(0, prefix, rest), -std::numeric_limits<double>::infinity());
    }
  }
  bias.masked_fill_(bias.isneginf().all(3, true), 0);  // rows of padding: finite numbers, which are set to 0 below
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  at::Tensor weights =
      at::softmax(at::matmul(q.to(at::kDouble) * scale, k.to(at::kDouble).transpose(2, 3)) + bias.to(q.device()), 3);
  if (options.dropout > 0)
    weights = weights * dropout_mask(options, batch * heads, n).view(weights.sizes()).to(weights.options());
  return zero_padding(at::matmul(weights, v.to(at::kDouble)).to(q.scalar_type()), plan);
}

}  // namespace bigdna::model
