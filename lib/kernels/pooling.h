/// What a network on bases computes between its convolutions, in single passes over rows of activations (a row: the
/// numbers of one position), forward and backward, on plain pointers of a CPU. As in kernels/rows.h: sums are fp32,
/// results do not depend on the number of threads, gradients of weight and shift are written, not added to.
#pragma once

#include <cstdint>

#include "kernels/rows.h"

namespace bigdna::kernels {

/// Column by column, the maximum of each group of `width` rows (1 to 255): out [rows, columns] of x [rows * width,
/// columns]; `shape` is out's. `winner` [rows, columns]: the place of the maximum in its group, the first of equal
/// ones; null if no backward pass follows.
void max_pool(const Rows& shape, int64_t width, const void* x, void* out, uint8_t* winner);
/// grad_x [rows * width, columns], every number of which is written.
void max_pool_backward(const Rows& shape, int64_t width, const uint8_t* winner, const void* grad_out, void* grad_x);

/// out = gelu(LayerNorm(x)), GELU in its tanh form. Without `normalise`: gelu(x * weight + shift), column by column.
struct NormGelu {
  Rows shape;
  bool normalise = true;
  const void* x = nullptr;
  const float *weight = nullptr, *shift = nullptr;  // [columns]
  float epsilon = 1e-5f;
  void* out = nullptr;                      // may be x
  float *mean = nullptr, *scale = nullptr;  // [rows]: mean and 1 / standard deviation of x; null if no backward
                                            // follows, or without `normalise`
};
void norm_gelu(const NormGelu& parameters);
/// Reads shape, x, weight, shift, mean and scale. grad_x may be grad_out; grad_weight, grad_shift: [columns].
void norm_gelu_backward(const NormGelu& parameters, const void* grad_out, void* grad_x, float* grad_weight,
                        float* grad_shift);

}  // namespace bigdna::kernels
