/// BlockBERT's pattern (Qiu et al. 2020): the sequence is cut into spans, and each head attends from every span to one
/// other, by a permutation: head h shifts by h spans, so head 0 attends within the span. Stride 0: two spans.
#include <algorithm>

#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout blockbert_layout(const PatternConfig& config, const Place& place) {
  const int64_t stride = stride_or(config, static_cast<double>((place.blocks + 1) / 2));
  const int64_t spans = (place.blocks + stride - 1) / stride;
  Rows rows;
  for (int64_t query = 0; query < place.blocks; ++query) {
    const int64_t begin = (query / stride + place.head) % spans * stride;
    Row row;
    for (int64_t key = begin; key < std::min(place.blocks, begin + stride); ++key)
      row.push_back(static_cast<int32_t>(key));
    rows.push_back(std::move(row));
  }
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
