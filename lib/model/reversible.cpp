#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <functional>

#include "model/stack.h"

namespace bigdna::model {
namespace {

using torch::autograd::variable_list;

struct Layers : torch::CustomClassHolder {
  Layers(const StackCall& made, int64_t from) : call(made), lowest(from) {}
  StackCall call;
  int64_t lowest;  // the first layer that the backward pass goes through
};

/// Calls `chunk(rows, number)` for each chunk of `count` rows, where `rows` takes its rows of a tensor [count, hidden].
template <class Chunk>
void in_chunks(int64_t count, const Chunk& chunk) {
  for (int64_t begin = 0, number = 0; begin < count; begin += kFeedForwardChunk, ++number)
    chunk([=](const at::Tensor& x) { return x.narrow(0, begin, std::min(kFeedForwardChunk, count - begin)); }, number);
}

at::Tensor flattened(const at::Tensor& x) { return x.view({-1, x.size(-1)}); }

/// The branch at x, and what its backward pass gives for x; those of parameters are added to `gradients`.
std::pair<at::Tensor, at::Tensor> with_gradients(const std::function<at::Tensor(const at::Tensor&)>& branch,
                                                 const at::Tensor& x, const at::Tensor& gradient,
                                                 const variable_list& parameters, at::Tensor* gradients) {
  variable_list inputs{x.detach().requires_grad_()};
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  const c10::AutoGradMode enabled(true);
  const at::Tensor out = branch(inputs[0]);
  const variable_list found = torch::autograd::grad({out}, inputs, {gradient}, /*retain_graph=*/false,
                                                    /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t p = 0; p < parameters.size(); ++p)
    if (found[p + 1].defined()) gradients[p] = gradients[p].defined() ? gradients[p] + found[p + 1] : found[p + 1];
  return {out.detach(), found[0]};
}

class Reversible : public torch::autograd::Function<Reversible> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, at::TensorList,
                            const c10::intrusive_ptr<Layers>& layers) {
    const Pass& pass = *layers->call.pass;
    const at::Tensor first = x.clone(at::MemoryFormat::Contiguous), second = first.clone();
    for (int64_t i = 0; i < layers->call.layers(); ++i) {
      first.add_(pass.attention_branch(second, i));
      in_chunks(flattened(first).size(0), [&](const auto& rows, int64_t number) {
        rows(flattened(second)).add_(pass.feed_forward_branch(rows(flattened(first)), i, number));
      });
    }
    context->save_for_backward({first, second});
    context->saved_data["layers"] = at::IValue::make_capsule(layers);
    return first + second - x;
  }

  static variable_list backward(torch::autograd::AutogradContext* context, variable_list gradients) {
    const auto layers = c10::static_intrusive_pointer_cast<Layers>(context->saved_data["layers"].toCapsule());
    const auto& call = layers->call;
    const variable_list saved = context->get_saved_variables();
    const at::Tensor first = saved[0].clone(), second = saved[1].clone();  // what follows finds their former values
    const at::Tensor of_first = gradients[0].clone(at::MemoryFormat::Contiguous), of_second = of_first.clone();
    size_t count = 0;
    for (const auto& parameters : call.parameters) count += parameters.size();
    variable_list results(1 + count + 1);  // of the input, the parameters, and the layers, which have none
    size_t begin = 1 + count;
    for (int64_t i = call.layers() - 1; i >= layers->lowest; --i) {
      const auto& parameters = call.parameters[static_cast<size_t>(i)];
      begin -= parameters.size();
      in_chunks(flattened(first).size(0), [&](const auto& rows, int64_t number) {
        const auto [out, gradient] =
            with_gradients([&](const at::Tensor& input) { return call.pass->feed_forward_branch(input, i, number); },
                           rows(flattened(first)), rows(flattened(of_second)), parameters, &results[begin]);
        rows(flattened(second)).sub_(out);
        rows(flattened(of_first)).add_(gradient);
      });
      const auto [out, gradient] =
          with_gradients([&](const at::Tensor& input) { return call.pass->attention_branch(input, i); }, second,
                         of_first, parameters, &results[begin]);
      first.sub_(out);
      of_second.add_(gradient);
    }
    results[0] = of_first + of_second - gradients[0];
    return results;
  }
};

}  // namespace

at::Tensor reversible_layers(const StackCall& call, const at::Tensor& embeddings) {
  variable_list parameters;
  for (const auto& of_layer : call.parameters) parameters.insert(parameters.end(), of_layer.begin(), of_layer.end());
  const at::Tensor streams = embeddings.to(c10::promoteTypes(embeddings.scalar_type(), at::kFloat));
  int64_t lowest = 0;
  if (!streams.requires_grad())
    while (lowest < call.layers() && call.parameters[static_cast<size_t>(lowest)].empty()) ++lowest;
  const at::Tensor hidden =
      Reversible::apply(streams, at::TensorList(parameters), c10::make_intrusive<Layers>(call, lowest))
          .to(embeddings.scalar_type());
  return call.read.defined() ? rows_at(hidden, call.read) : hidden;
}

}  // namespace bigdna::model
