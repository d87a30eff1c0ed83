/// The row kernels with run-time dispatch: each processes rows [first, last) and gives the task's part of the column
/// sums.
#pragma once

#include "kernels/rows.h"

namespace bigdna::kernels {

void bias_gelu_simd(const Rows& shape, const void* x, const float* bias, void* out, int64_t first, int64_t last);
/// `sums`: [columns], overwritten.
void bias_gelu_backward_simd(const Rows& shape, const void* x, const float* bias, const void* grad_out, void* grad_x,
                             int64_t first, int64_t last, float* sums);
void residual_norm_simd(const ResidualNorm& p, int64_t first, int64_t last);
/// `sums`: [3, columns] of bias, weight and shift, overwritten.
void residual_norm_backward_simd(const ResidualNormBackward& p, int64_t first, int64_t last, float* sums);

void gated_gelu_simd(const Rows& shape, bool tanh_form, const void* x, void* out, int64_t first, int64_t last);
void gated_gelu_backward_simd(const Rows& shape, bool tanh_form, const void* x, const void* grad_out, void* grad_x,
                              int64_t first, int64_t last);
void rotate_simd(const Rotary& p, void* qkv, int64_t first, int64_t last);
void rotate_backward_simd(const Rotary& p, const void* grad_q, const void* grad_k, const void* grad_v, void* grad_qkv,
                          int64_t first, int64_t last);
void cross_entropy_simd(const CrossEntropy& p, int64_t first, int64_t last);
/// `sums`: [columns] of the bias, overwritten.
void cross_entropy_backward_simd(const CrossEntropy& p, const float* grad_nats, int64_t first, int64_t last,
                                 float* sums);

}  // namespace bigdna::kernels
