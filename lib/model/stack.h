/// What stacks compute: the layers of a pass, one after the other. The table in model_folder/stack.h has their names.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "model/architecture.h"

namespace bigdna::model {

/// The layers of a pass that are run.
struct StackCall {
  std::shared_ptr<const Pass> pass;
  int64_t runs = 0;                                 // as many as layers(), or more where a stack repeats them
  std::vector<std::vector<at::Tensor>> parameters;  // of each layer, those that require gradients
  bool recompute = false;                           // layers keep only their input for the backward pass
  at::Tensor read;  // positions among all tokens of the rows that are wanted; undefined: all
  int64_t layers() const { return static_cast<int64_t>(parameters.size()); }
};

/// The states after the last layer [batch, n, hidden], or the wanted rows of them [m, hidden], from Pass::embeddings().
at::Tensor run_stack(const model_folder::ModelConfig& config, const StackCall& call, const at::Tensor& embeddings);

/// One layer of a stack whose layers follow each other: all rows of what layer `index` makes of x, or those at `read`
/// (if it is defined).
using LayerFunction = at::Tensor (*)(const Pass& pass, const at::Tensor& x, int64_t index, const at::Tensor& read);
/// The layer of a run, or what it is when recomputed. Only the last run computes no more than StackCall::read.
at::Tensor run_layer(const StackCall& call, LayerFunction layer, const at::Tensor& x, int64_t run);
/// The architecture's own layer.
at::Tensor residual_layer(const Pass& pass, const at::Tensor& x, int64_t index, const at::Tensor& read);

/// GTrXL's gated layers (Parisotto et al. 2019).
at::Tensor gated_layer(const Pass& pass, const at::Tensor& x, int64_t index, const at::Tensor& read);

/// Universal Transformer (Dehghani et al. 2019) with adaptive computation time (Graves 2016).
at::Tensor universal_layers(const StackCall& call, const at::Tensor& embeddings);
/// What a step, from 1, adds to each token: sinusoids of its number, float64 [hidden].
at::Tensor time_signal(int64_t step, int64_t hidden);

/// Reformer's reversible layers (Kitaev et al. 2020; Gomez et al. 2017). Streams are fp32 (or what is wider), so that
/// subtraction finds each layer's input again. Feed-forward layers run in chunks of kFeedForwardChunk tokens.
at::Tensor reversible_layers(const StackCall& call, const at::Tensor& embeddings);
inline constexpr int64_t kFeedForwardChunk = 4096;

}  // namespace bigdna::model
