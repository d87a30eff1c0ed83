#include "model/layers.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>

#include "base/error.h"

namespace bigdna::model {

const at::Tensor& parameter(const Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) fail("the model has no parameter ", name);
  return found->second;
}

at::Tensor linear(const Parameters& parameters, const std::string& name, const at::Tensor& x) {
  const auto type = x.scalar_type();
  return at::linear(x, parameter(parameters, name + ".weight").to(type), parameter(parameters, name + ".bias").to(type));
}

at::Tensor layer_norm(const Parameters& parameters, const std::string& name, const at::Tensor& x, double epsilon) {
  const at::Tensor& weight = parameter(parameters, name + ".weight");
  return at::layer_norm(x.to(at::kFloat), weight.sizes(), weight, parameter(parameters, name + ".bias"), epsilon);
}

at::Tensor activate(const at::Tensor& x, const std::string& activation) {
  if (activation == "relu") return at::relu(x);
  return at::gelu(x, activation == "gelu_new" ? "tanh" : "none");
}

}  // namespace bigdna::model
