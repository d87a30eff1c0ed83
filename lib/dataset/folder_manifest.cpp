#include "dataset/folder_manifest.h"

#include "base/error.h"
#include "genome/region.h"
#include "io/json.h"

namespace bigdna::dataset {

std::string manifest_path(const std::string& folder) { return folder + "/" + io::manifest_name("dataset"); }

io::Manifest open_manifest(const std::string& folder, std::string_view task) {
  auto manifest = io::Manifest::load(manifest_path(folder), "dataset");
  if (const std::string own = manifest.details.value("task", "?"); own != task)
    fail(folder, ": is a ", own, " dataset, not a ", task, " dataset");
  return manifest;
}

int64_t recorded_bases(const std::string& folder, const io::Manifest& manifest, const char* key) {
  return io::whole_number(manifest.details.value(key, nlohmann::ordered_json()), 0, genome::kMostReach, key,
                          manifest_path(folder));
}

}  // namespace bigdna::dataset
