/// A set of positions of a genome as sorted, merged intervals: hold-outs, exclusions, training intervals. It may know
/// how long the contigs of that genome are, by which another assembly is told, and two genomes that call different
/// contigs by one name.
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

  /// Where the contig has several lengths, the interval is of each of them.
  void add(const std::string& contig, int64_t start, int64_t end);
  void add(const Region& region) { add(region.contig, region.start, region.end); }
  /// If both know the length of a contig, and the lengths differ, the set keeps the intervals of each length, from
  /// which in_genome() chooses. Until then, look-ups by name find the intervals of all lengths.
  void add(const IntervalSet& other);
  bool overlaps(const std::string& contig, int64_t start, int64_t end) const;
  bool overlaps(const Region& region) const { return overlaps(region.contig, region.start, region.end); }
  /// Whether every base of the region is in the set.
  bool covers(const Region& region) const;
  /// Number of the region's bases that are in the set.
  int64_t overlap(const Region& region) const;
  /// Sorted, disjoint, not touching. Empty for an unknown contig. Here and above, a name that the set lacks is looked
  /// up by its other spelling (with or without "chr").
  const std::vector<Interval>& intervals(const std::string& contig) const;
  const std::map<std::string, std::vector<Interval>>& contigs() const { return contigs_; }
  /// Records the length of a contig in the genome that the set is of. If two lengths are recorded for the same
  /// intervals, the length is no longer known.
  void set_length(const std::string& contig, int64_t length);
  /// The recorded length of a contig, looked up by either spelling; 0: not known, or several.
  int64_t length(const std::string& contig) const;
  /// The intervals of a contig by its length in the genome that they are of; 0: not known. Empty for an unknown contig.
  std::map<int64_t, std::vector<Interval>> by_length(const std::string& contig) const;
  /// Of a contig with several lengths, keeps the intervals of this one. Nothing changes if it is none of them.
  void choose(const std::string& contig, int64_t length);
  /// Whether the set's contig may be one of `length` bp: it is the recorded length or one of several, or no length is
  /// known and no interval ends past this one. True for an unknown contig.
  bool fits(const std::string& contig, int64_t length) const;
  /// The part of [0, length) that is not in the set.
  std::vector<Interval> gaps(const std::string& contig, int64_t length) const;
  int64_t total() const;  // bases
  bool empty() const { return contigs_.empty(); }
  bool operator==(const IntervalSet& other) const { return contigs_ == other.contigs_; }  // positions alone

 private:
  using ByLength = std::map<int64_t, std::vector<Interval>>;
  void add_lengths(const IntervalSet& other, const std::string& contig);

  std::map<std::string, std::vector<Interval>> contigs_;
  std::map<std::string, int64_t> lengths_;
  std::map<std::string, ByLength> several_;  // contigs of several known lengths
};

/// Whether "chr1" and "1" may be the same contig. In a corpus of two genomes that has both they are not.
enum class Names { of_any_genome, of_one_genome };
/// The part of `set` that is not in `taken`, with the lengths of `set`.
IntervalSet without(const IntervalSet& set, const IntervalSet& taken, Names names = Names::of_any_genome);

/// A set as JSON, as manifests store it: [["contig", start, end, length], ...], like the rows of a BED file, the length
/// only where it is known. A contig with several lengths has rows of each; of a length without intervals the row
/// ["contig", 0, 0, length]. (Reading an object with a key for each contig would take quadratic time, because
/// nlohmann's ordered_json searches its keys one by one.) Error if the JSON is not of this form.
nlohmann::ordered_json to_json(const IntervalSet& set);
IntervalSet intervals_from_json(const nlohmann::ordered_json& json);

}  // namespace bigdna::genome
