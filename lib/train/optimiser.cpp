#include "train/optimiser.h"

#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <vector>

namespace bigdna::train {

bool decays(const std::string& name) {
  return !name.ends_with("bias") && name.find("LayerNorm") == std::string::npos;
}

double learning_rate(int64_t step, double peak, int64_t warmup, int64_t steps) {
  if (step < warmup) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  return peak * static_cast<double>(steps - step) / static_cast<double>(std::max<int64_t>(1, steps - warmup));
}

int64_t default_warmup(int64_t steps) { return std::min<int64_t>(10000, steps / 10); }

AdamW::AdamW(const model::Parameters& parameters) {
  c10::NoGradGuard no_grad;
  for (const auto& [name, tensor] : parameters) {
    exp_avg.emplace(name, at::zeros_like(tensor.detach()));
    exp_avg_sq.emplace(name, at::zeros_like(tensor.detach()));
  }
}

double AdamW::update(model::Parameters& parameters, double rate, const AdamWOptions& options) {
  c10::NoGradGuard no_grad;
  struct Group {
    std::vector<at::Tensor> parameters, gradients, first, second, steps;
  };
  Group groups[2];  // without and with weight decay
  std::vector<at::Tensor> gradients;
  ++step;
  for (auto& [name, tensor] : parameters) {
    if (!tensor.grad().defined()) continue;
    Group& group = groups[decays(name)];
    gradients.push_back(tensor.grad());
    group.parameters.push_back(tensor);
    group.gradients.push_back(tensor.grad());
    group.first.push_back(exp_avg.at(name));
    group.second.push_back(exp_avg_sq.at(name));
  }
  if (gradients.empty()) return 0;
  const double norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients))).item<double>();
  const auto device = gradients.front().device();
  const auto scalar = [&](double value) { return at::full({}, value, at::TensorOptions().dtype(at::kFloat).device(device)); };
  std::optional<at::Tensor> scale;  // the fused step divides gradients by it
  if (options.clip_norm > 0 && norm > options.clip_norm) scale = scalar(norm / options.clip_norm);
  const at::Tensor count = scalar(static_cast<double>(step));
  for (int decay = 0; decay < 2; ++decay) {
    Group& group = groups[decay];
    if (group.parameters.empty()) continue;
    group.steps.assign(group.parameters.size(), count);
    at::_fused_adamw_(group.parameters, group.gradients, group.first, group.second, {}, group.steps, rate, options.beta1, options.beta2,
                      decay ? options.weight_decay : 0, options.epsilon, /*amsgrad=*/false, /*maximize=*/false, scale);
  }
  for (auto& [name, tensor] : parameters) tensor.mutable_grad().reset();
  return norm;
}

}  // namespace bigdna::train
