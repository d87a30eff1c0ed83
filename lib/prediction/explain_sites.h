/// The intervals that `bigdna explain` reads: regions of a genome, or records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genome/bed.h"
#include "genome/fasta.h"
#include "prediction/explain_options.h"

namespace bigdna::prediction {

/// What the network reads for one interval.
struct Site {
  std::string name;                 // of the region or record
  std::string contig, own_contig;   // as the input spells it, and as the genome does; of a record its name
  std::string window = {};          // bases; N past the ends
  int64_t window_start = 0;         // of the window's first base, 0-based; may be negative
  int64_t first = 0, count = 0;     // explained bases, in the window
  int64_t length = 0;               // of the contig or record
  int64_t position(int64_t i) const { return window_start + first + i; }  // of the i-th explained base
  char base(int64_t i) const { return window[static_cast<size_t>(first + i)]; }
};

/// In the order of the input.
class Sites {
 public:
  /// `bin`, `margin`: of the network: bp of a bin, and bins that it reads on either side of one.
  Sites(const ExplainOptions& options, int64_t bin, int64_t margin);
  std::optional<Site> next();
  /// The genome's contigs; empty for records.
  std::vector<genome::Contig> contigs() const;
  int64_t without_bases() const { return without_bases_; }
  /// Intervals whose ends the network does not read when it looks at the bin in their middle.
  int64_t cut() const { return cut_; }
  int64_t window() const { return (2 * margin_ + 1) * bin_; }

 private:
  std::optional<Site> of_interval(std::string name, const genome::Region& region, int64_t length,
                                  const std::string& where);

  const ExplainOptions& options_;
  int64_t bin_, margin_, without_bases_ = 0, cut_ = 0;
  std::optional<genome::FastaReader> fasta_;
  std::optional<genome::Genome> genome_;
  std::optional<genome::BedReader> bed_;
  std::optional<genome::Region> region_;  // the one of --region, until it is read
};

}  // namespace bigdna::prediction
