#include "model/pooling.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <optional>

#include "kernels/pooling.h"
#include "model/fused_rows.h"
#include "model/row_kernels.h"

namespace bigdna::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor pooled_like(const at::Tensor& x, int64_t width) {
  return at::empty({x.size(0), x.size(1) / width, x.size(2)}, x.options());
}

class MaxPool : public torch::autograd::Function<MaxPool> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, int64_t width) {
    at::Tensor out = pooled_like(x, width), winner = at::empty(out.sizes(), out.options().dtype(at::kByte));
    kernels::max_pool(rows_of(out), width, x.const_data_ptr(), out.mutable_data_ptr(),
                      winner.mutable_data_ptr<uint8_t>());
    context->save_for_backward({winner});
    context->saved_data["width"] = width;
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor winner = context->get_saved_variables()[0], grad_out = gradients[0].contiguous();
    const int64_t width = context->saved_data["width"].toInt();
    at::Tensor grad_x = at::empty({grad_out.size(0), grad_out.size(1) * width, grad_out.size(2)}, grad_out.options());
    kernels::max_pool_backward(rows_of(grad_out), width, winner.const_data_ptr<uint8_t>(), grad_out.const_data_ptr(),
                               grad_x.mutable_data_ptr());
    return {grad_x, at::Tensor()};
  }
};

/// `epsilon`: of LayerNorm; none for x * weight + shift.
kernels::NormGelu parameters_of(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& shift,
                                std::optional<double> epsilon) {
  kernels::NormGelu p;
  p.normalise = epsilon.has_value();
  p.shape = rows_of(x);
  p.x = x.const_data_ptr();
  p.weight = weight.const_data_ptr<float>(), p.shift = shift.const_data_ptr<float>();
  p.epsilon = static_cast<float>(epsilon.value_or(0));
  return p;
}

class NormGelu : public torch::autograd::Function<NormGelu> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& shift, std::optional<double> epsilon) {
    kernels::NormGelu p = parameters_of(x, weight, shift, epsilon);
    at::Tensor out = at::empty_like(x),
               means = at::empty({2, p.normalise ? p.shape.rows : 0}, x.options().dtype(at::kFloat));
    p.out = out.mutable_data_ptr();
    if (p.normalise) p.mean = means.mutable_data_ptr<float>(), p.scale = p.mean + p.shape.rows;
    kernels::norm_gelu(p);
    context->save_for_backward({x, weight, shift, means});
    context->saved_data["epsilon"] = epsilon;
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &shift = saved[2], &means = saved[3],
                     grad_out = gradients[0].contiguous();
    kernels::NormGelu p = parameters_of(x, weight, shift, context->saved_data["epsilon"].toOptional<double>());
    if (p.normalise) p.mean = means.data_ptr<float>(), p.scale = p.mean + p.shape.rows;
    at::Tensor grad_x = at::empty_like(x), grad_weight = at::empty_like(weight), grad_shift = at::empty_like(shift);
    kernels::norm_gelu_backward(p, grad_out.const_data_ptr(), grad_x.mutable_data_ptr(),
                                grad_weight.mutable_data_ptr<float>(), grad_shift.mutable_data_ptr<float>());
    return {grad_x, grad_weight, grad_shift, at::Tensor()};
  }
};

}  // namespace

at::Tensor max_pool(const at::Tensor& x, int64_t width) {
  if (!cpu_rows_serve(x)) return x.reshape({x.size(0), x.size(1) / width, width, x.size(2)}).amax(2);
  const at::Tensor rows = x.contiguous();
  if (torch::autograd::compute_requires_grad(x)) return MaxPool::apply(rows, width);
  at::Tensor out = pooled_like(x, width);
  kernels::max_pool(rows_of(out), width, rows.const_data_ptr(), out.mutable_data_ptr(), nullptr);
  return out;
}

namespace {

at::Tensor norm_gelu_of(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& shift,
                        std::optional<double> epsilon) {
  if (!cpu_rows_serve(x)) {
    const at::Tensor factor = weight.to(x.scalar_type()), offset = shift.to(x.scalar_type());
    return at::gelu(epsilon ? at::layer_norm(x, {x.size(-1)}, factor, offset, *epsilon) : x * factor + offset, "tanh");
  }
  const at::Tensor rows = x.contiguous();
  if (torch::autograd::compute_requires_grad(x, weight)) return NormGelu::apply(rows, weight, shift, epsilon);
  kernels::NormGelu p = parameters_of(rows, weight, shift, epsilon);
  at::Tensor out = at::empty_like(rows);
  p.out = out.mutable_data_ptr();
  kernels::norm_gelu(p);
  return out;
}

}  // namespace

at::Tensor norm_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& shift, double epsilon) {
  return norm_gelu_of(x, weight, shift, epsilon);
}

at::Tensor scale_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& shift) {
  return norm_gelu_of(x, weight, shift, std::nullopt);
}

}  // namespace bigdna::model
