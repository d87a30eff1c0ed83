#include "model/gated.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/mul.h>
#include <torch/csrc/autograd/custom_function.h>

#include "model/fused_rows.h"
#include "model/layers.h"
#include "model/row_kernels.h"

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

/// The same in one pass.
class FusedGatedGelu : public torch::autograd::Function<FusedGatedGelu> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, bool tanh_form) {
    context->save_for_backward({x});
    context->saved_data["tanh_form"] = tanh_form;
    std::vector<int64_t> shape = x.sizes().vec();
    shape.back() /= 2;
    at::Tensor out = at::empty(shape, x.options());
    kernels::gated_gelu(rows_of(out), tanh_form, x.const_data_ptr(), out.mutable_data_ptr());
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor x = context->get_saved_variables()[0], grad_out = gradients[0].contiguous();
    at::Tensor gradient = at::empty_like(x);
    kernels::gated_gelu_backward(rows_of(grad_out), context->saved_data["tanh_form"].toBool(), x.const_data_ptr(),
                                 grad_out.const_data_ptr(), gradient.mutable_data_ptr());
    return {gradient, at::Tensor()};
  }
};

}  // namespace

at::Tensor gated(const at::Tensor& x, const std::string& activation) {
  if (activation != "relu" && cpu_rows_serve(x)) return FusedGatedGelu::apply(x.contiguous(), activation == "gelu_new");
  if (activation == "relu") return activate(half_of(x, 0), activation) * half_of(x, 1);
  return GatedGelu::apply(x, activation == "gelu_new" ? "tanh" : "none");
}

}  // namespace bigdna::model
