/// Losses, and gradients that are no derivatives, which a layer adds by itself. They travel with the gradients of the
/// pass, so that loops, threads, ranks and checkpoints need not know of them; recomputed layers may have them too.
#pragma once

#include <ATen/core/Tensor.h>

namespace bigdna::model {

/// `x`, through which `loss` (a scalar) is added to what is minimised: its backward pass hands `loss` the gradient 1.
at::Tensor add_loss(const at::Tensor& x, const at::Tensor& loss);
/// `x`, whose backward pass hands `parameter` this gradient.
at::Tensor with_gradient(const at::Tensor& x, const at::Tensor& parameter, const at::Tensor& gradient);

}  // namespace bigdna::model
