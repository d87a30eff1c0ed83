#include "kernels/cuda_plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/error.h"

namespace bigdna::kernels {
namespace {

std::string dl_text() {
  const char* text = dlerror();
  return text ? text : "unknown error";
}

CudaPlugin find() {
  CudaPlugin plugin;
  plugin.devices = cuda_devices(plugin.reason);
  if (plugin.devices == 0) return plugin;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto path = program.parent_path().parent_path() / "lib" / "libbigdna_cuda.so";
  if (error || !std::filesystem::exists(path, error)) {
    plugin.reason = concat("there is a GPU, but no CUDA plug-in ", path.string(),
                           " (build with nvcc and -DBIGDNA_CUDA=ON)");
    return plugin;
  }
  const int devices = plugin.devices;
  plugin = open_cuda_plugin(path.string());
  plugin.devices = devices;
  return plugin;
}

}  // namespace

int cuda_devices(std::string& reason) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) return reason = "no NVIDIA driver (libcuda.so.1)", 0;
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  if (!init || !count)
    reason = "libcuda.so.1 is not NVIDIA's driver";
  else if (const int error = init(0))
    reason = concat("the NVIDIA driver does not start (cuInit: error ", error,
                    error == 100 ? ", no device)" : ")");
  else if (const int failed = count(&devices))
    reason = concat("the NVIDIA driver does not count its devices (error ", failed, ")"), devices = 0;
  else if (devices == 0)
    reason = "the NVIDIA driver sees no device";
  return devices;
}

CudaPlugin open_cuda_plugin(const std::string& path) {
  CudaPlugin plugin;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    plugin.reason = "the CUDA plug-in does not open: " + dl_text();
    return plugin;
  }
  const auto open = reinterpret_cast<CudaOpen>(dlsym(library, kCudaOpenSymbol));
  if (!open) {
    plugin.reason = concat(path, " is no bigdna CUDA plug-in: ", dl_text());
    return plugin;
  }
  const CudaTable* table = open();
  int devices = 0;
  if (table->version != kCudaTableVersion)
    plugin.reason =
        concat(path, " is of another build (table ", table->version, ", not ", kCudaTableVersion, ")");
  else if (const int error = table->device_count(&devices))
    plugin.reason =
        concat("the CUDA plug-in (", table->built_for, ") cannot use the GPU: ", table->error_text(error));
  else
    plugin.table = table;
  return plugin;
}

const CudaPlugin& cuda_plugin() {
  static const CudaPlugin plugin = find();
  return plugin;
}

}  // namespace bigdna::kernels
