#include "kernels/cuda_work.h"

#include <algorithm>

namespace bigdna::kernels {
namespace {

constexpr int64_t kShortestPart = 16;  // list entries: twice an ordinary BigBird row
constexpr int64_t kParts = 4096;       // no part is longer than this share of the work: a few percent of what one
                                       // of a GPU's some 500 concurrent thread blocks does in all

template <class Data>
bool aligned(const Strided<Data>& x) {
  return reinterpret_cast<uintptr_t>(x.data) % 16 == 0 && x.batch_stride % 8 == 0 && x.head_stride % 8 == 0 &&
         x.row_stride % 8 == 0;
}

WorkLists plan(const AttentionForward& p, const int32_t* LayoutView::*starts) {
  WorkLists work;
  work.rows = tensor_rows(p.block);
  const int64_t tiles = (p.n + work.rows - 1) / work.rows, tiles_per_block = p.block / work.rows;
  int64_t pairs = 0;
  for (int64_t i = 0; i < p.batch * p.heads; ++i) pairs += (p.layouts[i].*starts)[p.layouts[i].blocks];
  const int64_t longest = std::max(kShortestPart, pairs * tiles_per_block / kParts);
  std::vector<WorkItem> whole;
  whole.reserve(static_cast<size_t>(p.batch * p.heads * tiles));
  for (int64_t i = 0; i < p.batch * p.heads; ++i) {
    const LayoutView& layout = p.layouts[i];
    const int64_t length = p.lengths[i / p.heads];
    const auto first = static_cast<int64_t>(whole.size());
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const int64_t block = tile / tiles_per_block;
      const bool real = tile * work.rows < length && block < layout.blocks;
      const int32_t begin = real ? (layout.*starts)[block] : 0, end = real ? (layout.*starts)[block + 1] : 0;
      const auto head = static_cast<int32_t>(i), at = static_cast<int32_t>(tile);
      const int64_t parts = (end - begin + longest - 1) / longest;
      if (parts <= 1) {
        whole.push_back({head, at, begin, end, -1});
        continue;
      }
      work.cuts.push_back({head, at, static_cast<int32_t>(work.slots), static_cast<int32_t>(parts)});
      for (int64_t part = 0; part < parts; ++part)
        work.items.push_back({head, at, static_cast<int32_t>(begin + (end - begin) * part / parts),
                              static_cast<int32_t>(begin + (end - begin) * (part + 1) / parts),
                              static_cast<int32_t>(work.slots++)});
    }
    // Heads stay together, for the L2 cache; within one the long lists (in-degrees vary) come first.
    std::stable_sort(whole.begin() + first, whole.end(),
                     [](const WorkItem& a, const WorkItem& b) { return a.end - a.begin > b.end - b.begin; });
  }
  work.items.insert(work.items.end(), whole.begin(), whole.end());
  return work;
}

}  // namespace

int32_t tensor_rows(int64_t block) {
  for (const int32_t warps : {4, 3, 2})
    if (block % (warps * 16) == 0) return warps * 16;
  return 16;
}

bool tensor_cores_serve(const AttentionForward& p) {
  return p.precision != Precision::fp32 && (p.head_size == 32 || p.head_size == 64 || p.head_size == 128) &&
         p.block % 16 == 0 && p.block >= 16 && p.block <= 128 && p.scale > 0 && p.n < (int64_t{1} << 29) &&
         aligned(p.q) && aligned(p.k) && aligned(p.v) && aligned(p.out);
}
bool tensor_cores_serve(const AttentionBackward& b) {
  return tensor_cores_serve(b.forward) && aligned(b.grad_out) && aligned(b.grad_q) && aligned(b.grad_k) &&
         aligned(b.grad_v);
}

WorkLists plan_rows(const AttentionForward& p) { return plan(p, &LayoutView::row_starts); }
WorkLists plan_columns(const AttentionForward& p) { return plan(p, &LayoutView::column_starts); }

}  // namespace bigdna::kernels
