/// Sparse Sinkhorn attention (Tay et al. 2020): the sequence is cut into a fixed number of blocks, which a learned,
/// nearly doubly stochastic matrix sorts; a token attends to its own block and to the one that was sorted to its place.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>

#include "model/attention/attentions.h"

namespace bigdna::model {

at::Tensor sinkhorn_attention(const AttentionCall& call) {
  const int64_t n = call.tokens(), most = std::min(n, call.whole("blocks")), length = (n + most - 1) / most,
                blocks = (n + length - 1) / length, padding = blocks * length - n;
  const auto in_blocks = [&](const at::Tensor& x) {
    return at::constant_pad_nd(x, {0, 0, 0, padding}).unflatten(1, {blocks, length});
  };
  const at::Tensor place = at::arange(blocks * length, call.q.options().requires_grad(false)).view({blocks, length}),
                   past_end = place.ge(n);
  const at::Tensor means = in_blocks(call.states.to(call.q.scalar_type())).sum(2) /
                           past_end.logical_not().sum(1, true).to(call.q.scalar_type());  // [sequences, blocks, hidden]
  const at::Tensor network = call.own("sort").narrow(1, 0, blocks).transpose(1, 2);       // [heads, hidden, blocks]
  at::Tensor order = at::matmul(means.unsqueeze(1), network.unsqueeze(0)).flatten(0, 1) / call.setting("temperature");
  for (int64_t i = 0; i < call.whole("iterations"); ++i)
    for (const int64_t dimension : {2, 1}) order = order - at::logsumexp(order, {dimension}, true);
  const at::Tensor sorting = at::exp(order);
  const auto both = [&](const at::Tensor& x) {  // [rows, blocks, 2 length, size]: own and sorted
    const at::Tensor own = in_blocks(x);
    return at::cat({own, at::matmul(sorting, own.flatten(2)).view(own.sizes())}, 2);
  };
  const at::Tensor scores = at::matmul(in_blocks(call.q), both(call.k).transpose(2, 3)) / std::sqrt(call.q.size(2));
  const at::Tensor hidden = at::constant_pad_nd(past_end.unsqueeze(1), {0, length});
  const at::Tensor weights = at::softmax(scores.masked_fill(hidden, -std::numeric_limits<double>::infinity()), 3);
  return at::matmul(weights, both(call.v)).flatten(1, 2).narrow(1, 0, n);
}

}  // namespace bigdna::model
