/// The operations between the convolutions of a network on bases, as autograd functions on [batch, positions, columns]:
/// kernels/pooling.h on a CPU in fp32 and bf16, LibTorch's operations elsewhere.
#pragma once

#include <ATen/core/Tensor.h>

namespace bigdna::model {

/// The maxima of groups of `width` positions: [batch, positions / width, columns]; positions are a multiple of it.
at::Tensor max_pool(const at::Tensor& x, int64_t width);
/// gelu(LayerNorm(x)), GELU in its tanh form; weight and shift: fp32 [columns].
at::Tensor norm_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& shift, double epsilon);
/// gelu(x * weight + shift)
at::Tensor scale_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& shift);

}  // namespace bigdna::model
