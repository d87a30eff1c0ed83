/// Numeric arrays of MATLAB files, version 5 (by libmatio) and 7.3 (HDF5), read one box at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bigdna::io {

/// A variable of small whole numbers. Indices are MATLAB's: from 0 here, the first runs fastest in memory,
/// and an HDF5 dataset's dimensions are those of MATLAB in reverse.
class MatArray {
 public:
  /// Error naming the file: missing, not a MATLAB file, no such variable, not a numeric array.
  MatArray(const std::string& path, const std::string& variable);
  ~MatArray();
  MatArray(MatArray&&) noexcept;

  const std::string& path() const;
  const std::vector<int64_t>& shape() const;
  /// The size of a storage chunk in each dimension: boxes of whole multiples of it are read only once.
  const std::vector<int64_t>& chunk() const;
  /// The box of `count` elements from `first` on, as bytes. Error: damaged data, values other than 0..255.
  std::vector<uint8_t> read(std::span<const int64_t> first, std::span<const int64_t> count) const;

  struct State;  // one for each version

 private:
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::io
