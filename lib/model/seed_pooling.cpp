#include "model/seed_pooling.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scaled_dot_product_attention.h>

namespace bigdna::model {

at::Tensor pool_by_seeds(const at::Tensor& x, int64_t heads, const std::function<at::Tensor(const std::string&)>& own) {
  const int64_t hidden = x.size(2);
  const auto linear = [&](const std::string& name, const at::Tensor& rows) {
    return at::linear(rows, own(name + ".weight"), own(name + ".bias"));
  };
  const auto normed = [&](const std::string& name, const at::Tensor& rows) {
    return at::layer_norm(rows, {hidden}, own(name + ".weight"), own(name + ".bias"));
  };
  const auto split = [&](const at::Tensor& rows) {  // [batch, heads, rows, hidden / heads]
    return rows.unflatten(2, {heads, hidden / heads}).transpose(1, 2);
  };
  const at::Tensor seeds = own("seeds").expand({x.size(0), -1, -1}), states = at::relu(linear("states", x));
  const at::Tensor read = at::scaled_dot_product_attention(split(linear("query", seeds)), split(linear("key", states)),
                                                           split(linear("value", states)));
  const at::Tensor rows = normed("norm", seeds + linear("output", read.transpose(1, 2).flatten(2)));
  return normed("last_norm", rows + at::relu(linear("rows", rows))).flatten(1);
}

}  // namespace bigdna::model
