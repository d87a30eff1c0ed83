// What the kernels of every kind share.
#pragma once

#include "kernels/attention.h"
#include "kernels/cuda/mma.cuh"

namespace bigdna::kernels {
namespace {

constexpr unsigned kWholeWarp = 0xFFFFFFFF;

__device__ inline float warp_sum(float x) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(kWholeWarp, x, lanes);
  return x;
}

/// serve(T()) with the type of that precision.
template <class Serve>
int by_type(Precision precision, Serve serve) {
  if (precision == Precision::bf16) return serve(__nv_bfloat16());
  return precision == Precision::fp16 ? serve(__half()) : serve(float());
}

}  // namespace
}  // namespace bigdna::kernels
