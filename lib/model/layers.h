/// The small functions encoder and heads are made of.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "model/parameters.h"

namespace bigdna::model {

/// Error naming the parameter that is not there.
const at::Tensor& parameter(const Parameters& parameters, const std::string& name);
/// x W^T + b of "name.weight" and "name.bias", computed and returned in x's type.
at::Tensor linear(const Parameters& parameters, const std::string& name, const at::Tensor& x);
/// LayerNorm of "name.weight" and "name.bias", in fp32.
at::Tensor layer_norm(const Parameters& parameters, const std::string& name, const at::Tensor& x, double epsilon);
/// The configuration's activation: gelu_new (tanh), gelu (erf) or relu.
at::Tensor activate(const at::Tensor& x, const std::string& activation);

}  // namespace bigdna::model
