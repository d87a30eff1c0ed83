/// Longformer's pattern (Beltagy et al. 2020) at the granularity of blocks: global blocks and a sliding window, which
/// may have gaps (dilation) and become wider from layer to layer (growth).
#include <algorithm>

#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout global_window_layout(const PatternConfig& config, const Place& place) {
  const KeyList global = global_blocks(config, place.blocks);
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query) {
    const int64_t visible = place.visible(query);
    const bool all = visible < config.global + config.window || std::ranges::binary_search(global, query);
    rows.push_back(all ? all_blocks(visible) : merge(below(global, visible), dilated_window(config, place, query)));
  }
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
