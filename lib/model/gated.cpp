#include "model/gated.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/mul.h>
#include <torch/csrc/autograd/custom_function.h>

#include "model/layers.h"

namespace bigdna::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor half_of(const at::Tensor& x, int64_t which) {
  const int64_t columns = x.size(-1) / 2;
  return x.narrow(-1, which * columns, columns);
}

class GatedGelu : public torch::autograd::Function<GatedGelu> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const std::string& form) {
    context->save_for_backward({x});
    context->saved_data["form"] = form;
    return at::gelu(half_of(x, 0), form).mul_(half_of(x, 1));
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor x = context->get_saved_variables()[0];
    const std::string form = context->saved_data["form"].toStringRef();
    at::Tensor gradient = at::empty_like(x), of_gate = half_of(gradient, 1), of_input = half_of(gradient, 0);
    at::gelu_out(of_gate, half_of(x, 0), form).mul_(gradients[0]);
    at::gelu_backward_out(of_input, gradients[0] * half_of(x, 1), half_of(x, 0), form);
    return {gradient, at::Tensor()};
  }
};

}  // namespace

at::Tensor gated(const at::Tensor& x, const std::string& activation) {
  if (activation == "relu") return activate(half_of(x, 0), activation) * half_of(x, 1);
  return GatedGelu::apply(x, activation == "gelu_new" ? "tanh" : "none");
}

}  // namespace bigdna::model
