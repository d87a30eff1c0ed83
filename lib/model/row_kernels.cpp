#include "model/row_kernels.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>

#include "kernels/cuda_plugin.h"
#include "model/cuda_launch.h"
#include "model/parallel.h"

namespace bigdna::model {
namespace {

/// Memory for the column sums of strips.
at::Tensor parts_of(const at::Tensor& like, const kernels::Rows& shape, int64_t sums) {
  return at::empty({kernels::row_parts(shape, sums)}, like.options().dtype(at::kFloat));
}
const kernels::CudaTable& cuda() { return *kernels::cuda_plugin().table; }

}  // namespace

kernels::Rows rows_of(const at::Tensor& x) {
  const int64_t columns = x.size(-1);
  return {precision_of(x.scalar_type()), columns ? x.numel() / columns : 0, columns, at::get_num_threads(), parallel};
}

void run_residual_norm(const at::Tensor& like, const kernels::ResidualNorm& p) {
  if (like.is_cpu()) return kernels::residual_norm(p);
  const c10::DeviceGuard guard(like.device());
  check_launch(cuda().residual_norm(&p, current_stream(like.device()).native_handle()), "LayerNorm");
}

void run_residual_norm_backward(const at::Tensor& like, const kernels::ResidualNormBackward& b) {
  if (like.is_cpu()) return kernels::residual_norm_backward(b);
  const c10::DeviceGuard guard(like.device());
  const at::Tensor parts = parts_of(like, b.forward.shape, 3);
  check_launch(
      cuda().residual_norm_backward(&b, parts.mutable_data_ptr<float>(), current_stream(like.device()).native_handle()),
      "LayerNorm's gradients");
}

void run_bias_gelu(const at::Tensor& x, const at::Tensor& bias, at::Tensor& out) {
  const kernels::Rows shape = rows_of(x);
  if (x.is_cpu())
    return kernels::bias_gelu(shape, x.const_data_ptr(), bias.const_data_ptr<float>(), out.mutable_data_ptr());
  const c10::DeviceGuard guard(x.device());
  check_launch(cuda().bias_gelu(&shape, x.const_data_ptr(), bias.const_data_ptr<float>(), out.mutable_data_ptr(),
                                current_stream(x.device()).native_handle()),
               "GELU");
}

void run_bias_gelu_backward(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& grad_out, at::Tensor& grad_x,
                            at::Tensor& grad_bias) {
  const kernels::Rows shape = rows_of(x);
  if (x.is_cpu())
    return kernels::bias_gelu_backward(shape, x.const_data_ptr(), bias.const_data_ptr<float>(),
                                       grad_out.const_data_ptr(), grad_x.mutable_data_ptr(),
                                       grad_bias.mutable_data_ptr<float>());
  const c10::DeviceGuard guard(x.device());
  const at::Tensor parts = parts_of(x, shape, 1);
  check_launch(
      cuda().bias_gelu_backward(&shape, x.const_data_ptr(), bias.const_data_ptr<float>(), grad_out.const_data_ptr(),
                                grad_x.mutable_data_ptr(), grad_bias.mutable_data_ptr<float>(),
                                parts.mutable_data_ptr<float>(), current_stream(x.device()).native_handle()),
      "GELU's gradients");
}

}  // namespace bigdna::model
