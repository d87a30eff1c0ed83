/// Activation checkpointing (Chen et al. 2016): the values that a backward pass needs are recomputed instead of kept.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace bigdna::model {

/// Returns function(x) but keeps only x for the backward pass, which runs the function again. If the function is
/// deterministic, gradients are the same bit for bit. `parameters` are all other tensors that it reads and that require
/// gradients. Everything that the function refers to must live until the backward pass.
at::Tensor recomputed(std::function<at::Tensor(const at::Tensor&)> function, const at::Tensor& x,
                      const std::vector<at::Tensor>& parameters);

}  // namespace bigdna::model
