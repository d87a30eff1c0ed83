#include "train/optimiser.h"

#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <map>
#include <vector>

#include "model/parallel.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"

namespace bigdna::train {
namespace {

using model_folder::Update;

Update update_of(const std::string& name) {
  const auto* own = model_folder::own_parameter(name);
  return own ? own->update : Update::adamw;
}

}  // namespace

bool decays(const std::string& name) {
  if (const auto* own = model_folder::own_parameter(name)) return own->update == Update::adamw;
  return !name.ends_with("bias") && !model_folder::is_gain(name);
}

double learning_rate(int64_t step, double peak, int64_t warmup, int64_t steps) {
  if (step < warmup) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  return peak * static_cast<double>(steps - step) / static_cast<double>(std::max<int64_t>(1, steps - warmup));
}

int64_t default_warmup(int64_t steps) { return std::min<int64_t>(10000, steps / 10); }

AdamW::AdamW(const model::Parameters& parameters) {
  c10::NoGradGuard no_grad;
  for (const auto& [name, tensor] : parameters) {
    if (!tensor.requires_grad()) continue;
    exp_avg.emplace(name, at::zeros_like(tensor.detach()));
    exp_avg_sq.emplace(name, at::zeros_like(tensor.detach()));
  }
}

double gradient_norm(const model::Parameters& parameters) {
  c10::NoGradGuard no_grad;
  const model::OneThreadPerOperation same_sums;  // for any number of threads
  std::vector<at::Tensor> gradients;
  for (const auto& [name, tensor] : parameters)
    if (tensor.grad().defined() && update_of(name) != Update::average) gradients.push_back(tensor.grad());
  return gradients.empty() ? 0 : at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients))).item<double>();
}

double AdamW::update(const model::Parameters& parameters, double rate, const AdamWOptions& options, double norm,
                     bool measure, const RateFactor& factor) {
  c10::NoGradGuard no_grad;
  struct Group {
    std::vector<at::Tensor> parameters, gradients, first, second, steps;
  };
  std::map<std::pair<bool, double>, Group> groups;  // by weight decay or not, and the rate's factor
  std::vector<at::Tensor> averaged, clamped;
  ++step;
  for (const auto& [name, tensor] : parameters) {
    const auto first = exp_avg.find(name);
    if (!tensor.grad().defined() || first == exp_avg.end()) continue;
    if (update_of(name) == Update::average) {
      averaged.push_back(tensor);
      continue;
    }
    if (update_of(name) == Update::clamped) clamped.push_back(tensor);
    Group& group = groups[{decays(name), factor ? factor(name) : 1}];
    group.parameters.push_back(tensor);
    group.gradients.push_back(tensor.grad().contiguous());  // of which the fused step reads the memory, not the strides
    group.first.push_back(first->second);
    group.second.push_back(exp_avg_sq.at(name));
  }
  double squared_change = 0;
  for (auto& [kind, group] : groups) {
    const auto [decay, share] = kind;
    const auto scalar = [&](double value) {
      return at::full({}, value, group.parameters.front().options().requires_grad(false));
    };
    std::optional<at::Tensor> scale;  // the fused step divides gradients by it
    if (options.clip_norm > 0 && norm > options.clip_norm) scale = scalar(norm / options.clip_norm);
    group.steps.assign(group.parameters.size(), scalar(static_cast<double>(step)));
    std::vector<at::Tensor> before;
    if (measure)
      for (const auto& tensor : group.parameters) before.push_back(tensor.detach().clone());
    at::_fused_adamw_(group.parameters, group.gradients, group.first, group.second, {}, group.steps, rate * share,
                      options.beta1, options.beta2, decay ? options.weight_decay : 0, options.epsilon,
                      /*amsgrad=*/false, /*maximize=*/false, scale);
    const model::OneThreadPerOperation same_sums;
    for (size_t i = 0; i < before.size(); ++i) {
      const double change = at::linalg_vector_norm(before[i].sub_(group.parameters[i].detach())).item<double>();
      squared_change += change * change;
    }
  }
  for (at::Tensor& tensor : clamped) tensor.clamp_(0, 1);
  for (at::Tensor& tensor : averaged) {
    tensor.sub_(tensor.grad());
    tensor.div_(at::linalg_vector_norm(tensor, 2, at::IntArrayRef{-1}, true).clamp_min_(1e-12));
  }
  for (const auto& [name, tensor] : parameters) tensor.mutable_grad().reset();
  return squared_change;
}

}  // namespace bigdna::train
