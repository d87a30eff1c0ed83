/// Datasets of an HDF5 file that grow row by row, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace bigdna::io {

/// The type of strings of any length (UTF-8): valid as long as the program runs.
hid_t hdf5_string();

/// A chunked dataset of rows of `width` elements; width 0: one element per row, one dimension.
class Hdf5Table {
 public:
  /// `type`: in memory and in the file.
  Hdf5Table(const Hdf5File& file, const std::string& name, hid_t type, size_t width = 0);
  /// One row.
  void append(const void* row);
  void append(const std::vector<std::string>& row);  // of hdf5_string()
  void flush();
  /// Flushes and closes.
  void close();

 private:
  std::string what_;
  Hdf5Handle dataset_;
  hid_t type_;
  size_t width_, element_, buffered_ = 0;
  hsize_t rows_ = 0, chunk_rows_;
  std::vector<std::byte> buffer_;
  std::vector<std::string> strings_;
};

void write_strings(const Hdf5File& file, const std::string& name, const std::vector<std::string>& values);

}  // namespace bigdna::io
