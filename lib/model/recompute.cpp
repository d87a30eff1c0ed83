#include "model/recompute.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

namespace bigdna::model {
namespace {

using torch::autograd::variable_list;

struct Call : torch::CustomClassHolder {
  std::function<at::Tensor(const at::Tensor&)> function;
  variable_list parameters;
};

class Recomputed : public torch::autograd::Function<Recomputed> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, at::TensorList,
                            const c10::intrusive_ptr<Call>& call) {
    context->save_for_backward({x});
    context->saved_data["call"] = at::IValue::make_capsule(call);
    return call->function(x);
  }

  static variable_list backward(torch::autograd::AutogradContext* context, variable_list gradients) {
    const auto call = c10::static_intrusive_pointer_cast<Call>(context->saved_data["call"].toCapsule());
    variable_list inputs{context->get_saved_variables()[0].detach().requires_grad_()};
    inputs.insert(inputs.end(), call->parameters.begin(), call->parameters.end());
    const c10::AutoGradMode with_gradients(true);
    variable_list results = torch::autograd::grad({call->function(inputs[0])}, inputs, gradients,
                                                  /*retain_graph=*/false, /*create_graph=*/false,
                                                  /*allow_unused=*/true);
    results.emplace_back();
    return results;
  }
};

}  // namespace

at::Tensor recomputed(std::function<at::Tensor(const at::Tensor&)> function, const at::Tensor& x,
                      const std::vector<at::Tensor>& parameters) {
  const auto call = c10::make_intrusive<Call>();
  call->function = std::move(function);
  for (const auto& parameter : parameters)
    if (parameter.requires_grad()) call->parameters.push_back(parameter);
  return Recomputed::apply(x, at::TensorList(call->parameters), call);
}

}  // namespace bigdna::model
