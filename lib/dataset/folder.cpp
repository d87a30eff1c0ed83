#include "dataset/folder.h"

#include <filesystem>

#include "io/manifest.h"

namespace bigdna::dataset {

void build_folder(const std::string& folder, io::Existing existing, const std::function<void()>& build) {
  namespace fs = std::filesystem;
  if (existing == io::Existing::resume && io::is_complete(folder, "dataset")) return;
  const bool existed = fs::exists(folder);
  io::prepare_output_folder(folder, existing);
  try {
    build();
  } catch (...) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) fs::remove_all(entry.path(), ignored);
    if (!existed) fs::remove(folder, ignored);
    throw;
  }
}

}  // namespace bigdna::dataset
