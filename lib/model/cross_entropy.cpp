#include "model/cross_entropy.h"

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "base/error.h"
#include "model/row_kernels.h"

namespace bigdna::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

kernels::CrossEntropy parameters(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels) {
  kernels::CrossEntropy p;
  p.shape = rows_of(logits);
  if (labels.numel() > p.shape.rows) fail(labels.numel(), " labels for ", p.shape.rows, " rows of logits");
  p.shape.rows = labels.numel();
  p.logits = logits.data_ptr(), p.bias = bias.const_data_ptr<float>();
  p.labels = labels.const_data_ptr<int64_t>();
  return p;
}

class CrossEntropy : public torch::autograd::Function<CrossEntropy> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& logits, const at::Tensor& bias,
                               const at::Tensor& labels) {
    auto p = parameters(logits, bias, labels);
    at::Tensor nats = at::empty(labels.sizes(), bias.options().requires_grad(false)), log2_sums = at::empty_like(nats);
    at::Tensor right = at::empty(labels.sizes(), labels.options().dtype(at::kBool));
    p.nats = nats.mutable_data_ptr<float>(), p.log2_sums = log2_sums.mutable_data_ptr<float>();
    p.right = right.mutable_data_ptr<bool>();
    kernels::cross_entropy(p);
    context->mark_non_differentiable({right});
    // not save_for_backward(), whose tensors must not change
    context->saved_data["logits"] = logits.detach();
    context->save_for_backward({bias, labels, log2_sums});
    return {nats, right};
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    at::IValue& kept = context->saved_data["logits"];
    if (kept.isNone()) fail("cross_entropy: a second backward pass");
    const at::Tensor logits = kept.toTensor(), grad_nats = gradients[0].contiguous();
    kept = {};
    auto p = parameters(logits, saved[0], saved[1]);
    p.log2_sums = saved[2].data_ptr<float>();
    at::Tensor grad_bias = at::empty_like(saved[0]);
    kernels::cross_entropy_backward(p, grad_nats.const_data_ptr<float>(), grad_bias.mutable_data_ptr<float>());
    logits.narrow(0, p.shape.rows, logits.size(0) - p.shape.rows).zero_();
    return {logits, grad_bias, at::Tensor()};
  }
};

}  // namespace

TokenScores cross_entropy(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels) {
  const auto results = CrossEntropy::apply(logits.contiguous(), bias, labels.contiguous());
  return {results[0], results[1]};
}

}  // namespace bigdna::model
