/// lib/kernels' row kernels (kernels/rows.h) behind autograd functions: fp32 and bf16 on a CPU; on a GPU, by the CUDA
/// plug-in, fp16 too, and columns in whole 8s (residual_norm: at most 1024).
#pragma once

#include <ATen/core/Tensor.h>

namespace bigdna::model {

/// Whether the two below can serve activations like `x` (its type, device and number of rows) in as many columns as `bias`
/// has.
bool bias_gelu_serves(const at::Tensor& x, const at::Tensor& bias);
bool residual_norm_serves(const at::Tensor& x, const at::Tensor& bias);

/// gelu(x + bias), tanh form. x [..., columns] must be the caller's own, fresh from a matrix product: without
/// gradients the result is written over it. bias [columns] fp32.
at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias);

/// LayerNorm(residual + dropout(x + bias)) with `weight` and `shift`; x, as above, the caller's own. x and
/// residual
/// [..., columns] of one type, which the result has; parameters [columns] fp32. Dropout is model::dropout's.
at::Tensor residual_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                         const at::Tensor& weight, const at::Tensor& shift, double epsilon, double dropout,
                         uint64_t dropout_seed);

}  // namespace bigdna::model
