/// Sliding window (W of the paper's table 1): a block attends to itself and its neighbours.
#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout window_layout(const PatternConfig& config, const Place& place) {
  Rows rows;
  for (int64_t query = 0; query < place.blocks; ++query) rows.push_back(window_of(query, config.window, place.blocks));
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
