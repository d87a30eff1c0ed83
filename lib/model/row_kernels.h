/// The functions of kernels/rows.h on tensors, run where these are: by the CPU's kernels, or by the CUDA plug-in's on
/// LibTorch's current stream. The caller allocates outputs; all pointers in the parameters belong to tensors on the
/// device of `like`.
#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/rows.h"

namespace bigdna::model {

/// x as rows; its last dimension is the columns.
kernels::Rows rows_of(const at::Tensor& x);

void run_residual_norm(const at::Tensor& like, const kernels::ResidualNorm& parameters);
void run_residual_norm_backward(const at::Tensor& like, const kernels::ResidualNormBackward& parameters);
void run_bias_gelu(const at::Tensor& x, const at::Tensor& bias, at::Tensor& out);
void run_bias_gelu_backward(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& grad_out, at::Tensor& grad_x,
                            at::Tensor& grad_bias);

}  // namespace bigdna::model
