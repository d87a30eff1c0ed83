#include "model/stack.h"

#include <ATen/ops/index_select.h>

#include <algorithm>
#include <array>

#include "model/recompute.h"
#include "model_folder/stack.h"

namespace bigdna::model {
namespace {

at::Tensor residual_layers(const StackCall& call, const at::Tensor& embeddings) {
  at::Tensor hidden = embeddings;
  for (int64_t i = 0; i < call.layers(); ++i) {
    const bool all = !call.read.defined() || i + 1 < call.layers();
    const auto layer = [pass = call.pass, i, all, read = call.read](const at::Tensor& x) {
      return all ? pass->layer(x, i) : pass->layer_at(x, i, read);
    };
    const auto& of_layer = call.parameters[static_cast<size_t>(i)];
    const bool again = call.recompute && (hidden.requires_grad() || !of_layer.empty());
    hidden = again ? recomputed(layer, hidden, of_layer) : layer(hidden);
  }
  return call.layers() == 0 && call.read.defined() ? rows_at(hidden, call.read) : hidden;
}

constexpr std::array kStacks{&residual_layers, &reversible_layers};  // in the order of model_folder::stacks()

}  // namespace

at::Tensor run_stack(const model_folder::ModelConfig& config, const StackCall& call, const at::Tensor& embeddings) {
  return kStacks[model_folder::stack_index(config)](call, embeddings);
}

}  // namespace bigdna::model
