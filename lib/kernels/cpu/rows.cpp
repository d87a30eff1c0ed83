#include "kernels/rows.h"

#include "base/error.h"
#include "kernels/cpu/plan.h"
#include "kernels/cpu/row_tasks.h"
#include "kernels/cpu/rows_simd.h"
#include "kernels/dropout.h"

namespace bigdna::kernels {

void bias_gelu(const Rows& shape, const void* x, const float* bias, void* out) {
  run_rows(shape, [&](int64_t, int64_t first, int64_t last) { bias_gelu_simd(shape, x, bias, out, first, last); });
}

void bias_gelu_backward(const Rows& shape, const void* x, const float* bias, const void* grad_out, void* grad_x,
                        float* grad_bias) {
  const FloatBuffer sums(static_cast<size_t>(tasks_of(shape) * shape.columns));
  run_rows(shape, [&](int64_t task, int64_t first, int64_t last) {
    bias_gelu_backward_simd(shape, x, bias, grad_out, grad_x, first, last, sums.data() + task * shape.columns);
  });
  add_up(sums.data(), tasks_of(shape), shape.columns, shape.columns, grad_bias);
}

void residual_norm(const ResidualNorm& p) {
  if (!(p.dropout >= 0 && p.dropout < 1) || dropout_threshold(p.dropout) > 65535)
    fail("dropout ", p.dropout, " is not in [0, 1)");
  run_rows(p.shape, [&](int64_t, int64_t first, int64_t last) { residual_norm_simd(p, first, last); });
}

void residual_norm_backward(const ResidualNormBackward& b) {
  const Rows& shape = b.forward.shape;
  const int64_t columns = shape.columns, tasks = tasks_of(shape);
  const FloatBuffer sums(static_cast<size_t>(tasks * 3 * columns));
  run_rows(shape, [&](int64_t task, int64_t first, int64_t last) {
    residual_norm_backward_simd(b, first, last, sums.data() + task * 3 * columns);
  });
  if (b.grad_bias) add_up(sums.data(), tasks, 3 * columns, columns, b.grad_bias);
  add_up(sums.data() + columns, tasks, 3 * columns, columns, b.grad_weight);
  if (b.grad_shift) add_up(sums.data() + 2 * columns, tasks, 3 * columns, columns, b.grad_shift);
}

void gated_gelu(const Rows& shape, bool tanh_form, const void* x, void* out) {
  run_rows(shape,
           [&](int64_t, int64_t first, int64_t last) { gated_gelu_simd(shape, tanh_form, x, out, first, last); });
}

void gated_gelu_backward(const Rows& shape, bool tanh_form, const void* x, const void* grad_out, void* grad_x) {
  run_rows(shape, [&](int64_t, int64_t first, int64_t last) {
    gated_gelu_backward_simd(shape, tanh_form, x, grad_out, grad_x, first, last);
  });
}

void rotate(const Rotary& p, void* qkv) {
  run_rows(p.shape, [&](int64_t, int64_t first, int64_t last) { rotate_simd(p, qkv, first, last); });
}

void rotate_backward(const Rotary& p, const void* grad_q, const void* grad_k, const void* grad_v, void* grad_qkv) {
  run_rows(p.shape, [&](int64_t, int64_t first, int64_t last) {
    rotate_backward_simd(p, grad_q, grad_k, grad_v, grad_qkv, first, last);
  });
}

void cross_entropy(const CrossEntropy& p) {
  for (int64_t row = 0; row < p.shape.rows; ++row)
    if (p.labels[row] < 0 || p.labels[row] >= p.shape.columns)
      fail("label ", p.labels[row], " is outside a vocabulary of ", p.shape.columns);
  run_rows(p.shape, [&](int64_t, int64_t first, int64_t last) { cross_entropy_simd(p, first, last); });
}

void cross_entropy_backward(const CrossEntropy& p, const float* grad_nats, float* grad_bias) {
  const int64_t columns = p.shape.columns, tasks = tasks_of(p.shape);
  const FloatBuffer sums(static_cast<size_t>(tasks * columns));
  run_rows(p.shape, [&](int64_t task, int64_t first, int64_t last) {
    cross_entropy_backward_simd(p, grad_nats, first, last, sums.data() + task * columns);
  });
  add_up(sums.data(), tasks, columns, columns, grad_bias);
}

}  // namespace bigdna::kernels
