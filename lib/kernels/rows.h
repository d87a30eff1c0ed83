/// The operations between the encoder's matrix products, in single passes over rows of activations, forward
/// and backward, on plain pointers (CPU). Sums are fp32, results do not depend on the number of threads.
/// Gradients of bias, weight and shift are written, not added to.
#pragma once

#include <cstdint>

#include "kernels/attention.h"

namespace bigdna::kernels {

/// A contiguous [rows, columns] matrix. Activations and their gradients have `precision`; parameters and their
/// gradients are fp32.
struct Rows {
  Precision precision = Precision::fp32;
  int64_t rows = 0, columns = 0;
  int threads = 1;
  ParallelFor parallel = nullptr;  // null: base/threads.h
};

/// out = gelu(x + bias) in its tanh form; `out` may be `x`.
void bias_gelu(const Rows& shape, const void* x, const float* bias, void* out);
/// `grad_x` may be `grad_out`; grad_bias: [columns].
void bias_gelu_backward(const Rows& shape, const void* x, const float* bias, const void* grad_out,
                        void* grad_x, float* grad_bias);

/// The end of each half of a post-norm layer: sum = residual + dropout(x + bias), out = LayerNorm(sum).
/// Dropout's mask is model::dropout's: a function of (seed, element).
struct ResidualNorm {
  Rows shape;
  const void *x = nullptr, *residual = nullptr;
  const float *bias = nullptr, *weight = nullptr, *shift = nullptr;  // [columns]
  float epsilon = 1e-12f;
  double dropout = 0;
  uint64_t dropout_seed = 0;
  void* sum = nullptr;                      // null, like mean and scale, if no backward follows
  float *mean = nullptr, *scale = nullptr;  // [rows]: mean and 1 / standard deviation of each row of sum
  void* out = nullptr;                      // may be x
};
void residual_norm(const ResidualNorm& parameters);

/// The forward's sum, mean and scale are inputs. Without dropout grad_x equals grad_residual and is not written.
struct ResidualNormBackward {
  ResidualNorm forward;
  const void* grad_out = nullptr;
  void *grad_residual = nullptr, *grad_x = nullptr;
  float *grad_bias = nullptr, *grad_weight = nullptr, *grad_shift = nullptr;  // [columns]
};
void residual_norm_backward(const ResidualNormBackward& parameters);

}  // namespace bigdna::kernels
