// The plug-in's table. No LibTorch headers: the plug-in is linked with libtorch_cuda only so that opening it
// brings LibTorch's CUDA half into the process.
#include <cuda_runtime_api.h>

#include <cstdio>

#include "kernels/cuda/launch.h"

namespace bigdna::kernels {
namespace {

const char* error_text(int error) { return cudaGetErrorString(static_cast<cudaError_t>(error)); }
int device_count(int* count) { return cudaGetDeviceCount(count); }
int describe_device(int device, char* name, int size, int* major, int* minor) {
  cudaDeviceProp properties;
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, device)) return error;
  std::snprintf(name, size, "%s", properties.name);
  *major = properties.major, *minor = properties.minor;
  return cudaSuccess;
}

int versions(int* driver, int* runtime) {
  if (const cudaError_t error = cudaDriverGetVersion(driver)) return error;
  return cudaRuntimeGetVersion(runtime);
}

constexpr CudaTable kTable{kCudaTableVersion,
                           BIGDNA_CUDA_BUILT_FOR,
                           error_text,
                           device_count,
                           describe_device,
                           cuda_check_device,
                           versions,
                           cuda_attention_forward,
                           cuda_attention_backward,
                           cuda_residual_norm,
                           cuda_residual_norm_backward,
                           cuda_bias_gelu,
                           cuda_bias_gelu_backward};

}  // namespace
}  // namespace bigdna::kernels

extern "C" __attribute__((visibility("default"))) const bigdna::kernels::CudaTable* bigdna_cuda_open() {
  return &bigdna::kernels::kTable;
}
