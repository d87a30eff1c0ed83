#include "dataset/peak_check.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/features.h"

namespace bigdna::dataset {

namespace {
constexpr double kMostCovered = 0.5;  // of a contig, by peaks; broad marks of small genomes reach a third
/// Some callers give a peak a record for each of its summits: up to a third of ENCODE's records overlap another one.
/// Of fragments and reads it is two thirds even where they are few.
constexpr int64_t kOverlapping = 2;  // one record in two

struct Cover {
  int64_t overlapping = 0, bases = 0;
};

Cover cover_of(std::vector<genome::IntervalSet::Interval> intervals) {
  std::ranges::sort(intervals);
  Cover cover;
  int64_t reach = 0;
  for (const auto& [start, end] : intervals) {
    cover.overlapping += start < reach;
    cover.bases += std::max<int64_t>(0, end - std::max(start, reach));
    reach = std::max(reach, end);
  }
  return cover;
}
}  // namespace

void PeakCheck::add(const genome::BedRecord& record) {
  signal_.add(record);
  ++records_;
  const auto blocks = genome::blocks_of(record);  // none of IDR's 20 columns, the tenth of which is a summit
  blocks_ += blocks && blocks->sizes.size() > 1;
}

void PeakCheck::finish(const std::string& path, const PeaksByContig& peaks,
                       const std::vector<genome::Contig>& contigs) const {
  if (signal_.is_signal()) fail(path, ": ", kSignalNotPeaks);
  if (blocks_ > 0)
    log::warn(path, ": ", blocks_, " of ", counted(records_, "peak"), blocks_ == 1 ? " has" : " have",
              " blocks (columns 10 to 12, as in gappedPeak), which are not read: the whole record is the peak");
  int64_t longest = 0, intervals = 0, overlapping = 0;
  for (const auto& contig : contigs) longest = std::max(longest, contig.length);
  std::string covered;  // the contig of which the most is covered
  double share = kMostCovered;
  for (const auto& [number, list] : peaks) {
    const auto& contig = contigs[number];
    const auto cover = cover_of(list);
    intervals += std::ssize(list);
    overlapping += cover.overlapping;
    const double part = static_cast<double>(cover.bases) / static_cast<double>(contig.length);
    constexpr int64_t kShort = 20;  // mitochondria and scraps of assemblies may be one peak
    if (part > share && contig.length * kShort >= longest) covered = contig.name, share = part;
  }
  const bool overlap = overlapping * kOverlapping > intervals;
  if (overlap || !covered.empty())
    log::warn(path, ": ",
              overlap ? concat(overlapping, " of ", intervals,
                               overlapping == 1 ? " intervals overlaps another one" : " intervals overlap another one")
                      : std::string(),
              overlap && !covered.empty() ? ", and " : "",
              covered.empty() ? std::string() : concat("they cover ", std::lround(100 * share), " % of ", covered),
              ": are these reads, fragments or a signal? Peaks are called from them (MACS, SEACR ...)");
}

}  // namespace bigdna::dataset
