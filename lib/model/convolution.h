/// Convolutions along sequences whose channels are last, as an autograd function.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace bigdna::model {

/// x [batch, positions, inputs] under weight [outputs, inputs, taps] and bias [outputs], all of one type; the middle of
/// an odd number of taps lies on the position, neighbours are `dilation` positions apart, and there are zeros beyond
/// the ends. Returns [batch, positions, outputs].
at::Tensor convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, int64_t dilation);

}  // namespace bigdna::model
