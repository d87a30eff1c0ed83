/// Set Transformer's ISAB (Lee et al. 2019): learned inducing points attend to the tokens, and the tokens
/// attend to what the points have become: MAB(X, MAB(I, X)). The outer MAB's residual, norm and feed-forward layer are
/// those of the encoder's layer. The inner one is whole (`full`), or attention alone (`light`).
#include <ATen/TensorOperators.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>

#include "model/attention/attentions.h"

namespace bigdna::model {

at::Tensor inducing_attention(const AttentionCall& call) {
  const int64_t heads = call.heads(), width = heads * call.q.size(2);
  const bool full = call.whole("inner") == 0;
  const at::Tensor points = call.own("points").unsqueeze(0);  // [1, points, width]
  const at::Tensor asking = full ? at::linear(points, call.own("query")) : points;
  const at::Tensor seen = softmax_attention(call.split(asking.expand({call.sequences(), -1, -1})), call.k, call.v);
  at::Tensor summary = seen.unflatten(0, {call.sequences(), heads}).transpose(1, 2).flatten(2);
  if (full) {
    summary = at::layer_norm(points + at::linear(summary, call.own("output")), {width}, call.own("norm"));
    summary =
        at::layer_norm(summary + at::relu(at::linear(summary, call.own("dense"))), {width}, call.own("last_norm"));
  }
  return softmax_attention(call.q, call.split(at::linear(summary, call.own("key"))),
                           call.split(at::linear(summary, call.own("value"))));
}

}  // namespace bigdna::model
