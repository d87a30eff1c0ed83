/// HDF5 datasets that are written row by row, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace bigdna::io {

/// The type of variable-length UTF-8 strings. Never closed.
hid_t hdf5_string();

/// A chunked dataset of rows of `width` elements; width 0: one element per row, one dimension.
class Hdf5Table {
 public:
  /// `type` is the element type in memory and in the file.
  Hdf5Table(const Hdf5File& file, const std::string& name, hid_t type, size_t width = 0);
  /// Appends one row of `width` elements (one where width is 0).
  void append(const void* row);
  void append(const std::vector<std::string>& row);  // for hdf5_string()
  /// Says in the file that the elements are rows of the dataset `list`: see list_of().
  void point_to(const std::string& list);
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

/// The dataset whose rows this one's elements are, by Hdf5Table::point_to(); "" if they are none. Error naming the file
/// and the dataset where that is damaged.
std::string list_of(const Hdf5File& file, const std::string& name);
/// Writes an attribute of the file itself: a string, or a list of several.
void write_attribute(const Hdf5File& file, const std::string& name, const std::vector<std::string>& values);
/// Writes a one-dimensional dataset of strings.
void write_strings(const Hdf5File& file, const std::string& name, const std::vector<std::string>& values);

}  // namespace bigdna::io
