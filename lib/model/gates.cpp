/// GTrXL (Parisotto et al. 2019): layers whose residuals are gated as in a gated recurrent unit. Norms lie
/// within the branches, so that what enters the first layer can pass through all of them unchanged.
#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

#include "base/error.h"
#include "model/stack.h"

namespace bigdna::model {
namespace {

/// The stream x after a branch, both [..., hidden]. `name`: of the gate.
at::Tensor gate(const Pass& pass, int64_t layer, const char* name, const at::Tensor& x, const at::Tensor& branch) {
  const auto own = [&](const char* part) { return pass.of_stack(layer, concat(name, ".", part)).to(x.scalar_type()); };
  const auto third = [size = x.size(-1)](const at::Tensor& all, int64_t i) { return all.narrow(-1, i * size, size); };
  const at::Tensor of_branch = at::linear(at::relu(branch), own("branch")), of_stream = at::linear(x, own("stream"));
  const at::Tensor reset = at::sigmoid(third(of_branch, 0) + third(of_stream, 0)),
                   update = at::sigmoid(third(of_branch, 1) + third(of_stream, 1) - own("bias")),
                   candidate = at::tanh(third(of_branch, 2) + at::linear(reset * x, own("candidate")));
  return x + update * (candidate - x);
}

}  // namespace

at::Tensor gated_layer(const Pass& pass, const at::Tensor& x, int64_t index, const at::Tensor& read) {
  const auto wanted = [&](const at::Tensor& all) { return read.defined() ? rows_at(all, read) : all; };
  const at::Tensor attended = gate(pass, index, "attention", wanted(x), wanted(pass.attention_branch(x, index)));
  const at::Tensor rows = attended.reshape({-1, attended.size(-1)});
  return gate(pass, index, "feed_forward", attended, pass.feed_forward_branch(rows, index, 0).view_as(attended));
}

}  // namespace bigdna::model
