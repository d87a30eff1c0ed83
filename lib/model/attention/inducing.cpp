/// Set Transformer's ISAB (Lee et al. 2019; survey 003): learned inducing points attend to the tokens, and the tokens
/// attend to what the points have become: MAB(X, MAB(I, X)). The outer MAB's residual, norm and feed-forward layer are
/// those of the encoder's layer. The inner one is whole (`full`), or attention alone (`light`).
#include <ATen/TensorOperators.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>

#include "model/attention/attentions.h"

namespace bigdna::model {

at::Tensor inducing_attention(const AttentionCall& call) {
  const int64_t heads = call.q.size(0), size = call.q.size(2), width = heads * size;
  const bool full = call.whole("inner") == 0;
  const auto split = [&](const at::Tensor& x) { return x.view({x.size(0), heads, size}).transpose(0, 1); };
  const at::Tensor points = call.own("points");  // [points, width]
  const at::Tensor seen =
      softmax_attention(split(full ? at::linear(points, call.own("query")) : points), call.k, call.v);
  at::Tensor summary = seen.transpose(0, 1).reshape({-1, width});
  if (full) {
    summary = at::layer_norm(points + at::linear(summary, call.own("output")), {width}, call.own("norm"));
    summary =
        at::layer_norm(summary + at::relu(at::linear(summary, call.own("dense"))), {width}, call.own("last_norm"));
  }
  return softmax_attention(call.q, split(at::linear(summary, call.own("key"))),
                           split(at::linear(summary, call.own("value"))));
}

}  // namespace bigdna::model
