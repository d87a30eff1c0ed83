/// Work on many rows, in parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/log.h"

namespace bigdna::rows {

/// What `values` gives for a part of the rows, for all of them in order: only the bases of 2048 rows are in memory at a
/// time, and progress says how far it is.
template <class Values>
auto in_row_parts(const std::string& label, const std::vector<int64_t>& rows, Values values) {
  constexpr int64_t kRows = 2048;
  log::Progress progress(label, rows.size(), "rows");
  decltype(values(rows)) all;
  for (auto first = rows.begin(), last = first; first != rows.end(); first = last) {
    last = first + std::min<int64_t>(kRows, rows.end() - first);
    const auto part = values(std::vector<int64_t>(first, last));
    all.insert(all.end(), part.begin(), part.end());
    progress.update(static_cast<uint64_t>(last - rows.begin()));
  }
  return all;
}

}  // namespace bigdna::rows
