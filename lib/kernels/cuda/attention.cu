// Launches the kernels of kernels.cuh.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.h"

namespace bigdna::kernels {
namespace {

bool fits(const AttentionForward& p) {
  return p.head_size >= 1 && p.head_size <= kCudaHeadSize && p.block >= 1 && p.batch * p.heads <= 65535;
}
dim3 grid(const AttentionForward& p) {
  const int64_t blocks = (p.n + p.block - 1) / p.block, pieces = (p.block + kRows - 1) / kRows;
  return dim3(static_cast<unsigned>(blocks * pieces), static_cast<unsigned>(p.batch * p.heads));
}
/// Launches with `rows` rows of head_size + 1 floats of shared memory.
template <class Kernel, class... Arguments>
cudaError_t launch(Kernel kernel, const AttentionForward& p, int rows, cudaStream_t stream,
                   Arguments... arguments) {
  const int bytes = static_cast<int>(rows * (p.head_size + 1) * sizeof(float));
  if (const cudaError_t error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes))
    return error;
  kernel<<<grid(p), kWarps * 32, bytes, stream>>>(arguments...);
  return cudaGetLastError();
}

template <class T>
cudaError_t backward(const AttentionBackward& b, float* dots, cudaStream_t stream) {
  const AttentionForward& p = b.forward;
  const dim3 all(static_cast<unsigned>((p.n + kWarps - 1) / kWarps),
                 static_cast<unsigned>(p.batch * p.heads));
  dots_kernel<T><<<all, kWarps * 32, 0, stream>>>(b, dots);
  if (const cudaError_t error = cudaGetLastError()) return error;
  if (const cudaError_t error = launch(keys_kernel<T>, p, 2 * kRows + 2 * kTile, stream, b, dots))
    return error;
  return launch(queries_kernel<T>, p, 2 * kRows + 2 * kTile, stream, b, dots);
}

}  // namespace

int cuda_attention_forward(const AttentionForward* p, void* stream) {
  if (!fits(*p)) return cudaErrorInvalidValue;
  if (p->batch == 0 || p->n == 0) return cudaSuccess;
  const int rows = kRows + 2 * kTile;
  return p->precision == Precision::bf16
             ? launch(forward_kernel<__nv_bfloat16>, *p, rows, static_cast<cudaStream_t>(stream), *p)
             : launch(forward_kernel<float>, *p, rows, static_cast<cudaStream_t>(stream), *p);
}

int cuda_attention_backward(const AttentionBackward* b, float* dots, void* stream) {
  if (!fits(b->forward)) return cudaErrorInvalidValue;
  if (b->forward.batch == 0 || b->forward.n == 0) return cudaSuccess;
  return b->forward.precision == Precision::bf16
             ? backward<__nv_bfloat16>(*b, dots, static_cast<cudaStream_t>(stream))
             : backward<float>(*b, dots, static_cast<cudaStream_t>(stream));
}

}  // namespace bigdna::kernels
