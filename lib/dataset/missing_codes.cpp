#include "dataset/missing_codes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/counted.h"
#include "base/log.h"

namespace bigdna::dataset {

void warn_of_missing_codes(const std::vector<std::string>& columns, std::span<const float> values,
                           const std::string& where) {
  constexpr float kCodes[] = {-9, -99, -999, -9999};
  for (size_t column = 0; column < columns.size(); ++column) {
    float least = 0, next = 0;  // the two lowest numbers below 0
    int64_t rows = 0;           // that have the least one
    for (size_t at = column; at < values.size(); at += columns.size()) {
      const float value = values[at];
      if (value == least) ++rows;
      if (value < least)
        next = std::exchange(least, value), rows = 1;
      else if (value > least)
        next = std::min(next, value);
    }
    if (std::ranges::find(kCodes, least) != std::end(kCodes) && next > least / 2)
      log::warn(where, ": column ", columns[column], ": ", counted(rows, "row has ", "rows have "), least,
                ", by which PLINK and others mean a missing number, and no other is near it: it is read as a number "
                "(an empty field or NA is missing)");
  }
}

}  // namespace bigdna::dataset
