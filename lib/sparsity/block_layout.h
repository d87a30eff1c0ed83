/// Which key blocks each query block attends to: CSR over blocks, and its transpose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::sparsity {

/// Immutable once made, so threads may share it. Kernels get a view by pointers (kernels/attention.h).
struct BlockLayout {
  int64_t blocks = 0;
  std::vector<int32_t> row_starts;     // blocks + 1
  std::vector<int32_t> columns;        // key blocks of each query block, ascending; a block listed twice is attended
                                       // twice (only the released code's and transformers' random blocks do that)
  std::vector<int32_t> column_starts;  // the transpose: query blocks of each key block
  std::vector<int32_t> rows;
  int64_t prefix = 0;  // causal: the first blocks, which attend to each other in both directions

  /// From one list of key blocks per query block, each in any order.
  static BlockLayout from_rows(std::vector<std::vector<int32_t>> lists);
  std::span<const int32_t> keys_of(int64_t query_block) const {
    return {columns.data() + row_starts[query_block], columns.data() + row_starts[query_block + 1]};
  }
  std::span<const int32_t> queries_of(int64_t key_block) const {
    return {rows.data() + column_starts[key_block], rows.data() + column_starts[key_block + 1]};
  }
  /// The number of attended pairs of blocks; the density is pairs() / blocks^2.
  int64_t pairs() const { return static_cast<int64_t>(columns.size()); }
  bool operator==(const BlockLayout&) const = default;
};

}  // namespace bigdna::sparsity
