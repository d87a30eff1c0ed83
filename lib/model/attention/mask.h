/// Masks that the LibTorch backends share.
#pragma once

#include <ATen/core/Tensor.h>

#include "model/attention/backend.h"

namespace bigdna::model {

/// [batch, blocks, block], float: 0 for real tokens, minus infinity past each length.
at::Tensor key_bias(const AttentionPlan& plan, int64_t blocks);
/// `out` [batch, heads, n, head_size] with the rows past each length set to 0.
at::Tensor zero_padding(const at::Tensor& out, const AttentionPlan& plan);

/// Attention dropout's mask, the same in every backend: keeps[i] for keys first_key + i of one query.
void fill_dropout(float* keeps, int64_t count, const AttentionOptions& options, int64_t sequence_head, int64_t query,
                  int64_t first_key);

}  // namespace bigdna::model
