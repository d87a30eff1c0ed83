/// Sliding window (W of the paper's table 1): a block attends to itself and its neighbours, or, with Longformer's
/// dilation (Beltagy et al. 2020, section 3.1), to blocks further apart, in more of them from layer to layer.
#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout window_layout(const PatternConfig& config, const Place& place) {
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query) rows.push_back(dilated_window(config, place, query));
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
