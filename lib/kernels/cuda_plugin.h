/// Finding a GPU and opening the CUDA plug-in, without LibTorch or a CUDA library linked.
///
/// How select_device() in model/device.h uses it, before any other call of LibTorch (which looks for its CUDA half
/// once, on first use, and never again):
///   const kernels::CudaPlugin& cuda = kernels::cuda_plugin();
///   if (cuda.table) ... at::Device(at::kCUDA, 0) ...; else "auto" takes the CPU and "cuda" fails with
///   cuda.reason.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/table.h"

namespace bigdna::kernels {

struct CudaPlugin {
  const CudaTable* table = nullptr;  // null: no GPU can be used, for `reason`
  int devices = 0;                   // what the driver sees
  std::string reason;                // one line: no driver, no device, no plug-in, or a plug-in that cannot be used
};

/// Opened once per process, on the first call, and never closed; thread-safe. Takes a fraction of a millisecond if
/// there is no GPU.
const CudaPlugin& cuda_plugin();

/// What NVIDIA's driver reports, through libcuda.so.1 only.
struct CudaDriver {
  std::string version;               // "580.159.03, CUDA 13.0"; empty without a driver
  std::vector<std::string> devices;  // "NVIDIA H200 (sm_90, 140 GiB)"
  std::string reason;                // why there is no device
};
CudaDriver cuda_driver();

/// The plug-in's path: ../lib/libbigdna_cuda.so, relative to the program's folder.
std::string cuda_plugin_path();
/// Opens the plug-in at `path`. Exposed for tests.
CudaPlugin open_cuda_plugin(const std::string& path);

}  // namespace bigdna::kernels
