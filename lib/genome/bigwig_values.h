/// Reads back the values of a bigWig file that BigWigWriter wrote (genome/bigwig.h), all of them, in their order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::genome {

struct BigWigValue {
  uint32_t contig = 0, start = 0, end = 0;  // number of its contig; bases, 0-based and half-open
  float value = 0;
};

class BigWigValues {
 public:
  /// Reads the header and the contigs. Errors name the file: missing, not a bigWig file, damaged, or in another layout
  /// than BigWigWriter's (big-endian, not compressed, blocks that are not lists of intervals).
  explicit BigWigValues(const std::string& path);
  /// By their numbers. Those that have values come first.
  const std::vector<Contig>& contigs() const { return contigs_; }
  /// Calls `take` with each value, with one block of them in memory.
  void each(const std::function<void(const BigWigValue&)>& take) const;

 private:
  [[noreturn]] void fail_damaged() const;
  std::string path_;
  std::vector<Contig> contigs_;
  uint64_t data_ = 0, blocks_ = 0;  // where blocks begin, and their number
};

}  // namespace bigdna::genome
