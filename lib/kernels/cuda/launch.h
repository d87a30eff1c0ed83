/// The plug-in's kernels, as table.h describes them, and how they are launched.
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/table.h"

namespace bigdna::kernels {

int cuda_attention_forward(const AttentionForward* parameters, const Work* rows, float* parts, void* stream);
int cuda_attention_backward(const AttentionBackward* parameters, const Work* rows, const Work* columns, float* dots,
                            float* parts, void* stream);
int cuda_check_device(int device);
int cuda_residual_norm(const ResidualNorm* parameters, void* stream);
int cuda_residual_norm_backward(const ResidualNormBackward* parameters, float* parts, void* stream);
int cuda_bias_gelu(const Rows* shape, const void* x, const float* bias, void* out, void* stream);
int cuda_bias_gelu_backward(const Rows* shape, const void* x, const float* bias, const void* grad_out, void* grad_x,
                            float* grad_bias, float* parts, void* stream);

/// tensor.cuh for one head size D (32, 64, 128) and bf16 or fp16; one file each, so that they compile side by side.
/// `warpgroups`: by wgmma (sm_90a, 64 rows a thread block), else by mma.sync.
template <int D>
int tensor_forward_on(const AttentionForward& p, const Work& rows, bool warpgroups, float* parts, cudaStream_t stream);
template <int D>
int tensor_backward_on(const AttentionBackward& b, const Work& rows, const Work& columns, bool warpgroups, float* dots,
                       float* parts, cudaStream_t stream);

#ifdef __CUDACC__
/// Lets a kernel, without static shared memory, have as much dynamic shared memory as the device gives one thread
/// block. The limit is the kernel's, for all threads that launch it, so it is never set to what one launch needs.
template <class... Parameters>
cudaError_t allow_shared_memory(void (*kernel)(Parameters...), uint32_t bytes) {
  if (bytes <= 48 << 10) return cudaSuccess;  // what every kernel has
  int device = 0, most = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device))
    return error;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
}
/// Calls kernels one after another on a stream.
struct Launch {
  cudaStream_t stream;
  template <class... Parameters, class... Arguments>
  int operator()(void (*kernel)(Parameters...), int64_t blocks, int threads, uint32_t bytes,
                 const Arguments&... arguments) const {
    if (const cudaError_t error = allow_shared_memory(kernel, bytes)) return error;
    kernel<<<static_cast<unsigned>(blocks), threads, bytes, stream>>>(arguments...);
    return cudaGetLastError();
  }
};
#endif

}  // namespace bigdna::kernels
