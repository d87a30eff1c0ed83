/// Random attention (R of the paper's table 1): a block attends to r blocks drawn from the whole sequence.
#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout random_layout(const PatternConfig& config, const Place& place) {
  KeyLists rows(static_cast<size_t>(place.blocks));
  for (int64_t query = 0; query < place.blocks; ++query)
    add_random(rows[static_cast<size_t>(query)], config.random, config, place, query);
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
