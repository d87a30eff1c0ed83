/// Memory-compressed attention (Liu et al. 2018): a convolution as wide as its stride makes one key and one
/// value of several tokens.
#include <ATen/ops/bmm.h>
#include <ATen/ops/constant_pad_nd.h>

#include "model/attention/attentions.h"

namespace bigdna::model {

at::Tensor compressed_attention(const AttentionCall& call) {
  const int64_t rows = call.q.size(0), n = call.tokens(), size = call.q.size(2), stride = call.whole("stride"),
                groups = (n + stride - 1) / stride;
  const auto fewer = [&](const at::Tensor& x, const char* name) {
    const at::Tensor whole = at::constant_pad_nd(x, {0, 0, 0, groups * stride - n});
    return at::bmm(whole.reshape({rows, groups, stride * size}),
                   call.for_all(call.own(name)).reshape({rows, stride * size, size}));
  };
  return softmax_attention(call.q, fewer(call.k, "keys"), fewer(call.v, "values"));
}

}  // namespace bigdna::model
