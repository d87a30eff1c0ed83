#include "model/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>

#include "base/error.h"
#include "model/dropout.h"
#include "model/encoder.h"
#include "model/fused_rows.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"

namespace bigdna::model {
namespace {

/// The bias; undefined if there is none (modern has few).
at::Tensor bias_of(const Parameters& parameters, const std::string& name, at::ScalarType type) {
  const auto found = parameters.find(name + ".bias");
  return found == parameters.end() ? at::Tensor() : found->second.to(type);
}

/// The name of the tied decoder, which only parameters from cast_for() have.
std::string decoder_name(const model_folder::ModelConfig& config) {
  return std::string(model_folder::architecture(config).decoder);
}

}  // namespace

const at::Tensor& parameter(const Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) fail("the model has no parameter ", name);
  return found->second;
}

at::Tensor linear(const Parameters& parameters, const std::string& name, const at::Tensor& x) {
  const auto type = x.scalar_type();
  return at::linear(x, parameter(parameters, name + ".weight").to(type), bias_of(parameters, name, type));
}

at::Tensor layer_norm(const Parameters& parameters, const std::string& name, const at::Tensor& x, double epsilon) {
  const auto type = x.scalar_type();
  const at::Tensor weight = parameter(parameters, name + ".weight").to(type);
  return at::layer_norm(x, weight.sizes(), weight, bias_of(parameters, name, type), epsilon);
}

at::Tensor activate(const at::Tensor& x, const std::string& activation) {
  if (activation == "relu") return at::relu(x);
  return at::gelu(x, activation == "gelu_new" ? "tanh" : "none");
}

at::Tensor dense_activation(const Parameters& parameters, const std::string& name, const at::Tensor& x,
                            const std::string& activation) {
  const at::Tensor& bias = parameter(parameters, name + ".bias");
  if (activation != "gelu_new" || !bias_gelu_serves(x, bias)) return activate(linear(parameters, name, x), activation);
  return bias_gelu(at::linear(x, parameter(parameters, name + ".weight").to(x.scalar_type())), bias);
}

at::Tensor dense_norm(const Parameters& parameters, const std::string& name, const at::Tensor& x,
                      const at::Tensor& residual, const std::string& norm, double epsilon, const Dropout& drop) {
  const at::Tensor& bias = parameter(parameters, name + ".bias");
  if (!residual_norm_serves(x, bias))
    return layer_norm(parameters, norm, dropout(linear(parameters, name, x), drop.probability, drop.seed) + residual,
                      epsilon);
  const at::Tensor product = at::linear(x, parameter(parameters, name + ".weight").to(x.scalar_type()));
  return residual_norm(product, bias, residual, parameter(parameters, norm + ".weight"),
                       parameter(parameters, norm + ".bias"), epsilon, drop.probability, drop.seed);
}

Parameters cast_for(const model_folder::ModelConfig& config, const Parameters& parameters, at::ScalarType compute) {
  Parameters cast = parameters;
  if (compute == at::kFloat) return cast;
  const auto& names = model_folder::architecture(config);
  for (auto& [name, tensor] : cast)
    if (tensor.dim() == 2 && !model_folder::own_parameter(name) &&
        (name.starts_with(names.layer) || (config.has_mlm() && name.starts_with(names.mlm))))
      tensor = tensor.to(compute);
  if (config.has_mlm()) cast[decoder_name(config)] = parameter(parameters, std::string(names.words)).to(compute);
  return cast;
}

const at::Tensor& decoder_weight(const model_folder::ModelConfig& config, const Parameters& parameters) {
  const auto cast = parameters.find(decoder_name(config));
  return cast != parameters.end() ? cast->second
                                  : parameter(parameters, std::string(model_folder::architecture(config).words));
}

}  // namespace bigdna::model
