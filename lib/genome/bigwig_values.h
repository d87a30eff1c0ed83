/// Reads the values of a bigWig file of any program (Kent et al. 2010) by the file's index of blocks: all of them, or
/// those at a place.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
    uint32_t contig = 0, start = 0;  // of its first value
  };
  friend class BigWigIndex;
  friend class BlockReader;
  friend class BigWigMeans;
  std::string path_;
  std::vector<Contig> contigs_;
  std::vector<Block> blocks_;
  uint32_t largest_ = 0;  // bytes of a decompressed block; 0: blocks are not compressed
  bool swapped_ = false;  // the file's byte order is the other one
};

class BlockReader;

/// Means of a file's values at places in any order. It keeps the block that it read last, so that neighbouring places
/// do not read it again. Each thread needs an object of its own.
class BigWigMeans {
 public:
  /// Error if the blocks of the file's index are not sorted. `values` must outlive this.
  explicit BigWigMeans(const BigWigValues& values);
  ~BigWigMeans();
  BigWigMeans(BigWigMeans&&) noexcept;
  /// The mean over the bases [start, end) of a contig, by its number, that have a value; NaN if none has. Errors as of
  /// BigWigValues::each_block().
  double of(uint32_t contig, int64_t start, int64_t end);

 private:
  struct PlaceOf;
  const BigWigValues* values_;
  std::unique_ptr<BlockReader> reader_;
};

}  // namespace bigdna::genome
