#include "genome/interval_set.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace bigdna::genome {

namespace {
constexpr int64_t kSeveralLengths = -1;

/// The entry of a contig by either spelling.
template <class Map>
auto find_contig(Map& map, const std::string& contig) {
  const auto found = map.find(contig);
  return found == map.end() ? map.find(other_spelling(contig)) : found;
}
}  // namespace

void IntervalSet::add(const std::string& contig, int64_t start, int64_t end) {
  if (start >= end) return;
  auto& intervals = contigs_[contig];
  // [first, last) are the intervals that overlap or touch [start, end); they are merged
  const auto first = std::lower_bound(intervals.begin(), intervals.end(), start,
                                      [](const Interval& interval, int64_t value) { return interval.second < value; });
  auto last = first;
  while (last != intervals.end() && last->first <= end) {
    start = std::min(start, last->first);
    end = std::max(end, last->second);
    ++last;
  }
  if (first == last) {
    intervals.insert(first, {start, end});
  } else {
    *first = {start, end};
    intervals.erase(first + 1, last);
  }
}

void IntervalSet::add(const IntervalSet& other) {
  for (const auto& [contig, more] : other.contigs_) {
    const std::string spelled = other_spelling(contig);  // a contig under both names would be found by one of them only
    auto& intervals = contigs_[!contigs_.contains(contig) && contigs_.contains(spelled) ? spelled : contig];
    std::vector<Interval> all;
    std::merge(intervals.begin(), intervals.end(), more.begin(), more.end(), std::back_inserter(all));
    intervals.clear();
    for (const auto& next : all)
      if (!intervals.empty() && next.first <= intervals.back().second)
        intervals.back().second = std::max(intervals.back().second, next.second);
      else
        intervals.push_back(next);
  }
  for (const auto& [contig, length] : other.lengths_) set_length(contig, length);
}

void IntervalSet::set_length(const std::string& contig, int64_t length) {
  const auto found = find_contig(lengths_, contig);
  if (found == lengths_.end())
    lengths_.emplace(contig, length);
  else if (found->second != length)
    found->second = kSeveralLengths;
}

int64_t IntervalSet::length(const std::string& contig) const {
  const auto found = find_contig(lengths_, contig);
  return found == lengths_.end() || found->second == kSeveralLengths ? 0 : found->second;
}

bool IntervalSet::fits(const std::string& contig, int64_t length) const {
  const int64_t recorded = this->length(contig);
  if (recorded != 0 && recorded != length) return false;
  const auto& intervals = this->intervals(contig);
  return intervals.empty() || intervals.back().second <= length;
}

IntervalSet without(const IntervalSet& set, const IntervalSet& taken, Names names) {
  const IntervalSet none;
  IntervalSet rest;
  for (const auto& [contig, intervals] : set.contigs()) {
    const bool other = names == Names::of_one_genome && !taken.contigs().contains(contig);
    const auto free = (other ? none : taken).gaps(contig, intervals.back().second);
    auto first = free.begin();
    for (const auto& [start, end] : intervals) {
      while (first != free.end() && first->second <= start) ++first;
      for (auto gap = first; gap != free.end() && gap->first < end; ++gap)
        rest.add(contig, std::max(start, gap->first), std::min(end, gap->second));
    }
    if (const int64_t length = set.length(contig); length != 0) rest.set_length(contig, length);
  }
  return rest;
}

int64_t IntervalSet::overlap(const Region& region) const {
  const auto& intervals = this->intervals(region.contig);
  auto interval = std::upper_bound(intervals.begin(), intervals.end(), region.start,
                                   [](int64_t value, const Interval& i) { return value < i.second; });
  int64_t bases = 0;
  for (; interval != intervals.end() && interval->first < region.end; ++interval)
    bases += std::min(region.end, interval->second) - std::max(region.start, interval->first);
  return bases;
}

bool IntervalSet::overlaps(const std::string& contig, int64_t start, int64_t end) const {
  return overlap({contig, start, end}) > 0;
}

bool IntervalSet::covers(const Region& region) const { return overlap(region) == region.length(); }

const std::vector<IntervalSet::Interval>& IntervalSet::intervals(const std::string& contig) const {
  static const std::vector<Interval> none;
  const auto found = find_contig(contigs_, contig);
  return found == contigs_.end() ? none : found->second;
}

std::vector<IntervalSet::Interval> IntervalSet::gaps(const std::string& contig, int64_t length) const {
  std::vector<Interval> gaps;
  int64_t from = 0;
  for (const auto& [start, end] : intervals(contig)) {
    if (start >= length) break;
    if (from < start) gaps.push_back({from, start});
    from = end;
  }
  if (from < length) gaps.push_back({from, length});
  return gaps;
}

int64_t IntervalSet::total() const {
  int64_t bases = 0;
  for (const auto& [contig, intervals] : contigs_)
    for (const auto& [start, end] : intervals) bases += end - start;
  return bases;
}

nlohmann::ordered_json to_json(const IntervalSet& set) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [contig, intervals] : set.contigs())
    for (const auto& [start, end] : intervals) {
      json.push_back({contig, start, end});
      if (const int64_t length = set.length(contig); length != 0) json.back().push_back(length);
    }
  return json;
}

IntervalSet intervals_from_json(const nlohmann::ordered_json& json) try {
  IntervalSet set;
  for (const auto& row : json) {
    const auto contig = row.at(0).get<std::string>();
    set.add(contig, row.at(1).get<int64_t>(), row.at(2).get<int64_t>());
    if (row.size() > 3) set.set_length(contig, row[3].get<int64_t>());
  }
  return set;
} catch (const nlohmann::json::exception&) {
  fail("intervals are not of the form [[\"contig\", start, end, length], ...]");
}

}  // namespace bigdna::genome
