/// Sparse Transformer's strided pattern (Child et al. 2019, section 4.3) in blocks and in both directions: the window,
/// and every stride-th block counted from the query's; or one of the two by layer or head (factors). Stride 0: the
/// square root of the number of blocks, which makes the cost n sqrt(n), as in that paper.
#include <cmath>

#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout strided_layout(const PatternConfig& config, const Place& place) {
  const int64_t stride = stride_or(config, std::sqrt(static_cast<double>(place.blocks)));
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query) {
    KeyList column;
    for (int64_t key = query % stride; key < place.visible(query); key += stride)
      column.push_back(static_cast<int32_t>(key));
    rows.push_back(factor(config, place, window_of(query, config.window, place.visible(query)), column));
  }
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
