#include "kernels/cuda/launch.h"
#include "kernels/cuda/tensor.cuh"

namespace bigdna::kernels {

int tensor_forward_32(const AttentionForward& p, const Work& rows, float* parts, cudaStream_t stream) {
  return p.precision == Precision::bf16 ? tensor_forward_pass<__nv_bfloat16, 32>(p, rows, parts, Launch{stream})
                                        : tensor_forward_pass<__half, 32>(p, rows, parts, Launch{stream});
}
int tensor_backward_32(const AttentionBackward& b, const Work& rows, const Work& columns, float* dots, float* parts, cudaStream_t stream) {
  return b.forward.precision == Precision::bf16
             ? tensor_backward_pass<__nv_bfloat16, 32>(b, rows, columns, dots, parts, Launch{stream})
             : tensor_backward_pass<__half, 32>(b, rows, columns, dots, parts, Launch{stream});
}

}  // namespace bigdna::kernels
