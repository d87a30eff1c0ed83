/// Building a dataset folder: prepared first, taken away again where building fails.
#pragma once

#include <functional>
#include <string>

#include "io/output.h"

namespace bigdna::dataset {

/// Prepares `folder` and calls `build`. When that throws, what it wrote is removed, and the folder too if it
/// was made here. With Existing::resume a folder whose manifest stands is left as it is (said on stderr).
void build_folder(const std::string& folder, io::Existing existing, const std::function<void()>& build);

}  // namespace bigdna::dataset
