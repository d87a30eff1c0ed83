/// Transformer-XL's relative attention (Dai et al. 2019, section 3.3), to both sides or, in causal models, to the left:
/// scores are the sum of what queries and a learned vector u say to keys, and of what queries and a vector v say to the
/// distance, given by projected sinusoids. The segment before a token and its memory are the tokens within `reach`.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <cmath>

#include "model/attention/attentions.h"
#include "model/attention/local_windows.h"

namespace bigdna::model {

at::Tensor distance_sinusoids(int64_t farthest, int64_t width) {
  const at::Tensor powers = at::arange((width + 1) / 2, at::kDouble) * (2 / static_cast<double>(width));
  const at::Tensor angles =
      at::arange(farthest, -farthest - 1, -1, at::kDouble).unsqueeze(1) * at::pow(10'000.0, -powers);
  return at::stack({angles.sin(), angles.cos()}, 2).flatten(1).narrow(1, 0, width);
}

at::Tensor xl_attention(const AttentionCall& call) {
  const int64_t reach = call.whole("reach"), farthest = std::min(reach, call.tokens() - 1);
  const LocalWindows local(call.tokens(), reach, call.q);
  const at::Tensor distances =
      distance_sinusoids(farthest, call.config.hidden).to(call.q.options().requires_grad(false));
  const at::Tensor positions =
      call.for_all(at::linear(distances, call.own("position")).unflatten(1, {call.heads(), -1}).transpose(0, 1));
  const auto queries = [&](const char* bias) {
    return local.blocks_of(call.q + call.for_all(call.own(bias)).unsqueeze(1));
  };
  const at::Tensor content = at::matmul(queries("u"), local.windows_of(call.k).transpose(2, 3)),
                   of_distance = at::matmul(queries("v"), positions.transpose(1, 2).unsqueeze(1));
  const at::Tensor place = local.offsets().clamp(-farthest, farthest).add(farthest).to(at::kLong);
  const at::Tensor scores =
      (content + at::gather(of_distance, 3, place.expand(content.sizes()))) / std::sqrt(call.q.size(2));
  const at::Tensor far = local.offsets().abs().gt(static_cast<double>(reach));
  return local.attend(scores, local.hidden(far, call.config.pattern.causal), call.v);
}

}  // namespace bigdna::model
