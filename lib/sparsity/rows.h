/// The building blocks of patterns: windows, global blocks, random draws. KeyLists are lists of key blocks per query
/// block.
#pragma once

#include <cstdint>
#include <vector>

#include "sparsity/pattern.h"

namespace bigdna::sparsity {

using KeyList = std::vector<int32_t>;
using KeyLists = std::vector<KeyList>;

/// Every block attends to every block.
BlockLayout full_layout(int64_t blocks);
/// Every block attends to every block that it may attend to.
BlockLayout full_layout(const Place& place);
/// 0, 1 ... blocks - 1.
KeyList all_blocks(int64_t blocks);
/// What is below `blocks` of an ascending row.
KeyList below(const KeyList& row, int64_t blocks);
/// The window of a query block, cut off at the ends; ascending.
KeyList window_of(int64_t query, int64_t window, int64_t blocks);
/// The window of `config` with its dilation and growth: (w - 1) / 2 + growth * layer blocks on either side, `dilation`
/// apart, in heads from `local_heads` on.
KeyList dilated_window(const PatternConfig& config, const Place& place, int64_t query);
/// `count` blocks from `begin` on, cut off at the end.
KeyList span_of(int64_t begin, int64_t count, int64_t blocks);
/// What a query block attends to of its neighbourhood and of blocks that lie a stride apart.
KeyList factor(const PatternConfig& config, const Place& place, const KeyList& near, const KeyList& apart);
/// The global blocks, ascending: the first (global + 1) / 2 and the last global / 2, or the first `global`, as in
/// every causal pattern.
KeyList global_blocks(const PatternConfig& config, int64_t blocks);
/// Sorted union of two ascending rows.
KeyList merge(const KeyList& a, const KeyList& b);
/// Adds `count` distinct visible blocks (or all that are left) that are not in `row` yet: a pure function of
/// (config.seed, place, query).
void add_random(KeyList& row, int64_t count, const PatternConfig& config, const Place& place, int64_t query);

/// Blocks on either side that belong to the neighbourhood of strided.
int64_t near_reach(const PatternConfig& config, const Place& place);
/// `config.stride`, or `automatic` if it is 0; at least 1.
int64_t stride_or(const PatternConfig& config, double automatic);

}  // namespace bigdna::sparsity
