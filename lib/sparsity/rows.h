/// The building blocks of patterns: windows, global blocks, random draws. Rows are lists of key blocks per query block.
#pragma once

#include <cstdint>
#include <vector>

#include "sparsity/pattern.h"

namespace bigdna::sparsity {

using Row = std::vector<int32_t>;
using Rows = std::vector<Row>;

/// Every block attends to every block.
BlockLayout full_layout(int64_t blocks);
/// 0, 1 ... blocks - 1.
Row all_blocks(int64_t blocks);
/// The window of a query block, cut off at the ends; ascending.
Row window_of(int64_t query, int64_t window, int64_t blocks);
/// The global blocks, ascending: the first (global + 1) / 2 and the last global / 2, or the first `global`.
Row global_blocks(const PatternConfig& config, int64_t blocks);
/// Sorted union of two ascending rows.
Row merge(const Row& a, const Row& b);
/// Adds `count` distinct blocks (or all that are left) that are not in `row` yet: a pure function of
/// (config.seed, place, query).
void add_random(Row& row, int64_t count, const PatternConfig& config, const Place& place, int64_t query);

/// `config.stride`, or `automatic` if it is 0; at least 1.
int64_t stride_or(const PatternConfig& config, double automatic);

}  // namespace bigdna::sparsity
