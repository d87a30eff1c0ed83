/// Which part of a model with a bias model is used. Without LibTorch, so that apps/options can use it.
#pragma once

namespace bigdna::profile {

/// whole: with the bias; model: without it; bias: the bias model alone.
enum class Part { whole, model, bias };

}  // namespace bigdna::profile
