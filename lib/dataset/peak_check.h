/// Tells files that are no peaks, although they can be read as such: signals, reads, fragments, all that was tested.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "genome/bed.h"
#include "genome/fasta.h"
#include "genome/interval_set.h"

namespace bigdna::dataset {

/// The peaks of one file by contig number.
using PeaksByContig = std::map<size_t, std::vector<genome::IntervalSet::Interval>>;

class PeakCheck {
 public:
  /// Of each record of the file.
  void add(const genome::BedRecord& record);
  /// Error if the file is bedGraph. Warns of peaks with blocks, more than half of which overlap another one, or that
  /// cover more than half of a contig. `contigs`: by number; a contig counts if it has a twentieth of the longest one's
  /// bases.
  void finish(const std::string& path, const PeaksByContig& peaks, const std::vector<genome::Contig>& contigs) const;

 private:
  genome::SignalCheck signal_;
  int64_t records_ = 0, blocks_ = 0;
};

}  // namespace bigdna::dataset
