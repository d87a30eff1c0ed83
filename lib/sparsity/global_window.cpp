/// Longformer's pattern (Beltagy et al. 2020) at the granularity of blocks: global blocks and a sliding window, which
/// may have gaps (dilation) and become wider from layer to layer (growth).
#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout global_window_layout(const PatternConfig& config, const Place& place) {
  if (place.blocks < config.global + config.window) return full_layout(place.blocks);
  const Row global = global_blocks(config, place.blocks);
  Rows rows;
  for (int64_t query = 0; query < place.blocks; ++query)
    rows.push_back(merge(global, dilated_window(config, place, query)));
  for (const int32_t query : global) rows[static_cast<size_t>(query)] = all_blocks(place.blocks);
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
