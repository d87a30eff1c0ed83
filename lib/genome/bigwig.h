/// bigWig files (Kent et al. 2010) through libBigWig: values along a genome, with zoom levels for browsers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::genome {

/// Writes a bigWig file, under a temporary name until commit(). Errors name the file.
class BigWigWriter {
 public:
  /// `contigs` are all that the header lists, in the order in which values will come. Error for contigs of 4 Gbp or
  /// more.
  BigWigWriter(const std::string& path, const std::vector<Contig>& contigs);
  ~BigWigWriter();
  BigWigWriter(BigWigWriter&&) noexcept;
  /// Adds `value` for the bases [start, end) of a contig, 0-based. Intervals must be sorted in the order of `contigs`
  /// and not overlap. Error if they are not, if the value is not finite, the contig unknown, or the interval empty or
  /// past the contig's end.
  void add(const std::string& contig, int64_t start, int64_t end, float value);
  /// Closes, checks and renames the file. A file without values is valid.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a bigWig file from disk.
class BigWigReader {
 public:
  /// Error: missing, or not a bigWig file.
  explicit BigWigReader(const std::string& path);
  ~BigWigReader();
  BigWigReader(BigWigReader&&) noexcept;
  std::vector<Contig> contigs() const;
  struct Interval {
    int64_t start, end;  // 0-based, half-open
    float value;
    bool operator==(const Interval&) const = default;
  };
  /// The intervals that overlap [start, end), not cut to it. Empty for an unknown contig.
  std::vector<Interval> intervals(const std::string& contig, int64_t start, int64_t end) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::genome
