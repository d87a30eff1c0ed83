/// How good a file of reads is: the rows of `bigdna coverage --table` (docs/semantics.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coverage/contigs.h"
#include "coverage/records.h"
#include "genome/interval_set.h"
#include "genome/region.h"

namespace bigdna::coverage {

/// Positions by the number of their contig.
using SitesByContig = std::vector<std::vector<int64_t>>;

class Quality {
 public:
  /// `peaks` and `sites` (start sites, sorted) may be empty: their figures are missing then.
  /// `lengths`: whether fragment_length() is asked.
  Quality(const Contigs& contigs, const genome::IntervalSet& peaks, const SitesByContig& sites, bool lengths);
  bool needs_lengths() const { return needs_lengths_; }
  void begin(Kind kind) { kind_ = kind; }
  void add_record(const Read& read);
  /// What a track counts; `length` of its fragment, if above 0.
  void add_counted(uint32_t contig, int64_t start, int64_t end, int64_t length, int64_t weight);
  void add_cut(uint32_t contig, int64_t position, int64_t weight);

  Kind kind() const { return kind_; }
  int64_t records() const { return records_; }
  int64_t mapped() const { return mapped_; }
  int64_t duplicates() const { return duplicates_; }
  std::optional<double> mitochondrial() const;  // share of mapped records
  /// The length that a share of the fragments does not exceed; nullopt if there are none.
  std::optional<int64_t> fragment_length(double share) const;
  /// Share of what is counted that overlaps a peak by a base or more.
  std::optional<double> in_peaks() const;
  /// Cuts in a base within 50 bp of a start site, by those in a base 1900 to 2000 bp from it.
  std::optional<double> enrichment() const;
  /// A stretch that holds a large share of all that is counted, such as ribosomal DNA; nullopt if there is none.
  struct Heap {
    genome::Region region;
    double share = 0;
  };
  std::optional<Heap> heaped() const;
  /// Says whether much is mitochondrial, and warns of a heap that is not in `excluded`. `path`: the file.
  void log_hints(const std::string& path, const genome::IntervalSet& excluded) const;

 private:
  static constexpr int64_t kWindow = 10'000;
  const Contigs& contigs_;
  std::vector<const std::vector<genome::IntervalSet::Interval>*> peaks_;  // by contig
  const SitesByContig& sites_;
  bool needs_lengths_ = false, has_peaks_ = false, has_sites_ = false;
  Kind kind_ = Kind::reads;
  int64_t records_ = 0, mapped_ = 0, duplicates_ = 0, mitochondrial_ = 0;
  int64_t counted_ = 0, in_peaks_ = 0, near_ = 0, far_ = 0, fragments_ = 0;
  int64_t near_bases_ = 0, far_bases_ = 0;     // bases of contigs there, summed over sites
  std::vector<int64_t> lengths_;               // fragments by their length, the last one of all longer ones
  std::vector<std::vector<int64_t>> windows_;  // what is counted, by contig and kWindow
};

}  // namespace bigdna::coverage
