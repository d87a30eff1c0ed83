#include <htslib/hts.h>

#include <filesystem>

#include "apps/libtorch.h"
#include "apps/main.h"
#include "base/error.h"
#include "bigdna_commit.h"
#include "bigdna_version.h"
#include "kernels/attention.h"
#include "kernels/cuda_plugin.h"

namespace bigdna::apps {
namespace {

/// Looks only at the plug-in's file and the driver: opening the plug-in would load LibTorch's CUDA half.
std::string cuda_text() {
  const std::string plugin = kernels::cuda_plugin_path();
  const kernels::CudaDriver driver = kernels::cuda_driver();
  std::string text = concat("CUDA plug-in: ", std::filesystem::exists(plugin) ? plugin : "not built");
  if (!driver.version.empty()) text += "\nNVIDIA driver: " + driver.version;
  if (driver.devices.empty()) return concat(text, "\nGPUs: none (", driver.reason, ")");
  for (size_t i = 0; i < driver.devices.size(); ++i) text += concat("\nGPU ", i, ": ", driver.devices[i]);
  return text;
}

}  // namespace

std::string version() { return BIGDNA_VERSION; }

std::string version_with_commit() {
  const std::string commit = BIGDNA_COMMIT;
  return commit.empty() ? version() : version() + "+" + commit;
}

std::string libtorch_version() { return BIGDNA_TORCH_VERSION; }

std::string version_text() {
  const std::string commit = BIGDNA_COMMIT;
  const std::string torch = libtorch_version();
  const auto plus = torch.find("+cu");
  const std::string cuda =
      plus == std::string::npos ? "none" : torch.substr(plus + 3, 2) + "." + torch.substr(plus + 5);
  return concat("bigdna ", version(), commit.empty() ? "" : concat(" (commit ", commit, ")"), "\nhtslib ",
                hts_version(), "\nSentencePiece ", BIGDNA_SENTENCEPIECE_VERSION, "\nLibTorch ", torch.substr(0, plus),
                "\nCUDA ", cuda, " (LibTorch's)\nCPU kernels: ", kernels::cpu_target(), "\n", cuda_text());
}

}  // namespace bigdna::apps
