#include "model/attention/mask.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>

#include "kernels/dropout.h"

namespace bigdna::model {
namespace {

/// [batch, n], bool: past each length.
at::Tensor past_length(const AttentionPlan& plan, int64_t n) {
  const at::Tensor lengths = at::tensor(at::ArrayRef<int64_t>(plan.lengths), at::kLong);
  return at::arange(n, at::kLong).unsqueeze(0).ge(lengths.unsqueeze(1));
}

}  // namespace

at::Tensor key_bias(const AttentionPlan& plan, int64_t blocks) {
  const auto batch = static_cast<int64_t>(plan.lengths.size());
  at::Tensor bias = at::zeros({batch, blocks * plan.block}, at::kFloat);
  bias.masked_fill_(past_length(plan, blocks * plan.block), -std::numeric_limits<float>::infinity());
  return bias.view({batch, blocks, plan.block});
}

at::Tensor zero_padding(const at::Tensor& out, const AttentionPlan& plan) {
  const int64_t n = out.size(2);
  if (std::all_of(plan.lengths.begin(), plan.lengths.end(), [&](int64_t length) { return length == n; })) return out;
  return out.masked_fill(past_length(plan, n).to(out.device()).unsqueeze(1).unsqueeze(3), 0);
}

void fill_dropout(float* keeps, int64_t count, const AttentionOptions& options, int64_t sequence_head, int64_t query,
                  int64_t first_key) {
  const uint32_t threshold = kernels::dropout_threshold(options.dropout);
  const float scale = kernels::dropout_scale(threshold);
  const std::array<uint32_t, 2> seed{static_cast<uint32_t>(options.dropout_seed),
                                     static_cast<uint32_t>(options.dropout_seed >> 32)};
  for (int64_t i = 0; i < count;) {  // one Philox block decides for eight neighbouring keys: kernels/dropout.h
    const int64_t key = first_key + i;
    const auto words = philox(
        {static_cast<uint32_t>(key / 8), static_cast<uint32_t>(query), static_cast<uint32_t>(sequence_head), 0}, seed);
    for (int64_t in_group = key % 8; in_group < 8 && i < count; ++in_group, ++i)
      keeps[i] = (words[in_group / 2] >> (in_group % 2 * 16) & 0xFFFF) >= threshold ? scale : 0;
  }
}

}  // namespace bigdna::model
