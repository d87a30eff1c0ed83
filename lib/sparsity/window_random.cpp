/// Window and random blocks without global ones (R + W of the paper's table 1).
#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout window_random_layout(const PatternConfig& config, const Place& place) {
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query) {
    KeyList row = window_of(query, config.window, place.visible(query));
    add_random(row, config.random, config, place, query);
    rows.push_back(std::move(row));
  }
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
