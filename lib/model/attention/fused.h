/// The fused backend: lib/kernels behind an autograd function.
#pragma once

#include "model/attention/backend.h"

namespace bigdna::model {

/// Whether the fused kernels can serve tensors of this device and type: fp32 and bf16 on a CPU; those and fp16 on
/// a GPU, where the CUDA plug-in is open and the heads are at most 128 wide (tensor cores serve bf16 and fp16 in
/// blocks of whole 16 tokens with heads of 32, 64 and 128, simple kernels the rest).
bool fused_serves(const at::Tensor& q);

/// As AttentionFunction says; q, k and v need only a contiguous last dimension (others are copied). The
/// result lies [batch, n, heads, head_size] in memory, so that merging the heads copies nothing. Error unless
/// fused_serves(q).
at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const AttentionPlan& plan, const AttentionOptions& options);

}  // namespace bigdna::model
