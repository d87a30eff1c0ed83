#include "model/attention/local_windows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <algorithm>
#include <limits>

namespace bigdna::model {
namespace {
constexpr int64_t kBlock = 64;  // queries
}

LocalWindows::LocalWindows(int64_t n, int64_t reach, const at::Tensor& like)
    : n_(n), reach_(std::min(n, reach)), blocks_((n + kBlock - 1) / kBlock), padding_(blocks_ * kBlock - n) {
  const auto options = like.options();
  const at::Tensor of_key = at::arange(kBlock + 2 * reach_, options) - reach_;
  offsets_ = of_key - at::arange(kBlock, options).unsqueeze(1);
  positions_ = of_key + at::arange(blocks_, options).view({-1, 1, 1}) * kBlock;  // [blocks, 1, keys]
}

at::Tensor LocalWindows::blocks_of(const at::Tensor& x) const {
  return at::constant_pad_nd(x, {0, 0, 0, padding_}).unflatten(1, {blocks_, kBlock});
}

at::Tensor LocalWindows::windows_of(const at::Tensor& x) const {
  return at::constant_pad_nd(x, {0, 0, reach_, reach_ + padding_})
      .unfold(1, kBlock + 2 * reach_, kBlock)
      .transpose(2, 3);
}

at::Tensor LocalWindows::rows_of(const at::Tensor& blocks) const { return blocks.flatten(1, 2).narrow(1, 0, n_); }

at::Tensor LocalWindows::outside() const {
  return positions_.lt(0).logical_or_(positions_.ge(n_)).logical_and(offsets_.ne(0));
}

at::Tensor LocalWindows::hidden(const at::Tensor& also, bool causal) const {
  const at::Tensor unread = also.logical_or(outside());
  return causal ? unread.logical_or(offsets_.gt(0)) : unread;
}

at::Tensor LocalWindows::attend(const at::Tensor& scores, const at::Tensor& hidden, const at::Tensor& values) const {
  const at::Tensor weights = at::softmax(scores.masked_fill(hidden, -std::numeric_limits<double>::infinity()), 3);
  return rows_of(at::matmul(weights, windows_of(values)));
}

}  // namespace bigdna::model
