#include "model/fused_rows.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include "kernels/cuda_plugin.h"
#include "model/row_kernels.h"

namespace bigdna::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Contiguous and aligned to 16 bytes, as the GPU's kernels need it.
at::Tensor ready(const at::Tensor& x) {
  const at::Tensor rows = x.contiguous();
  return rows.is_cpu() || reinterpret_cast<uintptr_t>(rows.const_data_ptr()) % 16 == 0 ? rows : rows.clone();
}
at::Tensor empty_row(const at::Tensor& like) { return at::empty({like.size(-1)}, like.options().dtype(at::kFloat)); }

class BiasGelu : public torch::autograd::Function<BiasGelu> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& bias) {
    at::Tensor out = at::empty_like(x);
    run_bias_gelu(x, bias, out);
    context->save_for_backward({x, bias});
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &bias = saved[1], grad_out = ready(gradients[0]);
    at::Tensor grad_x = at::empty_like(x), grad_bias = empty_row(x);
    run_bias_gelu_backward(x, bias, grad_out, grad_x, grad_bias);
    return {grad_x, grad_bias};
  }
};

kernels::ResidualNorm parameters(const at::Tensor& like, const at::Tensor& bias, const at::Tensor& weight,
                                 const at::Tensor& shift, double epsilon, double dropout, uint64_t dropout_seed) {
  kernels::ResidualNorm p;
  p.shape = rows_of(like);
  p.weight = weight.const_data_ptr<float>();
  if (bias.defined()) p.bias = bias.const_data_ptr<float>(), p.shift = shift.const_data_ptr<float>();
  p.epsilon = static_cast<float>(epsilon), p.dropout = dropout, p.dropout_seed = dropout_seed;
  return p;
}

class ResidualNorm : public torch::autograd::Function<ResidualNorm> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& bias,
                            const at::Tensor& residual, const at::Tensor& weight, const at::Tensor& shift,
                            double epsilon, double dropout, int64_t dropout_seed) {
    kernels::ResidualNorm p = parameters(x, bias, weight, shift, epsilon, dropout, static_cast<uint64_t>(dropout_seed));
    at::Tensor sum = at::empty_like(x), out = at::empty_like(x);
    at::Tensor mean = at::empty({p.shape.rows}, x.options().dtype(at::kFloat)), scale = at::empty_like(mean);
    p.x = x.const_data_ptr(), p.residual = residual.const_data_ptr();
    p.sum = sum.mutable_data_ptr(), p.mean = mean.mutable_data_ptr<float>(), p.scale = scale.mutable_data_ptr<float>();
    p.out = out.mutable_data_ptr();
    run_residual_norm(x, p);
    context->save_for_backward({bias, weight, shift, sum, mean, scale});
    context->saved_data["epsilon"] = epsilon;
    context->saved_data["dropout"] = dropout;
    context->saved_data["dropout_seed"] = dropout_seed;
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto& data = context->saved_data;
    const at::Tensor &bias = saved[0], &weight = saved[1], &shift = saved[2], &sum = saved[3], &mean = saved[4],
                     &scale = saved[5];
    const at::Tensor grad_out = ready(gradients[0]);
    kernels::ResidualNormBackward b;
    b.forward = parameters(sum, bias, weight, shift, data.at("epsilon").toDouble(), data.at("dropout").toDouble(),
                           static_cast<uint64_t>(data.at("dropout_seed").toInt()));
    b.forward.sum = sum.data_ptr(), b.forward.mean = mean.data_ptr<float>(), b.forward.scale = scale.data_ptr<float>();
    b.grad_out = grad_out.const_data_ptr();
    at::Tensor grad_residual = at::empty_like(sum),
               grad_x = b.forward.dropout > 0 ? at::empty_like(sum) : grad_residual;
    at::Tensor grad_bias = empty_row(sum), grad_weight = empty_row(sum), grad_shift = empty_row(sum);
    b.grad_residual = grad_residual.mutable_data_ptr(), b.grad_x = grad_x.mutable_data_ptr();
    b.grad_bias = grad_bias.mutable_data_ptr<float>(), b.grad_weight = grad_weight.mutable_data_ptr<float>();
    b.grad_shift = grad_shift.mutable_data_ptr<float>();
    run_residual_norm_backward(sum, b);
    return {grad_x, grad_bias, grad_residual, grad_weight, grad_shift, {}, {}, {}};
  }
};

/// Writes the two results of add_norm(); `sum` may be x. Returns what its backward pass needs of each row, [2, rows].
at::Tensor run_add_norm(const at::Tensor& x, const at::Tensor& residual, const at::Tensor& weight, double epsilon,
                        double dropout, uint64_t dropout_seed, const at::Tensor& sum, const at::Tensor& out) {
  auto p = parameters(x, {}, weight, {}, epsilon, dropout, dropout_seed);
  at::Tensor means = at::empty({2, p.shape.rows}, x.options().dtype(at::kFloat));
  p.x = x.const_data_ptr(), p.residual = residual.const_data_ptr();
  p.sum = sum.data_ptr(), p.out = out.data_ptr();
  p.mean = means.mutable_data_ptr<float>(), p.scale = p.mean + p.shape.rows;
  kernels::residual_norm(p);
  return means;
}

class AddNorm : public torch::autograd::Function<AddNorm> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& residual,
                               const at::Tensor& weight, double epsilon, double dropout, int64_t dropout_seed) {
    const at::Tensor sum = at::empty_like(x), out = at::empty_like(x);
    const at::Tensor means =
        run_add_norm(x, residual, weight, epsilon, dropout, static_cast<uint64_t>(dropout_seed), sum, out);
    context->save_for_backward({weight, sum, means});
    context->saved_data["dropout"] = dropout;
    context->saved_data["dropout_seed"] = dropout_seed;
    return {sum, out};
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &weight = saved[0], &sum = saved[1], &means = saved[2];
    const at::Tensor grad_sum = gradients[0].contiguous(), grad_out = gradients[1].contiguous();
    kernels::ResidualNormBackward b;
    b.forward = parameters(sum, {}, weight, {}, 0, context->saved_data.at("dropout").toDouble(),
                           static_cast<uint64_t>(context->saved_data.at("dropout_seed").toInt()));
    b.forward.sum = sum.data_ptr(), b.forward.mean = means.data_ptr<float>();
    b.forward.scale = b.forward.mean + b.forward.shape.rows;
    b.grad_out = grad_out.const_data_ptr(), b.grad_sum = grad_sum.const_data_ptr();
    at::Tensor grad_residual = at::empty_like(sum), grad_weight = empty_row(sum),
               grad_x = b.forward.dropout > 0 ? at::empty_like(sum) : grad_residual;
    b.grad_residual = grad_residual.mutable_data_ptr(), b.grad_x = grad_x.mutable_data_ptr();
    b.grad_weight = grad_weight.mutable_data_ptr<float>();
    kernels::residual_norm_backward(b);
    return {grad_x, grad_residual, grad_weight, {}, {}, {}};
  }
};

/// On a GPU the plug-in decides (`fits`). Parameters are separate tensors there, and so aligned as the kernels need.
bool serves(const at::Tensor& x, const at::Tensor& bias, bool (*fits)(const kernels::Rows&)) {
  if (x.is_cpu()) return cpu_rows_serve(x);
  if (!x.is_cuda() || !kernels::cuda_plugin().table) return false;
  kernels::Rows shape = rows_of(x);
  shape.columns = bias.size(0);
  return fits(shape) &&
         (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf);
}

}  // namespace

bool cpu_rows_serve(const at::Tensor& x) {
  return x.is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
}
bool bias_gelu_serves(const at::Tensor& x, const at::Tensor& bias) { return serves(x, bias, kernels::bias_gelu_fits); }
bool residual_norm_serves(const at::Tensor& x, const at::Tensor& bias) {
  return serves(x, bias, kernels::residual_norm_fits);
}

at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias) {
  if (torch::autograd::compute_requires_grad(x, bias)) return BiasGelu::apply(x.contiguous(), bias);
  at::Tensor out = x.contiguous();
  run_bias_gelu(out, bias, out);
  return out;
}

at::Tensor residual_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                         const at::Tensor& weight, const at::Tensor& shift, double epsilon, double dropout,
                         uint64_t dropout_seed) {
  if (torch::autograd::compute_requires_grad(x, bias, residual, weight, shift))
    return ResidualNorm::apply(x.contiguous(), bias, ready(residual), weight, shift, epsilon, dropout,
                               static_cast<int64_t>(dropout_seed));
  const at::Tensor out = x.contiguous(), added = ready(residual);
  auto p = parameters(out, bias, weight, shift, epsilon, dropout, dropout_seed);
  p.x = out.const_data_ptr(), p.residual = added.const_data_ptr(), p.out = out.mutable_data_ptr();
  run_residual_norm(out, p);
  return out;
}

std::pair<at::Tensor, at::Tensor> add_norm(const at::Tensor& x, const at::Tensor& residual, const at::Tensor& weight,
                                           double epsilon, double dropout, uint64_t dropout_seed) {
  if (torch::autograd::compute_requires_grad(x, residual, weight)) {
    const auto results = AddNorm::apply(x.contiguous(), residual.contiguous(), weight, epsilon, dropout,
                                        static_cast<int64_t>(dropout_seed));
    return {results[0], results[1]};
  }
  const at::Tensor sum = x.contiguous(), added = residual.contiguous(), out = at::empty_like(sum);
  run_add_norm(sum, added, weight, epsilon, dropout, dropout_seed, sum, out);
  return {sum, out};
}

}  // namespace bigdna::model
