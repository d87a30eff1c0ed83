#include "kernels/cuda/launch.h"
#include "kernels/cuda/tensor.cuh"

namespace bigdna::kernels {

int tensor_forward_128(const AttentionForward& p, const Work& rows, bool warpgroups, float* parts, cudaStream_t stream) {
  return by_type_and_unit(p, warpgroups, [&](auto type, auto unit) {
    return tensor_forward_pass<decltype(type), 128, decltype(unit)::value>(p, rows, parts, Launch{stream});
  });
}
int tensor_backward_128(const AttentionBackward& b, const Work& rows, const Work& columns, bool warpgroups, float* dots, float* parts,
                       cudaStream_t stream) {
  return by_type_and_unit(b.forward, warpgroups, [&](auto type, auto unit) {
    return tensor_backward_pass<decltype(type), 128, decltype(unit)::value>(b, rows, columns, dots, parts, Launch{stream});
  });
}

}  // namespace bigdna::kernels
