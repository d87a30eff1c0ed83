#include "sparsity/rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "base/rng.h"

namespace bigdna::sparsity {

KeyList all_blocks(int64_t blocks) {
  KeyList row(static_cast<size_t>(blocks));
  std::iota(row.begin(), row.end(), 0);
  return row;
}

BlockLayout full_layout(int64_t blocks) {
  return BlockLayout::from_rows(KeyLists(static_cast<size_t>(blocks), all_blocks(blocks)));
}

BlockLayout full_layout(const Place& place) {
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query) rows.push_back(all_blocks(place.visible(query)));
  return BlockLayout::from_rows(std::move(rows));
}

KeyList below(const KeyList& row, int64_t blocks) {
  return {row.begin(), std::lower_bound(row.begin(), row.end(), static_cast<int32_t>(blocks))};
}

KeyList window_of(int64_t query, int64_t window, int64_t blocks) {
  KeyList row;
  const int64_t reach = (window - 1) / 2;
  if (window < 1) return row;
  for (int64_t key = std::max<int64_t>(0, query - reach); key <= std::min(blocks - 1, query + reach); ++key)
    row.push_back(static_cast<int32_t>(key));
  return row;
}

KeyList dilated_window(const PatternConfig& config, const Place& place, int64_t query) {
  const int64_t reach = std::min(place.blocks, (config.window - 1) / 2 + config.growth * place.layer),
                step = place.head < config.local_heads ? 1 : config.dilation;
  KeyList row;
  for (int64_t key = query - std::min(reach, query / step) * step, last = query + reach * step;
       key <= std::min(place.visible(query) - 1, last); key += step)
    row.push_back(static_cast<int32_t>(key));
  return row;
}

KeyList span_of(int64_t begin, int64_t count, int64_t blocks) {
  KeyList row;
  for (int64_t key = begin; key < std::min(blocks, begin + count); ++key) row.push_back(static_cast<int32_t>(key));
  return row;
}

KeyList factor(const PatternConfig& config, const Place& place, const KeyList& near, const KeyList& apart) {
  if (config.factors == Factors::merged) return merge(near, apart);
  const bool first = config.factors == Factors::by_layer ? place.layer % 2 == 0 : 2 * place.head < place.heads;
  return first || apart.empty() ? near : apart;
}

KeyList global_blocks(const PatternConfig& config, int64_t blocks) {
  const bool edges = config.global_blocks == GlobalBlocks::edges && !config.causal;
  const int64_t first = std::min(blocks, edges ? (config.global + 1) / 2 : config.global);
  const int64_t last = edges ? std::min(blocks - first, config.global / 2) : 0;
  KeyList row = all_blocks(first);
  for (int64_t key = blocks - last; key < blocks; ++key) row.push_back(static_cast<int32_t>(key));
  return row;
}

int64_t stride_or(const PatternConfig& config, double automatic) {
  return config.stride > 0 ? config.stride : std::max<int64_t>(1, std::lround(automatic));
}

KeyList merge(const KeyList& a, const KeyList& b) {
  KeyList merged;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
  return merged;
}

void add_random(KeyList& row, int64_t count, const PatternConfig& config, const Place& place, int64_t query) {
  const int64_t free = place.visible(query) - static_cast<int64_t>(row.size());
  Rng rng(mix({config.seed, static_cast<uint64_t>(place.layer), static_cast<uint64_t>(place.head)}),
          static_cast<uint64_t>(query));
  KeyList ranks;  // Floyd's sampling of distinct ranks among the blocks not in `row`
  for (int64_t top = free - std::min(count, free); top < free; ++top) {
    auto rank = static_cast<int32_t>(rng.below(static_cast<uint64_t>(top) + 1));
    if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) rank = static_cast<int32_t>(top);
    ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  KeyList drawn;
  size_t taken = 0;
  for (const int32_t rank : ranks) {
    while (taken < row.size() && row[taken] <= rank + static_cast<int32_t>(taken)) ++taken;
    drawn.push_back(rank + static_cast<int32_t>(taken));
  }
  row = merge(row, drawn);
}

}  // namespace bigdna::sparsity
