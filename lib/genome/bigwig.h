/// bigWig files (Kent et al. 2010) through libBigWig: values along a genome, with zoom levels for browsers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::genome {

/// Writes one, under a temporary name until commit(). Errors name the file.
class BigWigWriter {
 public:
  /// `contigs`: all that the header lists, in the order that values will come in. Error: contigs of 4 Gbp and
  /// more.
  BigWigWriter(const std::string& path, const std::vector<Contig>& contigs);
  ~BigWigWriter();
  BigWigWriter(BigWigWriter&&) noexcept;
  /// `value` for the bases [start, end) of a contig, 0-based. Error where it is no number, the contig
  /// unknown, the interval empty or past the contig's end, or where it does not follow the one before: sorted
  /// in the order of `contigs`, not overlapping.
  void add(const std::string& contig, int64_t start, int64_t end, float value);
  /// Closes, checks and renames. A file without a value is whole too.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads one from disk.
class BigWigReader {
 public:
  /// Error: missing, or not a bigWig file.
  explicit BigWigReader(const std::string& path);
  ~BigWigReader();
  BigWigReader(BigWigReader&&) noexcept;
  std::vector<Contig> contigs() const;
  struct Interval {
    int64_t start, end;
    float value;
    bool operator==(const Interval&) const = default;
  };
  /// The intervals that overlap [start, end), whole. Empty for an unknown contig.
  std::vector<Interval> intervals(const std::string& contig, int64_t start, int64_t end) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::genome
