/// The operations between the encoder's matrix products, in single passes over rows of activations, forward and
/// backward, on plain pointers. These functions run on the CPU; bias_gelu and residual_norm have kernels for the GPU
/// too (cuda/table.h). Sums are fp32, results do not depend on the number of threads. Gradients of bias, weight and
/// shift are written, not added to.
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
void bias_gelu_backward(const Rows& shape, const void* x, const float* bias, const void* grad_out, void* grad_x,
                        float* grad_bias);

/// The end of each half of a post-norm layer: sum = residual + dropout(x + bias), out = LayerNorm(sum).
/// Dropout's mask is model::dropout's: a function of (seed, element).
struct ResidualNorm {
  Rows shape;
  const void *x = nullptr, *residual = nullptr;
  const float *bias = nullptr, *weight = nullptr, *shift = nullptr;  // [columns]; null, on a CPU: no bias, no shift
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
  float *grad_bias = nullptr, *grad_weight = nullptr, *grad_shift = nullptr;  // [columns]; null as in `forward`
  const void* grad_sum = nullptr;  // added to the sum's gradient where the sum is used too (pre-norm); on a CPU
};
void residual_norm_backward(const ResidualNormBackward& parameters);

/// The rest is for CPUs alone.

/// out = gelu(a) b of x [rows, 2 columns], whose rows are a and b; `shape` is out's. `tanh_form`, or else exact to
/// 1e-7 (Abramowitz and Stegun 7.1.26).
void gated_gelu(const Rows& shape, bool tanh_form, const void* x, void* out);
/// grad_x [rows, 2 columns] may be x.
void gated_gelu_backward(const Rows& shape, bool tanh_form, const void* x, const void* grad_out, void* grad_x);

/// Rotary positions: numbers f and f + head_size / 2 of each head are rotated by an angle of that f and the row's
/// position, row % n.
struct Rotary {
  Rows shape;  // of queries: tokens x (heads * head_size)
  int64_t head_size = 0, n = 0;
  const float *cosine = nullptr, *sine = nullptr;  // [n, head_size / 2]
};
/// Rotates queries and keys of qkv [tokens, 3, columns] in place.
void rotate(const Rotary& parameters, void* qkv);
/// Gradients of the three parts, [tokens, columns] each, to that of qkv before its rotation.
void rotate_backward(const Rotary& parameters, const void* grad_q, const void* grad_k, const void* grad_v,
                     void* grad_qkv);

/// -ln softmax(logits + bias)[label] of each row, without storing probabilities.
struct CrossEntropy {
  Rows shape;                       // of logits
  void* logits = nullptr;           // read; the backward pass overwrites them with their gradient
  const float* bias = nullptr;      // [columns]
  const int64_t* labels = nullptr;  // [rows], each below columns
  float* nats = nullptr;            // [rows]
  float* log2_sums = nullptr;       // [rows]: log2 of the sum of e^(logit + bias); null if no backward follows
  bool* right = nullptr;            // [rows]: whether the label is the likeliest, the first of equal ones
};
void cross_entropy(const CrossEntropy& parameters);
/// Reads shape, logits, bias, labels and log2_sums; grad_nats: [rows], grad_bias: [columns].
void cross_entropy_backward(const CrossEntropy& parameters, const float* grad_nats, float* grad_bias);

}  // namespace bigdna::kernels
