#include "sparsity/block_layout.h"

#include <algorithm>

namespace bigdna::sparsity {

BlockLayout BlockLayout::from_rows(std::vector<std::vector<int32_t>> lists) {
  BlockLayout layout;
  layout.blocks = static_cast<int64_t>(lists.size());
  layout.row_starts.reserve(lists.size() + 1);
  layout.row_starts.push_back(0);
  layout.column_starts.assign(lists.size() + 1, 0);
  for (auto& keys : lists) {
    std::sort(keys.begin(), keys.end());
    layout.columns.insert(layout.columns.end(), keys.begin(), keys.end());
    layout.row_starts.push_back(static_cast<int32_t>(layout.columns.size()));
    for (const int32_t key : keys) ++layout.column_starts[key + 1];
  }
  for (size_t i = 0; i < lists.size(); ++i) layout.column_starts[i + 1] += layout.column_starts[i];
  layout.rows.resize(layout.columns.size());
  std::vector<int32_t> next(layout.column_starts.begin(), layout.column_starts.end() - 1);
  for (size_t query = 0; query < lists.size(); ++query)
    for (const int32_t key : lists[query]) layout.rows[next[key]++] = static_cast<int32_t>(query);
  return layout;
}

}  // namespace bigdna::sparsity
