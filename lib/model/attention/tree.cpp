/// BP-Transformer (Ye et al. 2019): a token attends to the `near` tokens on either side, then to as many nodes of each
/// level of a binary tree over the sequence, from where the level below ends; a node holds the means of its tokens.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "model/attention/attentions.h"
#include "model_folder/attention_limits.h"

namespace bigdna::model {
namespace {

/// The sums over pairs of nodes, and over a last one alone: [rows, nodes, size].
at::Tensor of_pairs(const at::Tensor& x) {
  return at::constant_pad_nd(x, {0, 0, 0, x.size(1) % 2}).unflatten(1, {-1, 2}).sum(2);
}

/// What queries meet at one level: [rows, n, nodes, size] and a mask [n, nodes].
struct Met {
  at::Tensor keys, values, missing;
  int64_t first_label;
};

}  // namespace

at::Tensor tree_attention(const AttentionCall& call) {
  const int64_t n = call.tokens(), near = std::min(n, call.whole("near")), stride = call.whole("near");
  const bool causal = call.config.pattern.causal;
  const auto whole = call.q.options().dtype(at::kLong).requires_grad(false);
  const at::Tensor steps = at::arange(near, whole), self = at::arange(n, whole).unsqueeze(1);
  at::Tensor keys = call.k, values = call.v, count = at::ones({1, n, 1}, call.q.options().requires_grad(false));
  std::vector<Met> met{{keys.unsqueeze(2), values.unsqueeze(2), {}, 0}};
  at::Tensor left = self - 1, right = self + 1;  // the next node on either side
  for (int64_t level = 0;; ++level) {
    const int64_t nodes = keys.size(1);
    bool any = false;
    for (const bool to_right : {false, true}) {
      if (to_right && causal) continue;
      const at::Tensor places = to_right ? right + steps : left - steps;
      const at::Tensor missing = places.lt(0).logical_or(places.ge(nodes));
      if (missing.all().item<bool>()) continue;
      any = true;
      const at::Tensor flat = places.clamp(0, nodes - 1).flatten();
      const auto at_places = [&](const at::Tensor& x) {
        return (x / count).index_select(1, flat).unflatten(1, {n, near});
      };
      const int64_t last = model_folder::kTreeLevels - 1;
      met.push_back(
          {at_places(keys), at_places(values), missing, 1 + (2 * std::min(level, last) + (to_right ? 1 : 0)) * stride});
    }
    if (!any) break;
    left = (left - stride).floor_divide(2), right = (right + stride).floor_divide(2);
    keys = of_pairs(keys), values = of_pairs(values), count = of_pairs(count);
  }
  const at::Tensor q = (call.q / std::sqrt(call.q.size(2))).unsqueeze(2), labels = call.for_all(call.own("labels"));
  std::vector<at::Tensor> scores, read;
  for (const auto& some : met) {
    const at::Tensor label = labels.narrow(1, some.first_label, some.keys.size(2)).unsqueeze(1);
    const at::Tensor score = at::matmul(q, (some.keys + label).transpose(2, 3)).squeeze(2);
    scores.push_back(some.missing.defined() ? score.masked_fill(some.missing, -std::numeric_limits<double>::infinity())
                                            : score);
    read.push_back(some.values);
  }
  return at::matmul(at::softmax(at::cat(scores, 2), 2).unsqueeze(2), at::cat(read, 2)).squeeze(2);
}

}  // namespace bigdna::model
