/// Reads the values of a bigWig file of any program (Kent et al. 2010), all of them, by the file's index of blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::genome {

/// Whether a file begins as bigWig files do, in either byte order: of its first four bytes.
bool begins_bigwig(std::string_view start);
/// The same of a file on disk; false if it cannot be read or is a pipe.
bool is_bigwig(const std::string& path);

struct BigWigValue {
  uint32_t contig = 0, start = 0, end = 0;  // number of its contig; bases, 0-based and half-open
  float value = 0;
};

class BigWigValues {
 public:
  /// Reads header, contigs and index, in either byte order. Errors name the file: missing, a pipe, a URL, not a bigWig
  /// file, damaged, truncated (the mark at its end is missing, too).
  explicit BigWigValues(const std::string& path);
  /// By their numbers.
  const std::vector<Contig>& contigs() const { return contigs_; }
  /// Calls `take` with the values of each block, in the order of the index, which is sorted by contig and position.
  /// NaN is no value.
  /// Error if a block is damaged, values overlap or are not sorted, lie outside of their contig, or are infinite.
  void each_block(const std::function<void(std::span<const BigWigValue>)>& take) const;
  template <class Take>
  void each(Take take) const {
    each_block([&](std::span<const BigWigValue> values) {
      for (const BigWigValue& value : values) take(value);
    });
  }

 private:
  struct Block {
    uint64_t offset = 0, bytes = 0;
  };
  friend class BigWigIndex;
  std::string path_;
  std::vector<Contig> contigs_;
  std::vector<Block> blocks_;
  uint32_t largest_ = 0;  // bytes of a decompressed block; 0: blocks are not compressed
  bool swapped_ = false;  // the file's byte order is the other one
};

}  // namespace bigdna::genome
