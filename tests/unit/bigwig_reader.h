/// Reads bigWig files with libBigWig, for tests of what bigdna writes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::test {

class BigWigReader {
 public:
  /// Error: missing, or not a bigWig file.
  explicit BigWigReader(const std::string& path);
  ~BigWigReader();
  BigWigReader(BigWigReader&&) noexcept;
  /// By their ids.
  std::vector<genome::Contig> contigs() const;
  struct Interval {
    int64_t start, end;  // 0-based, half-open
    float value;
    bool operator==(const Interval&) const = default;
  };
  /// The intervals that overlap [start, end), not cut to it. Empty for an unknown contig.
  std::vector<Interval> intervals(const std::string& contig, int64_t start, int64_t end) const;
  /// The mean of the values of [start, end), from a zoom level where the file has one that is fine enough.
  double mean(const std::string& contig, int64_t start, int64_t end) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::test
