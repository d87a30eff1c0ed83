/// Adaptive span (Sukhbaatar et al. 2019), to both sides or, in causal models, to the left: a head learns how far it
/// attends. Weights m exp(s) / sum m exp(s), m = min(max((R + z - distance) / R, 0), 1). Keys further away than the
/// longest span of the layer are not computed. The dynamic span is a function of the token.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sigmoid.h>

#include <cmath>
#include <limits>

#include "model/attention/attentions.h"
#include "model/attention/local_windows.h"
#include "model/attention/side_loss.h"

namespace bigdna::model {
namespace {

/// The spans z in tokens: [rows, 1], or [rows, n] if they are dynamic; rows are the heads of all sequences.
at::Tensor spans_of(const AttentionCall& call) {
  const double limit = call.setting("limit");
  if (call.whole("dynamic") == 0) return call.for_all(call.own("span")).unsqueeze(1) * limit;
  const at::Tensor logits = at::linear(call.states.to(call.q.scalar_type()), call.own("direction"), call.own("offset"));
  return at::sigmoid(logits).transpose(1, 2).flatten(0, 1) * limit;
}

/// Dynamic spans differ by sequence, and so does the longest, by which the keys to compute are chosen.
at::Tensor one_by_one(const AttentionCall& call) {
  std::vector<at::Tensor> results;
  for (int64_t i = 0; i < call.sequences(); ++i) {
    AttentionCall one = call;
    for (at::Tensor* x : {&one.q, &one.k, &one.v}) *x = x->narrow(0, i * call.heads(), call.heads());
    one.states = call.states.narrow(0, i, 1);
    results.push_back(span_attention(one));
  }
  return at::cat(results);
}

}  // namespace

at::Tensor span_attention(const AttentionCall& call) {
  if (call.sequences() > 1 && call.whole("dynamic") != 0) return one_by_one(call);
  const double ramp = call.setting("ramp");
  const at::Tensor spans = spans_of(call);
  const auto most = static_cast<int64_t>(std::ceil(spans.detach().amax().item<double>() + ramp));
  const LocalWindows local(call.tokens(), most, call.q);
  const at::Tensor q = local.blocks_of(call.q) / std::sqrt(call.q.size(2));
  at::Tensor z = spans.unsqueeze(2);  // [rows, 1 or n, 1]
  z = z.size(1) > 1 ? local.blocks_of(z) : z.unsqueeze(3);
  const at::Tensor mask = ((z + (ramp - local.offsets().abs())) / ramp).clamp(0, 1);
  const double tiny = std::numeric_limits<float>::min();
  const at::Tensor scores = at::matmul(q, local.windows_of(call.k).transpose(2, 3)) + at::log(mask.clamp_min(tiny));
  const at::Tensor out = local.attend(scores, local.hidden(mask.le(0), call.config.pattern.causal), call.v);
  if (!call.training || call.setting("cost") == 0) return out;
  return add_loss(out, spans.mean() * (call.setting("cost") * call.share * static_cast<double>(call.sequences())));
}

}  // namespace bigdna::model
