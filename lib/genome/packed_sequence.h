/// A normalised sequence at two bits per base: for genomes that are read several times (0.8 GB for human).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bigdna::genome {

/// An immutable sequence of A, C, G, T and N (genome/alphabet.h).
class PackedSequence {
 public:
  explicit PackedSequence(std::string_view bases);
  /// The bases.
  std::string unpack() const;

 private:
  int64_t length_;
  std::vector<uint8_t> codes_;                       // four bases per byte, the first in the lowest bits
  std::vector<std::pair<int64_t, int64_t>> n_runs_;  // [start, end), ascending
};

}  // namespace bigdna::genome
