/// The width of the bins that chromatin features are labels of.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace bigdna::dataset {

inline constexpr int64_t kBin = 200;  // bp (paper F.3, after DeepSEA), unless a dataset has another width

/// A width, and what a network's convolutions pool to get there: `bp` is the product of the pools.
struct BinWidth {
  int64_t bp;
  std::array<int64_t, 3> pools;
};
/// All widths that datasets of bins can have.
inline constexpr BinWidth kBinWidths[] = {
    {kBin, {4, 5, 10}}, {128, {4, 4, 8}}, {100, {4, 5, 5}}, {50, {5, 5, 2}}, {32, {4, 4, 2}}};
static_assert(std::ranges::all_of(kBinWidths, [](const BinWidth& width) {
  return width.bp == width.pools[0] * width.pools[1] * width.pools[2] && width.bp % 2 == 0;
}));

/// "200, 128, 100, 50, 32"
inline std::string bin_widths_text() {
  std::string text;
  for (const auto& width : kBinWidths) text += concat(text.empty() ? "" : ", ", width.bp);
  return text;
}
/// Null for a width that datasets of bins cannot have.
inline const BinWidth* find_bin_width(int64_t bp) {
  const auto* found = std::ranges::find(kBinWidths, bp, &BinWidth::bp);
  return found == std::end(kBinWidths) ? nullptr : found;
}

}  // namespace bigdna::dataset
