/// Compressive Transformer (Rae et al. 2019): a token attends to the tokens within `memory`, and beyond them to keys
/// and values that are made of `rate` tokens each, by a convolution, the mean or the maximum. The convolution learns
/// from how well attention to what it makes replaces attention to the tokens, and from nothing else.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/attention/attentions.h"
#include "model/attention/local_windows.h"
#include "model/attention/side_loss.h"

namespace bigdna::model {
namespace {

constexpr double kUnread = -std::numeric_limits<double>::infinity();

/// The compressed memory of a call. Groups of `rate` tokens begin at multiples of `rate`, which divides a block.
class Groups {
 public:
  Groups(const AttentionCall& call, const LocalWindows& local)
      : call_(call),
        rate_(call.whole("rate")),
        memory_(call.whole("memory")),
        far_(call.whole("compressed") * rate_),
        block_(local.offsets().size(0)),
        blocks_((call.tokens() + block_ - 1) / block_),
        reach_(std::min(blocks_ * block_, (memory_ + far_ + rate_ - 1) / rate_ * rate_) / rate_) {
    const auto options = call.q.options().requires_grad(false);
    starts_ = (at::arange(block_ / rate_ + 2 * reach_, options) - reach_) * rate_;  // from the block's first token on
    queries_ = at::arange(block_, options).unsqueeze(1);
    first_ = at::arange(blocks_, options).view({-1, 1, 1}) * block_;
  }

  /// [rows, n, size] -> [rows, groups, size].
  at::Tensor compress(const at::Tensor& x, const char* name, bool learns) const {
    const int64_t n = x.size(1), rows = x.size(0), size = x.size(2), groups = (n + rate_ - 1) / rate_;
    const at::Tensor whole = at::constant_pad_nd(x, {0, 0, 0, groups * rate_ - n});
    const at::Tensor tokens = whole.unflatten(1, {groups, rate_});
    if (call_.whole("by") == 1) return tokens.mean(2);
    if (call_.whole("by") == 2) return tokens.amax(2);
    const at::Tensor weights = learns ? call_.own(name) : call_.own(name).detach();
    return at::bmm(whole.reshape({rows, groups, rate_ * size}),
                   call_.for_all(weights).reshape({rows, rate_ * size, size}));
  }
  /// [rows, groups, size] -> [rows, blocks, groups in reach, size].
  at::Tensor windows_of(const at::Tensor& groups) const {
    const int64_t behind = blocks_ * block_ / rate_ - groups.size(1);
    return at::constant_pad_nd(groups, {0, 0, reach_, reach_ + behind})
        .unfold(1, block_ / rate_ + 2 * reach_, block_ / rate_)
        .transpose(2, 3);
  }
  /// What a query does not read of these groups, [blocks, queries, groups in reach].
  at::Tensor hidden() const {
    const at::Tensor absolute = first_ + starts_;
    return visible(starts_ - queries_).logical_not().logical_or(absolute.lt(0)).logical_or(absolute.ge(call_.tokens()));
  }
  /// The tokens of the groups that a query reads, by their windows.
  at::Tensor hidden_tokens(const LocalWindows& tokens) const {
    const at::Tensor from = (tokens.offsets() + queries_).div(rate_, "floor") * rate_ - queries_;
    return visible(from).logical_not().logical_or(tokens.outside());
  }
  int64_t farthest() const { return memory_ + far_ + rate_; }

 private:
  /// Groups that begin before the memory or end behind it, as many as are kept. `from`: of a group's first token from
  /// the query.
  at::Tensor visible(const at::Tensor& from) const {
    const auto between = [](const at::Tensor& x, int64_t above, int64_t most) {
      return x.gt(static_cast<double>(above)).logical_and(x.le(static_cast<double>(most)));
    };
    const at::Tensor before = between(-from, memory_, memory_ + far_);
    if (call_.config.pattern.causal) return before;
    return before.logical_or(between(from + static_cast<double>(rate_ - 1), memory_, memory_ + far_));
  }

  const AttentionCall& call_;
  int64_t rate_, memory_, far_, block_, blocks_, reach_;
  at::Tensor starts_, queries_, first_;
};

/// softmax over what is not hidden; 0 where all is.
at::Tensor attend_or_zero(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& hidden) {
  constexpr double kLeast = -1e30;
  const at::Tensor weights = at::softmax(at::matmul(q, k.transpose(2, 3)).masked_fill(hidden, kLeast), 3);
  return at::matmul(weights.masked_fill(hidden, 0), v);
}

}  // namespace

at::Tensor compressive_attention(const AttentionCall& call) {
  const int64_t memory = call.whole("memory");
  const LocalWindows local(call.tokens(), memory, call.q);
  const Groups groups(call, local);
  const double cost = call.setting("reconstruction");
  const bool reconstructs = call.training && call.whole("by") == 0 && cost > 0;
  const at::Tensor q = local.blocks_of(call.q) / std::sqrt(call.q.size(2));
  const auto compressed = [&](const at::Tensor& x, const char* name, bool learns) {
    return groups.windows_of(groups.compress(x, name, learns));
  };
  const at::Tensor keys = compressed(call.k, "keys", !reconstructs), hidden = groups.hidden();
  const at::Tensor outside =
      local.hidden(local.offsets().abs().gt(static_cast<double>(memory)), call.config.pattern.causal);
  const at::Tensor near = at::matmul(q, local.windows_of(call.k).transpose(2, 3)).masked_fill(outside, kUnread),
                   far = at::matmul(q, keys.transpose(2, 3)).masked_fill(hidden, kUnread);
  const at::Tensor weights = at::softmax(at::cat({near, far}, 3), 3);
  const at::Tensor out = local.rows_of(
      at::matmul(weights.narrow(3, 0, near.size(3)), local.windows_of(call.v)) +
      at::matmul(weights.narrow(3, near.size(3), far.size(3)), compressed(call.v, "values", !reconstructs)));
  if (!reconstructs) return out;
  const at::Tensor k = call.k.detach(), v = call.v.detach(), queries = q.detach();
  const LocalWindows tokens(call.tokens(), groups.farthest(), k);
  const at::Tensor old = attend_or_zero(queries, tokens.windows_of(k), tokens.windows_of(v),
                                        groups.hidden_tokens(tokens)),
                   made = attend_or_zero(queries, compressed(k, "keys", true), compressed(v, "values", true), hidden);
  const at::Tensor loss = local.rows_of(made - old).square().mean();
  return add_loss(out, loss * (cost * call.share * static_cast<double>(call.sequences())));
}

}  // namespace bigdna::model
