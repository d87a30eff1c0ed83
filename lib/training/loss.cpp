#include "training/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/huber_loss.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace bigdna::training {

at::Tensor Loss::sum(const at::Tensor& logits, const at::Tensor& targets) const {
  if (type == dataset::LabelType::classes) return -(at::log_softmax(logits, 1) * targets * weights).sum();
  if (type == dataset::LabelType::regression) {
    // a missing number has no error
    const at::Tensor measured = at::where(at::isnan(targets), logits.detach(), targets);
    if (huber) return at::huber_loss(logits, measured, at::Reduction::Sum, 1);
    return (logits - measured).square().sum() / 2;
  }
  if (type == dataset::LabelType::counts) return bin_loss(type).sum(logits, targets, weights);
  return at::binary_cross_entropy_with_logits(logits, targets, {}, weights, at::Reduction::Sum);
}

double Loss::count(int64_t examples, int64_t labels) const {
  return static_cast<double>(type == dataset::LabelType::classes ? examples : examples * labels);
}

namespace {
constexpr double kLeastShare = 1e-4;  // a label that hardly any row has weighs as one that this share has

constexpr BinLoss kBinLosses[] = {
    {dataset::LabelType::multilabel,
     [](const at::Tensor& z, const at::Tensor& y, const at::Tensor& weights) {
       const at::Tensor known = at::isnan(y).logical_not();
       return at::binary_cross_entropy_with_logits(z, at::nan_to_num(y), known * weights, {}, at::Reduction::Sum);
     },
     [](double mean) {
       const double p = std::clamp(mean, kLeastShare, 1 - kLeastShare);
       return std::log(p / (1 - p));
     },
     [](double mean, double balance) { return std::pow(std::max(mean, kLeastShare), -balance); }, true},
    {dataset::LabelType::counts,
     [](const at::Tensor& z, const at::Tensor& y, const at::Tensor& weights) {
       const at::Tensor known = at::isnan(y).logical_not();
       return ((at::exp(z) - at::nan_to_num(y) * z) * known * weights).sum();
     },
     [](double mean) { return std::log(mean); }, [](double mean, double) { return 1 / mean; }, false},
};
}  // namespace

const BinLoss& bin_loss(dataset::LabelType type) {
  const auto* found = std::ranges::find(kBinLosses, type, &BinLoss::type);
  if (found == std::end(kBinLosses)) fail("bins have labels and counts alone");
  return *found;
}

}  // namespace bigdna::training
