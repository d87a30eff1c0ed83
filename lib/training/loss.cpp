#include "training/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/huber_loss.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/where.h>

namespace bigdna::training {

at::Tensor Loss::sum(const at::Tensor& logits, const at::Tensor& targets) const {
  if (type == dataset::LabelType::classes) return -(at::log_softmax(logits, 1) * targets * weights).sum();
  if (type == dataset::LabelType::regression) {
    // a missing number has no error
    const at::Tensor measured = at::where(at::isnan(targets), logits.detach(), targets);
    if (huber) return at::huber_loss(logits, measured, at::Reduction::Sum, 1);
    return (logits - measured).square().sum() / 2;
  }
  return at::binary_cross_entropy_with_logits(logits, targets, {}, weights, at::Reduction::Sum);
}

double Loss::count(int64_t examples, int64_t labels) const {
  return static_cast<double>(type == dataset::LabelType::classes ? examples : examples * labels);
}

}  // namespace bigdna::training
