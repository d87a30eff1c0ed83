/// A layout as a graph of blocks: the numbers by which section 2 of Zaheer et al. 2020 (Big Bird) compares patterns. A
/// query block reads its key blocks; a block's reading of itself is no edge.
#pragma once

#include <cstdint>
#include <optional>

#include "sparsity/block_layout.h"
#include "sparsity/pattern.h"

namespace bigdna::sparsity {

struct LayoutGraph {
  double keys = 0;                // key blocks of a query block, on average
  std::optional<int64_t> layers;  // until each block has read every block that it may; unset: never
  double path = 0;                // mean number of reads from a block to another, over the pairs that reads join
  /// Mean over blocks of the share of pairs of neighbours that are neighbours; two blocks are neighbours if one reads
  /// the other (Watts and Strogatz 1998). Blocks with fewer than two neighbours count as 0.
  double clustering = 0;
  /// 1 minus the second largest eigenvalue of the random walk over neighbours: 0 where the graph falls apart, and the
  /// larger, the faster what a block holds spreads over all.
  double spectral_gap = 0;
};

/// Of at most kMostGraphBlocks blocks: time is their number cubed.
inline constexpr int64_t kMostGraphBlocks = 256;
LayoutGraph graph_of(const BlockLayout& layout, const Place& place);

}  // namespace bigdna::sparsity
