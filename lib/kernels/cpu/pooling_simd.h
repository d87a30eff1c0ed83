/// The kernels of kernels/pooling.h with run-time dispatch: each processes rows [first, last) (of max_pool: of its
/// output).
#pragma once

#include "kernels/pooling.h"

namespace bigdna::kernels {

void max_pool_simd(const Rows& shape, int64_t width, const void* x, void* out, uint8_t* winner, int64_t first,
                   int64_t last);
void max_pool_backward_simd(const Rows& shape, int64_t width, const uint8_t* winner, const void* grad_out, void* grad_x,
                            int64_t first, int64_t last);
void norm_gelu_simd(const NormGelu& p, int64_t first, int64_t last);
/// `sums`: [2, columns] of weight and shift, overwritten.
void norm_gelu_backward_simd(const NormGelu& p, const void* grad_out, void* grad_x, int64_t first, int64_t last,
                             float* sums);

}  // namespace bigdna::kernels
