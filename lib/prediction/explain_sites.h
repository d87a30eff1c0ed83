/// The intervals that `bigdna explain` reads: regions of a genome, or records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genome/fasta.h"
#include "prediction/explain_options.h"
#include "prediction/interval_stream.h"
#include "prediction/tiling.h"

namespace bigdna::prediction {

/// Every source as one interval. The model reads the bin at its centre with its context, on the forward strand.
class SiteTiling : public Tiling {
 public:
  SiteTiling(int64_t bin, int64_t context) : bin_(bin), context_(context) {}
  int64_t count(const genome::Region& source) const override { return source.length() > 0 ? 1 : 0; }
  genome::Region interval(const genome::Region& source, int64_t) const override { return source; }
  genome::Region read(const genome::Region& interval) const override;
  genome::Region judged(const genome::Region& interval) const override { return interval; }
  bool readable(const std::string&) const override { return true; }

 private:
  int64_t bin_, context_;
};

/// What the network reads for one interval.
struct Site {
  std::string name;                // of the region or record
  std::string contig, own_contig;  // as the input spells it, and as the genome does; of a record its name
  std::string window = {};         // bases; N past the ends
  int64_t window_start = 0;        // of the window's first base, 0-based; may be negative
  int64_t first = 0, count = 0;    // explained bases, in the window
  int64_t length = 0;              // of the contig or record
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
  /// Intervals whose ends the network does not read when it looks at the bin in their middle.
  int64_t cut() const { return cut_; }
  int64_t window() const { return window_; }

 private:
  const ExplainOptions& options_;
  int64_t window_, cut_ = 0;
  SiteTiling tiling_;
  IntervalStream stream_;
};

}  // namespace bigdna::prediction
