/// Image Transformer's 2-D local attention (Parmar et al. 2018, section 4.2) in blocks and in all directions: the
/// sequence is written in lines of `stride` blocks, and a block attends to the rectangle of (w - 1) / 2 blocks around
/// it. Stride 0: the square root of the number of blocks.
#include <algorithm>
#include <cmath>

#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout image_layout(const PatternConfig& config, const Place& place) {
  const int64_t width = stride_or(config, std::sqrt(static_cast<double>(place.blocks)));
  const int64_t lines = (place.blocks + width - 1) / width;
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query) {
    const KeyList columns = window_of(query % width, config.window, width);
    KeyList row;
    for (const int32_t line : window_of(query / width, config.window, lines)) {
      const int64_t begin = line * width + columns.front();
      row = merge(row,
                  span_of(begin, static_cast<int64_t>(columns.size()), std::min(place.visible(query), begin + width)));
    }
    rows.push_back(std::move(row));
  }
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
