/// Axial Transformer (Ho et al. 2019): the sequence is written in rows of `width` tokens. Layers attend
/// along rows and along columns in turn, so that two layers connect all tokens.
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <cmath>

#include "model/attention/attentions.h"
#include "model_folder/stack.h"

namespace bigdna::model {
namespace {

/// Attention within each line: q, k, v [heads, lines, tokens, head_size].
at::Tensor along_lines(const std::vector<at::Tensor>& qkv) {
  const auto of_line = [](const at::Tensor& x) { return x.transpose(0, 1); };  // heads do not meet either
  return at::scaled_dot_product_attention(of_line(qkv[0]), of_line(qkv[1]), of_line(qkv[2])).transpose(0, 1);
}

template <class Slice>
std::vector<at::Tensor> parts_of(const AttentionCall& call, const Slice& part) {
  return {part(call.q), part(call.k), part(call.v)};
}

}  // namespace

at::Tensor axial_attention(const AttentionCall& call) {
  const int64_t heads = call.q.size(0) /* of all sequences */, n = call.tokens(), size = call.q.size(2);
  const auto root = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  const int64_t width = std::min(n, call.whole("width") > 0 ? call.whole("width") : root);
  const int64_t rows = n / width, rest = n % width;  // whole rows, and tokens of a last one
  std::vector<at::Tensor> results;
  if (model_folder::attention_turn(call.config, call.layer) % 2 == 0) {
    results.push_back(along_lines(parts_of(call, [&](const at::Tensor& x) {
                        return x.narrow(1, 0, rows * width).reshape({heads, rows, width, size});
                      })).reshape({heads, rows * width, size}));
    if (rest > 0)
      results.push_back(along_lines(parts_of(call, [&](const at::Tensor& x) {
                          return x.narrow(1, rows * width, rest).unsqueeze(1);
                        })).squeeze(1));
    return at::cat(results, 1);
  }
  // The first `rest` columns have one token more than the others.
  const auto columns = [&](int64_t first, int64_t count, int64_t tokens) {
    const at::Tensor out = along_lines(parts_of(call, [&](const at::Tensor& x) {
      return at::constant_pad_nd(x, {0, 0, 0, (width - rest) % width})
          .view({heads, -1, width, size})
          .narrow(1, 0, tokens)
          .narrow(2, first, count)
          .transpose(1, 2);
    }));
    return at::constant_pad_nd(out.transpose(1, 2), {0, 0, 0, 0, 0, rows + (rest > 0) - tokens});
  };
  if (rest > 0) results.push_back(columns(0, rest, rows + 1));
  results.push_back(columns(rest, width - rest, rows));
  return at::cat(results, 2).reshape({heads, -1, size}).narrow(1, 0, n);
}

}  // namespace bigdna::model
