/// A normalised sequence at two bits per base: keeps a genome in memory that is read several times (0.8 GB for human).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bigdna::genome {

/// Immutable; holds A, C, G, T and N (genome/alphabet.h).
class PackedSequence {
 public:
  explicit PackedSequence(std::string_view bases);
  /// The bases it was made of.
  std::string unpack() const;

 private:
  int64_t length_;
  std::vector<uint8_t> codes_;                       // four bases per byte, the first in the lowest bits
  std::vector<std::pair<int64_t, int64_t>> n_runs_;  // [start, end), ascending
};

}  // namespace bigdna::genome
