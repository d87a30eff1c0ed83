#include "apps/libtorch.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/error.h"
#include "base/program.h"

namespace bigdna::apps {
namespace {
namespace fs = std::filesystem;

/// "2.11.0+cu130", from torch/version.py; empty if there is no such file.
std::string version_of(const fs::path& torch) {
  constexpr std::string_view kBegin = "__version__ = '";
  std::ifstream file(torch / "version.py");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kBegin)) return line.substr(kBegin.size(), line.find('\'', kBegin.size()) - kBegin.size());
  return "";
}

/// "2.11" of "2.11.0+cu130".
std::string minor_version(const std::string& version) {
  return version.substr(0, version.find('.', version.find('.') + 1));
}
}  // namespace

std::optional<LibTorchFault> choose_libtorch() {
  const fs::path package = program_path().parent_path().parent_path();
  const char* named = std::getenv("BIGDNA_TORCH");
  if (!(named && *named) && !fs::exists(package / "__init__.py")) return std::nullopt;
  const fs::path torch = named && *named ? fs::path(named) : package.parent_path() / "torch";

  const std::string wanted = minor_version(libtorch_version()), found = version_of(torch);
  const std::string remedy = concat("pip install 'torch==", wanted, ".*' in the environment of bigdna");
  if (found.empty())
    return LibTorchFault{
        concat("models need LibTorch ", wanted, " of Python's torch, and ", torch.string(), " is no torch"), remedy};
  if (minor_version(found) != wanted)
    return LibTorchFault{concat("models need LibTorch ", wanted, ", and ", torch.string(), " is torch ", found),
                         remedy};
  if (named && *named) {
    const char* others = std::getenv("LD_LIBRARY_PATH");
    const std::string path = concat((torch / "lib").string(), others && *others ? ":" : "", others ? others : "");
    setenv("LD_LIBRARY_PATH", path.c_str(), 1);
  }
  return std::nullopt;
}

}  // namespace bigdna::apps
