/// Sparse Transformer's fixed pattern (Child et al. 2019, section 4.3) in blocks and in both directions: the query's
/// own span of `stride` blocks, and the last `global` blocks (at least 1) of every span, which summarise it; or one of
/// the two by layer or head (factors). Stride 0: the square root of the number of blocks.
#include <algorithm>
#include <cmath>

#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout fixed_layout(const PatternConfig& config, const Place& place) {
  const int64_t stride = stride_or(config, std::sqrt(static_cast<double>(place.blocks)));
  const int64_t summary = std::clamp<int64_t>(config.global, 1, stride);
  KeyList summaries;
  for (int64_t key = 0; key < place.blocks; ++key)
    if (key % stride >= stride - summary) summaries.push_back(static_cast<int32_t>(key));
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query) {
    const KeyList span = span_of(query - query % stride, stride, place.visible(query));
    rows.push_back(factor(config, place, span, below(summaries, place.visible(query))));
  }
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
