// launch.h's two functions of a head size, and (BIGDNA_TENSOR_HEAD(D)) their code for one.
#pragma once

#include "kernels/cuda/launch.h"
#include "kernels/cuda/tensor.cuh"

namespace bigdna::kernels {

template <int D>
int tensor_forward_on(const AttentionForward& p, const Work& rows, bool warpgroups, float* parts, cudaStream_t stream) {
  return by_type_and_unit(p, warpgroups, [&](auto type, auto unit) {
    return tensor_forward_pass<decltype(type), D, decltype(unit)::value>(p, rows, parts, Launch{stream});
  });
}
template <int D>
int tensor_backward_on(const AttentionBackward& b, const Work& rows, const Work& columns, bool warpgroups, float* dots,
                       float* parts, cudaStream_t stream) {
  return by_type_and_unit(b.forward, warpgroups, [&](auto type, auto unit) {
    return tensor_backward_pass<decltype(type), D, decltype(unit)::value>(b, rows, columns, dots, parts,
                                                                          Launch{stream});
  });
}

}  // namespace bigdna::kernels

#define BIGDNA_TENSOR_HEAD(D)                                                                                  \
  namespace bigdna::kernels {                                                                                  \
  template int tensor_forward_on<D>(const AttentionForward&, const Work&, bool, float*, cudaStream_t);         \
  template int tensor_backward_on<D>(const AttentionBackward&, const Work&, const Work&, bool, float*, float*, \
                                     cudaStream_t);                                                            \
  }
