/// Counts of tracks at single bases, kept where the regions of a dataset lie: counts.safetensors.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coverage/contigs.h"
#include "coverage/pileup.h"
#include "genome/interval_set.h"
#include "genome/region.h"
#include "io/safetensors.h"

namespace bigdna::dataset {

/// Collects them, track by track. Memory: 12 bytes for each base that is kept and not 0.
class BaseCountsWriter {
 public:
  BaseCountsWriter(const coverage::Contigs& contigs, const genome::IntervalSet& kept)
      : contigs_(contigs), kept_(kept) {}
  /// A track: what its records give at each base, and what one half of them gives, both times `factor`.
  void add(coverage::Pileup& counts, coverage::Pileup& half, double factor);
  void write(const std::string& path) const;

 private:
  const coverage::Contigs& contigs_;
  const genome::IntervalSet& kept_;
  std::vector<int64_t> first_{0};  // of each track and contig, its place in the arrays
  std::vector<uint32_t> positions_;
  std::vector<float> counts_, halves_;
};

class BaseCounts {
 public:
  /// Error if the file does not hold `tracks` tracks on these contigs, a contig's positions do not ascend, or a count
  /// is below 0 or no number.
  BaseCounts(const std::string& path, const std::vector<genome::Contig>& contigs, size_t tracks);
  /// The counts of the region's bases in this order; 0 where none are kept.
  std::vector<float> counts(size_t track, const genome::Region& region) const { return of(counts_, track, region); }
  /// What one half of the reads gives of them.
  std::vector<float> halves(size_t track, const genome::Region& region) const { return of(halves_, track, region); }

 private:
  void check(const std::string& path, const std::vector<genome::Contig>& contigs) const;
  std::vector<float> of(std::span<const float> values, size_t track, const genome::Region& region) const;

  std::shared_ptr<io::SafetensorsFile> file_;
  std::map<std::string, size_t> numbers_;  // of contigs
  std::span<const int64_t> first_;
  std::span<const uint32_t> positions_;
  std::span<const float> counts_, halves_;
};

}  // namespace bigdna::dataset
