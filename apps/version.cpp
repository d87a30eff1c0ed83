#include <htslib/hts.h>

#include <filesystem>

#include "apps/main.h"
#include "base/error.h"
#include "bigdna_version.h"
#include "kernels/attention.h"
#include "kernels/cuda_plugin.h"

namespace bigdna::apps {
namespace {

/// Of the plug-in's file and the driver alone: opening it would load LibTorch's CUDA half.
std::string cuda_text() {
  std::error_code error;
  const auto plugin = std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "lib" / "libbigdna_cuda.so";
  std::string reason;
  const int devices = kernels::cuda_devices(reason);
  return concat("CUDA plug-in: ", std::filesystem::exists(plugin, error) ? plugin.string() : "not built", "\nGPUs: ",
                devices ? std::to_string(devices) : concat("none (", reason, ")"));
}

}  // namespace

std::string version() { return BIGDNA_VERSION; }

std::string version_text() {
  const std::string torch = BIGDNA_TORCH_VERSION;  // 2.11.0+cu130
  const auto plus = torch.find("+cu");
  const std::string cuda = plus == std::string::npos ? "none" : torch.substr(plus + 3, 2) + "." + torch.substr(plus + 5);
  return concat("bigdna ", BIGDNA_VERSION, " (commit ", BIGDNA_COMMIT, ")\nhtslib ", hts_version(), "\nSentencePiece ", BIGDNA_SENTENCEPIECE_VERSION,
                "\nLibTorch ", torch.substr(0, plus), "\nCUDA ", cuda, " (LibTorch's)\nCPU kernels: ", kernels::cpu_target(), "\n", cuda_text());
}

}  // namespace bigdna::apps
