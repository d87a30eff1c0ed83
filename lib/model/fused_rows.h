/// The row kernels (kernels/rows.h) as autograd functions: fp32 and bf16 on a CPU; on a GPU, through the CUDA plug-in,
/// also fp16, with a number of columns that is a multiple of 8 (residual_norm: at most 1024).
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

namespace bigdna::model {

/// Whether the functions below support activations of the type, device and number of rows of `x` and the number of
/// columns of `bias`.
bool bias_gelu_serves(const at::Tensor& x, const at::Tensor& bias);
bool residual_norm_serves(const at::Tensor& x, const at::Tensor& bias);

/// gelu(x + bias), tanh form. x [..., columns] is consumed (it must come fresh from a matrix product): without
/// gradients the result overwrites it. bias [columns] fp32.
at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias);

/// LayerNorm(residual + dropout(x + bias)) with `weight` and `shift`; x is consumed, as above. x and residual [...,
/// columns] have the same type, and so has the result; parameters [columns] fp32. Dropout is model::dropout's.
at::Tensor residual_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                         const at::Tensor& weight, const at::Tensor& shift, double epsilon, double dropout,
                         uint64_t dropout_seed);

/// Whether row kernels that only CPUs have support x.
bool cpu_rows_serve(const at::Tensor& x);

/// For pre-norm layers without biases: sum = residual + dropout(x), and LayerNorm(sum) with `weight`; x is consumed, as
/// above. Serves what cpu_rows_serve() says.
std::pair<at::Tensor, at::Tensor> add_norm(const at::Tensor& x, const at::Tensor& residual, const at::Tensor& weight,
                                           double epsilon, double dropout, uint64_t dropout_seed);

}  // namespace bigdna::model
