/// Linformer (Wang et al. 2020): keys and values are projected from n tokens to `rank`.
#include <ATen/ops/matmul.h>

#include "model/attention/attentions.h"

namespace bigdna::model {

at::Tensor linformer_attention(const AttentionCall& call) {
  const auto shorter = [&](const at::Tensor& x, const char* name) {
    return at::matmul(call.own(name).narrow(1, 0, call.tokens()), x);
  };
  return softmax_attention(call.q, shorter(call.k, "keys"), shorter(call.v, "values"));
}

}  // namespace bigdna::model
