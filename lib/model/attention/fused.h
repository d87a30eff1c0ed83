/// The fused backend: lib/kernels as an autograd function.
#pragma once

#include "model/attention/backend.h"

namespace bigdna::model {

/// Whether the fused kernels support tensors of this device and type: fp32 and bf16 on a CPU; these and fp16 on a GPU
/// if the CUDA plug-in is open and heads are at most 128 wide (tensor cores for bf16 and fp16 with block sizes that are
/// multiples of 16 and heads of 32, 64 and 128; simple kernels for the rest). Causal plans on a CPU only.
bool fused_serves(const at::Tensor& q, bool causal = false);

/// An AttentionFunction. q, k and v need a contiguous last dimension only (others are copied). The result's order in
/// memory is [batch, n, heads, head_size], so that merging the heads copies nothing. Error unless fused_serves(q,
/// plan.causal).
at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan,
                           const AttentionOptions& options);

}  // namespace bigdna::model
