/// Imports profile models of other programs.
#pragma once

#include <string>

#include "io/folder.h"
#include "io/safetensors.h"

namespace bigdna::profile {

/// Whether a file is one that import_model() reads, by its suffix: .h5, .hdf5, .torch, .pt or .pth. False for folders.
bool is_foreign(const std::string& path);
/// Writes the model of such a file as a folder.
void import_model(const std::string& input, const std::string& output, io::Dtype weights, io::Existing existing);
/// The same of a folder, with weights of another type.
void convert_profile(const std::string& input, const std::string& output, io::Dtype weights, io::Existing existing);

}  // namespace bigdna::profile
