/// Numeric arrays in MATLAB files of version 5 (read by libmatio) and 7.3 (HDF5), read in rectangular blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bigdna::dataset {

/// A variable whose values are whole numbers from 0 to 255. Dimensions are in MATLAB's order, the first of them
/// contiguous in memory; those of an HDF5 dataset are reversed. Indices start at 0.
class MatArray {
 public:
  /// Error naming the file: missing, not a MATLAB file, no such variable, not a numeric array.
  MatArray(const std::string& path, const std::string& variable);
  ~MatArray();
  MatArray(MatArray&&) noexcept;

  const std::string& path() const;
  const std::vector<int64_t>& shape() const;
  /// The size of a storage chunk in each dimension. Blocks of whole chunks read each chunk only once.
  const std::vector<int64_t>& chunk() const;
  /// The block of `count` elements per dimension that starts at `first`, as bytes. Error: damaged data, other values.
  std::vector<uint8_t> read(std::span<const int64_t> first, std::span<const int64_t> count) const;

  struct State;  // a subclass for each version

 private:
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::dataset
