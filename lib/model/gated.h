/// Gated activations (Shazeer 2020, GEGLU).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace bigdna::model {

/// activate(a) * b of x [..., 2 columns], whose first half is a and second b. The backward pass keeps x alone.
at::Tensor gated(const at::Tensor& x, const std::string& activation);

}  // namespace bigdna::model
