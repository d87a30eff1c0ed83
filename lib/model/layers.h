/// The small functions that encoders and heads consist of.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "model/parameters.h"

namespace bigdna::model {

/// The parameter of that name; Error naming it if it is missing.
const at::Tensor& parameter(const Parameters& parameters, const std::string& name);
/// x W^T + b with "name.weight" and "name.bias" (if there is one), computed and returned in x's type.
at::Tensor linear(const Parameters& parameters, const std::string& name, const at::Tensor& x);
/// LayerNorm with "name.weight" and "name.bias" (if there is one), in x's type; sums are fp32.
at::Tensor layer_norm(const Parameters& parameters, const std::string& name, const at::Tensor& x, double epsilon);
/// The configuration's activation: gelu_new (tanh), gelu (erf) or relu.
at::Tensor activate(const at::Tensor& x, const std::string& activation);

/// activate(linear(x)), in fewer passes over memory if model/fused_rows.h supports the tensors.
at::Tensor dense_activation(const Parameters& parameters, const std::string& name, const at::Tensor& x,
                            const std::string& activation);
/// LayerNorm `norm` of residual + dropout(linear(x)), with the same optimisation. `residual` has x's type.
struct Dropout {
  double probability = 0;
  uint64_t seed = 0;
};
at::Tensor dense_norm(const Parameters& parameters, const std::string& name, const at::Tensor& x,
                      const at::Tensor& residual, const std::string& norm, double epsilon, const Dropout& dropout);

/// The MLM decoder's weight: the word embeddings (tied), or their copy that cast_for() made.
const at::Tensor& decoder_weight(const model_folder::ModelConfig& config, const Parameters& parameters);

}  // namespace bigdna::model
