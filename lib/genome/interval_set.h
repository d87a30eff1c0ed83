/// A set of positions of a genome as sorted, merged intervals: hold-outs, exclusions, training intervals.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "genome/region.h"

namespace bigdna::genome {

class IntervalSet {
 public:
  using Interval = std::pair<int64_t, int64_t>;  // [first, second)

  void add(const std::string& contig, int64_t start, int64_t end);
  void add(const Region& region) { add(region.contig, region.start, region.end); }
  void add(const IntervalSet& other);
  bool overlaps(const std::string& contig, int64_t start, int64_t end) const;
  bool overlaps(const Region& region) const { return overlaps(region.contig, region.start, region.end); }
  /// Every base of the region is in the set.
  bool covers(const Region& region) const;
  /// Bases of the region that are in the set.
  int64_t overlap(const Region& region) const;
  /// Sorted, disjoint, not touching. Empty for an unknown contig; a name that the set lacks is looked up without, or
  /// with, "chr", here and above.
  const std::vector<Interval>& intervals(const std::string& contig) const;
  const std::map<std::string, std::vector<Interval>>& contigs() const { return contigs_; }
  /// The part of [0, length) that is not in the set.
  std::vector<Interval> gaps(const std::string& contig, int64_t length) const;
  int64_t total() const;
  bool empty() const { return contigs_.empty(); }
  bool operator==(const IntervalSet&) const = default;

 private:
  std::map<std::string, std::vector<Interval>> contigs_;
};

/// The part of `set` that is not in `taken`.
IntervalSet without(const IntervalSet& set, const IntervalSet& taken);

/// A set as JSON, [["contig", start, end], ...] as the rows of a BED file, and back: this is how manifests store it. (An object
/// with a key for each contig would take quadratic time to read: nlohmann's ordered_json searches its keys one by one.)
/// Error: not of that form.
nlohmann::ordered_json to_json(const IntervalSet& set);
IntervalSet intervals_from_json(const nlohmann::ordered_json& json);

}  // namespace bigdna::genome
