/// dataset.json as the readers of every kind of dataset folder read it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/manifest.h"

namespace bigdna::dataset {

/// The path of a dataset folder's manifest.
std::string manifest_path(const std::string& folder);
/// The manifest of a dataset of this task. Error naming the folder if it is a dataset of another one.
io::Manifest open_manifest(const std::string& folder, std::string_view task);
/// A number of bases that the manifest records. Error naming the file and the key if there is none, or one above
/// genome::kMostReach.
int64_t recorded_bases(const std::string& folder, const io::Manifest& manifest, const char* key);

}  // namespace bigdna::dataset
