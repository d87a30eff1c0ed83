#include "kernels/cuda_plugin.h"

#include <dlfcn.h>

#include <cctype>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/program.h"

namespace bigdna::kernels {
namespace {

std::string dl_text() {
  const char* text = dlerror();
  return text ? text : "unknown error";
}

/// 13000 -> "CUDA 13.0".
std::string cuda_version(int version) { return concat("CUDA ", version / 1000, ".", version % 1000 / 10); }

/// The kernel module's version, e.g. "580.159.03"; empty if it is unknown.
std::string module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.size() > 3 && std::isdigit(static_cast<unsigned char>(word[0])) && word.find('.') != std::string::npos)
      return word;
  return "";
}

CudaPlugin find() {
  CudaPlugin plugin;
  const CudaDriver driver = cuda_driver();
  const auto found = [&] { return concat(driver.devices[0], ", driver ", driver.version); };
  plugin.devices = static_cast<int>(driver.devices.size());
  plugin.reason = driver.reason;
  if (plugin.devices == 0) return plugin;
  const std::string path = cuda_plugin_path();
  if (path.empty() || !std::filesystem::exists(path)) {
    plugin.reason = concat("there is a GPU (", found(), "), but the CUDA plug-in ", path,
                           " is missing (build with nvcc and -DBIGDNA_CUDA=ON)");
    return plugin;
  }
  plugin = open_cuda_plugin(path);
  plugin.devices = static_cast<int>(driver.devices.size());
  if (!plugin.table) plugin.reason = concat(plugin.reason, " (", found(), ")");
  return plugin;
}

}  // namespace

CudaDriver cuda_driver() {
  CudaDriver driver;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return driver.reason = "no NVIDIA driver (libcuda.so.1)", driver;
  const auto function = [&]<class F>(F*& to, const char* name) {
    return (to = reinterpret_cast<F*>(dlsym(library, name))) != nullptr;
  };
  int (*init)(unsigned), (*get_version)(int*), (*get_count)(int*), (*get_name)(char*, int, int),
      (*get_attribute)(int*, int, int), (*get_memory)(size_t*, int);
  if (!function(init, "cuInit") || !function(get_version, "cuDriverGetVersion") ||
      !function(get_count, "cuDeviceGetCount") || !function(get_name, "cuDeviceGetName") ||
      !function(get_attribute, "cuDeviceGetAttribute") || !function(get_memory, "cuDeviceTotalMem_v2"))
    return driver.reason = "libcuda.so.1 is not NVIDIA's driver", driver;
  int version = 0, devices = 0;
  get_version(&version);
  driver.version = module_version();
  driver.version += (driver.version.empty() ? "" : ", ") + cuda_version(version);
  if (const int error = init(0))
    driver.reason = concat("the NVIDIA driver (", driver.version, ") does not start (cuInit: error ", error,
                           error == 100 ? ", no device)" : ")");
  else if (const int failed = get_count(&devices))
    driver.reason = concat("the NVIDIA driver (", driver.version, ") cannot count its devices (error ", failed, ")");
  else if (devices == 0)
    driver.reason = concat("the NVIDIA driver (", driver.version, ") sees no device");
  for (int i = 0; i < devices && driver.reason.empty(); ++i) {  // a device is its number, so cuDeviceGet is not needed
    char name[128] = "GPU";
    int major = 0, minor = 0;
    size_t bytes = 0;
    get_name(name, sizeof name, i);
    get_attribute(&major, 75, i);  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
    get_attribute(&minor, 76, i);
    get_memory(&bytes, i);
    driver.devices.push_back(concat(name, " (sm_", major, minor, ", ", bytes >> 30, " GiB)"));
  }
  return driver;
}

std::string cuda_plugin_path() {
  const auto program = program_path();
  return program.empty() ? "" : (program.parent_path().parent_path() / "lib" / "libbigdna_cuda.so").string();
}

CudaPlugin open_cuda_plugin(const std::string& path) {
  CudaPlugin plugin;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    plugin.reason = concat("the CUDA plug-in cannot be opened: ", dl_text(),
                           " (docs/gpu.md says where LibTorch's CUDA libraries come from)");
    return plugin;
  }
  const auto open = reinterpret_cast<CudaOpen>(dlsym(library, kCudaOpenSymbol));
  if (!open) {
    plugin.reason = concat(path, " is not a bigdna CUDA plug-in: ", dl_text());
    return plugin;
  }
  const CudaTable* table = open();
  int devices = 0;
  if (table->version != kCudaTableVersion)
    plugin.reason =
        concat(path, " is from another build (table version ", table->version, ", not ", kCudaTableVersion, ")");
  else if (const int error = table->device_count(&devices)) {
    int driver = 0, runtime = 0;
    table->versions(&driver, &runtime);
    plugin.reason = concat("the CUDA plug-in (", table->built_for, ") cannot use the GPU: ", table->error_text(error),
                           "; it needs a driver for ", cuda_version(runtime), runtime >= 13000 ? " (580 or newer)" : "",
                           ", this one is for ", cuda_version(driver));
  } else
    plugin.table = table;
  return plugin;
}

const CudaPlugin& cuda_plugin() {
  static const CudaPlugin plugin = find();
  return plugin;
}

}  // namespace bigdna::kernels
