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

using Intervals = std::vector<IntervalSet::Interval>;

/// Those that overlap or touch the new one are merged with it.
void insert(Intervals& intervals, IntervalSet::Interval added) {
  auto& [start, end] = added;
  const auto first =
      std::lower_bound(intervals.begin(), intervals.end(), start,
                       [](const IntervalSet::Interval& interval, int64_t value) { return interval.second < value; });
  auto last = first;
  while (last != intervals.end() && last->first <= end) {
    start = std::min(start, last->first);
    end = std::max(end, last->second);
    ++last;
  }
  if (first == last) {
    intervals.insert(first, added);
  } else {
    *first = added;
    intervals.erase(first + 1, last);
  }
}

Intervals merged(const Intervals& some, const Intervals& more) {
  Intervals all, result;
  std::merge(some.begin(), some.end(), more.begin(), more.end(), std::back_inserter(all));
  for (const auto& next : all)
    if (!result.empty() && next.first <= result.back().second)
      result.back().second = std::max(result.back().second, next.second);
    else
      result.push_back(next);
  return result;
}
}  // namespace

void IntervalSet::add(const std::string& contig, int64_t start, int64_t end) {
  if (start >= end) return;
  insert(contigs_[contig], {start, end});
  if (const auto found = find_contig(several_, contig); found != several_.end())
    for (auto& [length, intervals] : found->second) insert(intervals, {start, end});
}

void IntervalSet::add(const IntervalSet& other) {
  for (const auto& [contig, length] : other.lengths_) add_lengths(other, contig);
  for (const auto& [contig, more] : other.contigs_) {
    if (find_contig(other.lengths_, contig) == other.lengths_.end()) add_lengths(other, contig);
    const std::string spelled = other_spelling(contig);  // a contig under both names would be found by one of them only
    auto& intervals = contigs_[!contigs_.contains(contig) && contigs_.contains(spelled) ? spelled : contig];
    intervals = merged(intervals, more);
  }
}

/// Before the intervals of the contig are added.
void IntervalSet::add_lengths(const IntervalSet& other, const std::string& contig) {
  const auto is_unclear = [&](const IntervalSet& set) {
    const auto found = find_contig(set.lengths_, contig);
    return found != set.lengths_.end() && found->second == kSeveralLengths &&
           find_contig(set.several_, contig) == set.several_.end();
  };
  const auto known = find_contig(lengths_, contig);
  const std::string name = known == lengths_.end() ? contig : known->first;
  auto all = by_length(contig);
  for (const auto& [length, intervals] : other.by_length(contig)) all[length] = merged(all[length], intervals);
  if (all.size() > 1)
    if (const auto unknown = all.extract(0))
      for (auto& [length, intervals] : all) intervals = merged(intervals, unknown.mapped());
  if (is_unclear(*this) || is_unclear(other)) {
    lengths_[name] = kSeveralLengths;
    several_.erase(name);
  } else if (all.size() > 1) {
    lengths_[name] = kSeveralLengths;
    several_[name] = std::move(all);
  } else if (!all.empty() && all.begin()->first != 0) {
    lengths_[name] = all.begin()->first;
  }
}

void IntervalSet::set_length(const std::string& contig, int64_t length) {
  const auto found = find_contig(lengths_, contig);
  if (found == lengths_.end()) {
    lengths_.emplace(contig, length);
  } else if (found->second != length && !(several_.contains(found->first) && fits(contig, length))) {
    found->second = kSeveralLengths;
    several_.erase(found->first);
  }
}

int64_t IntervalSet::length(const std::string& contig) const {
  const auto found = find_contig(lengths_, contig);
  return found == lengths_.end() || found->second == kSeveralLengths ? 0 : found->second;
}

IntervalSet::ByLength IntervalSet::by_length(const std::string& contig) const {
  if (const auto found = find_contig(several_, contig); found != several_.end()) return found->second;
  const int64_t length = this->length(contig);
  const auto& intervals = this->intervals(contig);
  if (length == 0 && intervals.empty()) return {};
  return {{length, intervals}};
}

void IntervalSet::choose(const std::string& contig, int64_t length) {
  const auto found = find_contig(several_, contig);
  if (found == several_.end() || !found->second.contains(length)) return;
  if (const auto all = find_contig(contigs_, contig); all != contigs_.end()) {
    all->second = found->second.at(length);
    if (all->second.empty()) contigs_.erase(all);
  }
  lengths_[found->first] = length;
  several_.erase(found);
}

bool IntervalSet::fits(const std::string& contig, int64_t length) const {
  if (const auto found = find_contig(several_, contig); found != several_.end()) return found->second.contains(length);
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
  const auto add = [&json](const std::string& contig, const IntervalSet::Interval& interval, int64_t length) {
    json.push_back({contig, interval.first, interval.second});
    if (length != 0) json.back().push_back(length);
  };
  for (const auto& [contig, all] : set.contigs())
    for (const auto& [length, intervals] : set.by_length(contig)) {
      for (const auto& interval : intervals) add(contig, interval, length);
      if (intervals.empty()) add(contig, {0, 0}, length);
    }
  return json;
}

IntervalSet intervals_from_json(const nlohmann::ordered_json& json) try {
  std::map<int64_t, IntervalSet> of_length;  // a contig has one length in each
  for (const auto& row : json) {
    const auto contig = row.at(0).get<std::string>();
    const int64_t length = row.size() > 3 ? row[3].get<int64_t>() : 0;
    auto& set = of_length[length];
    set.add(contig, row.at(1).get<int64_t>(), row.at(2).get<int64_t>());
    if (length != 0) set.set_length(contig, length);
  }
  IntervalSet all;
  for (const auto& [length, set] : of_length) all.add(set);
  return all;
} catch (const nlohmann::json::exception&) {
  fail("intervals are not of the form [[\"contig\", start, end, length], ...]");
}

}  // namespace bigdna::genome
