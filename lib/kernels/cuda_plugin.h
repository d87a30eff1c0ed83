/// Finding a GPU and opening the CUDA plug-in, without LibTorch or a CUDA library linked.
///
/// How model/device.h's select_device uses it, before any other call of LibTorch (LibTorch asks for its CUDA
/// half once, on first use, and never again):
///   const kernels::CudaPlugin& cuda = kernels::cuda_plugin();
///   if (cuda.table) ... at::Device(at::kCUDA, 0) ...; else "auto" takes the CPU and "cuda" fails with
///   cuda.reason.
#pragma once

#include <string>

#include "kernels/cuda/table.h"

namespace bigdna::kernels {

struct CudaPlugin {
  const CudaTable* table = nullptr;  // null: no GPU can be used, for `reason`
  int devices = 0;                   // what the driver sees
  std::string reason;  // one line: no driver, no device, no plug-in, one that does not open or fit
};

/// Opened on the first call, once per process, never closed; thread-safe. Takes a fraction of a millisecond
/// where there is no GPU.
const CudaPlugin& cuda_plugin();

/// GPUs the driver sees, asked of libcuda.so.1 alone; where there is none, `reason` says why.
int cuda_devices(std::string& reason);
/// Opens the plug-in at `path`. Exposed for tests.
CudaPlugin open_cuda_plugin(const std::string& path);

}  // namespace bigdna::kernels
