/// Local attention of the memory-constrained transformer (Liu et al. 2018, section 4.2.2): spans of `window` blocks,
/// each of which attends to itself alone.
#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout local_layout(const PatternConfig& config, const Place& place) {
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query)
    rows.push_back(span_of(query - query % config.window, config.window, place.visible(query)));
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
