/// NumPy's .npz: a zip archive, uncompressed, of arrays.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bigdna::io {

/// A float32 array, row-major.
struct NpzArray {
  std::string name;  // numpy.load(PATH)[name]
  std::vector<int64_t> shape;
  std::span<const float> values;
};

/// Writes the file atomically. Error if it would have 4 GB or more.
void write_npz(const std::string& path, const std::vector<NpzArray>& arrays);

/// The header of a .npy of this shape (version 1.0, little-endian float32, C order), which its numbers follow.
std::string npy_header(std::span<const int64_t> shape);

}  // namespace bigdna::io
