/// BlockBERT's pattern (Qiu et al. 2020): the sequence is cut into spans, and each head attends from every span to one
/// other, by a permutation: head h shifts by h spans, so head 0 attends within the span. With
/// `local_heads`, that many heads do, and the others shift by 1, 2 ... (10:2 of 12 heads were best). Stride 0: two
/// spans.
#include <algorithm>

#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {

BlockLayout blockbert_layout(const PatternConfig& config, const Place& place) {
  const int64_t stride = stride_or(config, static_cast<double>((place.blocks + 1) / 2));
  const int64_t spans = (place.blocks + stride - 1) / stride;
  const int64_t shift = std::max<int64_t>(0, place.head - std::max<int64_t>(0, config.local_heads - 1));
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query)
    rows.push_back(span_of((query / stride + shift) % spans * stride, stride, place.blocks));
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
