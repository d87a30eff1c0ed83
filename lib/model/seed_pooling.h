/// Pooling by attention of learned seeds: Set Transformer's PMA (Lee et al. 2019).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>

namespace bigdna::model {

/// PMA_k(X) = MAB(S, rFF(X)) of x [batch, states, hidden], for any number of states: [batch, seeds * hidden]. MAB(S, Z)
/// = LN(H + rFF(H)), H = LN(S + MHA(S, Z, Z)), rFF = relu of a linear layer of its own. `own` gives the parameters
/// "pool.NAME" of model_folder::parameter_shapes() by NAME.
at::Tensor pool_by_seeds(const at::Tensor& x, int64_t heads, const std::function<at::Tensor(const std::string&)>& own);

}  // namespace bigdna::model
