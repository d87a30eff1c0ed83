/// Sparse Transformer's strided pattern (Child et al. 2019, section 4.3) in blocks and in both directions: all blocks
/// up to the stride away, and every stride-th block counted from the query's; or one of the two by layer or head
/// (factors). Two layers join every pair of blocks: a multiple of the stride, and what is left. Near::window takes the
/// window for the first part. Stride 0: the square root of the number of blocks, which makes the cost n sqrt(n), as in
/// that paper.
#include <cmath>

#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

namespace {
int64_t stride_of(const PatternConfig& config, const Place& place) {
  return stride_or(config, std::sqrt(static_cast<double>(place.blocks)));
}
}  // namespace

int64_t near_reach(const PatternConfig& config, const Place& place) {
  return config.near == Near::window ? config.window / 2 : stride_of(config, place);
}

BlockLayout strided_layout(const PatternConfig& config, const Place& place) {
  const int64_t stride = stride_of(config, place), near = 2 * near_reach(config, place) + 1;
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query) {
    KeyList column;
    for (int64_t key = query % stride; key < place.visible(query); key += stride)
      column.push_back(static_cast<int32_t>(key));
    rows.push_back(factor(config, place, window_of(query, near, place.visible(query)), column));
  }
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
