#include "variants/indel_place.h"

#include <algorithm>

namespace bigdna::variants {

genome::Region indel_place(const VcfRecord& record, const std::string& alt, GenomeWindow& window) {
  std::string removed = upper_case(record.ref), added = upper_case(alt);
  int64_t start = record.position;
  while (!removed.empty() && !added.empty() && removed.back() == added.back()) removed.pop_back(), added.pop_back();
  const auto differs = std::ranges::mismatch(removed, added).in1;
  const auto same = static_cast<size_t>(differs - removed.begin());
  removed.erase(0, same), added.erase(0, same);
  start += static_cast<int64_t>(same);
  int64_t end = start + static_cast<int64_t>(removed.size());
  const int64_t length = window.genome().length(record.contig);
  if (removed.empty() || added.empty()) {
    const std::string& unit = removed.empty() ? added : removed;
    const auto is = [&](int64_t at, size_t base) {
      return at >= 0 && at < length && window.fetch(record.contig, at, at + 1)[0] == unit[base];
    };
    for (size_t k = 0; is(end, k % unit.size()); ++k) ++end;
    for (size_t k = 0; is(start - 1, unit.size() - 1 - k % unit.size()); ++k) --start;
  }
  return {record.contig, std::max<int64_t>(0, start - 1), std::min(end + 1, length), '+'};
}

}  // namespace bigdna::variants
