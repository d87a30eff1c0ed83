// Chooses the kernels of a call: those on tensor cores if it has work lists for them (cuda_work.h), else the simple
// ones.
#include "kernels/cuda/launch.h"
#include "kernels/cuda/simple.cuh"

namespace bigdna::kernels {
namespace {

bool simple_serves(const AttentionForward& p) {
  return p.head_size >= 1 && p.head_size <= kCudaHeadSize && p.block >= 1;
}
/// `pieces` of every head (simple.cuh, Head).
unsigned grid(const AttentionForward& p, int64_t pieces) { return static_cast<unsigned>(p.batch * p.heads * pieces); }
/// Launches with `rows` rows of head_size + 1 floats of shared memory.
template <class Kernel, class... Arguments>
cudaError_t launch(Kernel kernel, const AttentionForward& p, int rows, cudaStream_t stream, Arguments... arguments) {
  const auto bytes = static_cast<uint32_t>(rows * (p.head_size + 1) * sizeof(float));
  if (const cudaError_t error = allow_shared_memory(kernel, bytes)) return error;
  const int64_t blocks = (p.n + p.block - 1) / p.block, pieces = (p.block + kRows - 1) / kRows;
  kernel<<<grid(p, blocks * pieces), kWarps * 32, bytes, stream>>>(arguments...);
  return cudaGetLastError();
}

template <class T>
cudaError_t simple_backward(const AttentionBackward& b, float* dots, cudaStream_t stream) {
  const AttentionForward& p = b.forward;
  dots_kernel<T><<<grid(p, (p.n + kWarps - 1) / kWarps), kWarps * 32, 0, stream>>>(b, dots);
  if (const cudaError_t error = cudaGetLastError()) return error;
  if (const cudaError_t error = launch(keys_kernel<T>, p, 2 * kRows + 2 * kTile, stream, b, dots)) return error;
  return launch(queries_kernel<T>, p, 2 * kRows + 2 * kTile, stream, b, dots);
}

/// Whether to multiply by wgmma: if the device has it, and the block size is a multiple of 64.
bool by_warpgroups(const Work& work) {
  if (work.rows != 64) return false;
  int device = 0, major = 0, minor = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
         cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess &&
         has_wgmma(BIGDNA_CUDA_BUILT_FOR, major, minor);
}

}  // namespace

int cuda_attention_forward(const AttentionForward* p, const Work* rows, float* parts, void* to) {
  const auto stream = static_cast<cudaStream_t>(to);
  if (p->batch * p->heads * p->n == 0) return cudaSuccess;
  if (rows->item_count > 0) {
    const bool warpgroups = by_warpgroups(*rows);
    if (p->head_size == 32) return tensor_forward_on<32>(*p, *rows, warpgroups, parts, stream);
    if (p->head_size == 64) return tensor_forward_on<64>(*p, *rows, warpgroups, parts, stream);
    return p->head_size == 128 ? tensor_forward_on<128>(*p, *rows, warpgroups, parts, stream) : cudaErrorInvalidValue;
  }
  if (!simple_serves(*p)) return cudaErrorInvalidValue;
  return by_type(p->precision,
                 [&](auto type) { return launch(forward_kernel<decltype(type)>, *p, kRows + 2 * kTile, stream, *p); });
}

int cuda_attention_backward(const AttentionBackward* b, const Work* rows, const Work* columns, float* dots,
                            float* parts, void* to) {
  const AttentionForward& p = b->forward;
  const auto stream = static_cast<cudaStream_t>(to);
  if (p.batch * p.heads * p.n == 0) return cudaSuccess;
  if (rows->item_count > 0) {
    const bool warpgroups = by_warpgroups(*rows);
    if (p.head_size == 32) return tensor_backward_on<32>(*b, *rows, *columns, warpgroups, dots, parts, stream);
    if (p.head_size == 64) return tensor_backward_on<64>(*b, *rows, *columns, warpgroups, dots, parts, stream);
    return p.head_size == 128 ? tensor_backward_on<128>(*b, *rows, *columns, warpgroups, dots, parts, stream)
                              : cudaErrorInvalidValue;
  }
  if (!simple_serves(p)) return cudaErrorInvalidValue;
  return by_type(p.precision, [&](auto type) { return simple_backward<decltype(type)>(*b, dots, stream); });
}

int cuda_check_device(int device) {
  int before = 0;
  if (const cudaError_t error = cudaGetDevice(&before)) return error;
  if (const cudaError_t error = cudaSetDevice(device)) return error;
  cudaFuncAttributes attributes;
  const cudaError_t loads = cudaFuncGetAttributes(&attributes, forward_kernel<float>);
  cudaGetLastError();  // clears it, so that no later call reports it
  // The one that works stays current: going back to device 0 would begin a context there for every process of a run.
  if (loads) cudaSetDevice(before);
  return loads;
}

}  // namespace bigdna::kernels
