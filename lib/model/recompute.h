/// Activation checkpointing (Chen et al. 2016): what a function's backward pass needs is computed again
/// instead of kept.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace bigdna::model {

/// function(x), of which only x is kept for the backward pass: that runs the function again, so gradients are
/// the same bit for bit where the function repeats itself. `parameters`: every other tensor it reads that
/// wants gradients. What the function refers to must live until the backward pass.
at::Tensor recomputed(std::function<at::Tensor(const at::Tensor&)> function, const at::Tensor& x,
                      const std::vector<at::Tensor>& parameters);

}  // namespace bigdna::model
