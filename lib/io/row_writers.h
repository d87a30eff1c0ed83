/// The writers behind io/formats.h. Each is in a file of its own.
#pragma once

#include <memory>
#include <string>

#include "io/row_writer.h"

namespace bigdna::io {

std::unique_ptr<RowWriter> make_text_writer(const std::string& path, OutputTable table);
std::unique_ptr<RowWriter> make_hdf5_writer(const std::string& path, OutputTable table);
std::unique_ptr<RowWriter> make_npy_writer(const std::string& path, OutputTable table);
std::unique_ptr<RowWriter> make_safetensors_writer(const std::string& path, OutputTable table);

}  // namespace bigdna::io
