#include "model/stack.h"

#include <ATen/ops/index_select.h>

#include <algorithm>
#include <array>

#include "model/recompute.h"
#include "model_folder/stack.h"

namespace bigdna::model {
namespace {

template <LayerFunction layer>
at::Tensor layers_in_turn(const StackCall& call, const at::Tensor& embeddings) {
  at::Tensor hidden = embeddings;
  for (int64_t i = 0; i < call.layers(); ++i) hidden = run_layer(call, layer, hidden, i);
  return call.layers() == 0 && call.read.defined() ? rows_at(hidden, call.read) : hidden;
}

constexpr std::array kStacks{&layers_in_turn<residual_layer>, &reversible_layers, &layers_in_turn<gated_layer>,
                             &universal_layers};  // in the order of model_folder::stacks()

}  // namespace

at::Tensor residual_layer(const Pass& pass, const at::Tensor& x, int64_t index, const at::Tensor& read) {
  return read.defined() ? pass.layer_at(x, index, read) : pass.layer(x, index);
}

at::Tensor run_layer(const StackCall& call, LayerFunction layer, const at::Tensor& x, int64_t run) {
  const at::Tensor read = run + 1 == call.runs ? call.read : at::Tensor();
  const auto compute = [pass = call.pass, layer, run, read](const at::Tensor& input) {
    return layer(*pass, input, run, read);
  };
  const auto& parameters = call.parameters[static_cast<size_t>(run % call.layers())];
  const bool again = call.recompute && (x.requires_grad() || !parameters.empty());
  return again ? recomputed(compute, x, parameters) : compute(x);
}

at::Tensor run_stack(const model_folder::ModelConfig& config, const StackCall& call, const at::Tensor& embeddings) {
  return kStacks[model_folder::stack_index(config)](call, embeddings);
}

}  // namespace bigdna::model
