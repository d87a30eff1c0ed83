#include "kernels/cpu/plan.h"

#include <algorithm>

namespace bigdna::kernels {
namespace {

constexpr int64_t kTaskScores = 8 * 64 * 64;  // the least work of a task, in query-key pairs: about 70 us
constexpr int64_t kCutKeys = 2048;            // keys of a piece of a long row

}  // namespace

float* thread_scratch(size_t floats) {
  thread_local FloatBuffer buffer(0);
  thread_local size_t size = 0;
  if (size < floats) {
    buffer = FloatBuffer(floats);
    size = floats;
  }
  return buffer.data();
}

ForwardPlan plan_forward(const AttentionForward& p) {
  ForwardPlan plan;
  const int64_t all_blocks = (p.n + p.block - 1) / p.block;
  const int64_t piece = std::max<int64_t>(1, kCutKeys / p.block);
  const int64_t least = std::max<int64_t>(1, kTaskScores / (p.block * p.block));
  for (int64_t head = 0; head < p.batch * p.heads; ++head) {
    const LayoutView& layout = p.layouts[head];
    const int64_t pairs = layout.blocks > 0 ? layout.row_starts[layout.blocks] : 0;
    int64_t begin = 0, gathered = 0;
    auto flush = [&](int64_t end) {
      if (begin < end) plan.tasks.push_back({.head = head, .row = begin, .row_end = end});
      gathered = 0;
    };
    for (int64_t row = 0; row < layout.blocks; ++row) {
      const int64_t length = layout.row_starts[row + 1] - layout.row_starts[row];
      if (length >= 2 * piece && length * layout.blocks > 4 * pairs) {
        flush(row);
        begin = row + 1;
        const CutRow cut{head, row, plan.partials, plan.partials + (length + piece - 1) / piece};
        for (int64_t first = layout.row_starts[row]; first < layout.row_starts[row + 1]; first += piece)
          plan.tasks.push_back({.head = head,
                                .row = row,
                                .row_end = row + 1,
                                .first = first,
                                .last = std::min<int64_t>(first + piece, layout.row_starts[row + 1]),
                                .partial = plan.partials++});
        plan.cut_rows.push_back(cut);
      } else if ((gathered += length) >= least) {
        flush(row + 1);
        begin = row + 1;
      }
    }
    flush(all_blocks);  // with the blocks of padding, which are only written as 0
  }
  return plan;
}

BackwardPlan plan_backward(const AttentionForward& p) {
  BackwardPlan plan;
  const int64_t heads = p.batch * p.heads, all_blocks = (p.n + p.block - 1) / p.block;
  plan.segments = std::clamp<int64_t>(std::min(32 / heads, p.n / 256), 1, 8);
  for (int64_t head = 0; head < heads; ++head) {
    const LayoutView& layout = p.layouts[head];
    const int64_t pairs = layout.blocks > 0 ? layout.column_starts[layout.blocks] : 0;
    int64_t first = 0;
    for (int64_t segment = 0; segment < plan.segments; ++segment) {
      int64_t last = first;
      while (last < layout.blocks && layout.column_starts[last] * plan.segments < pairs * (segment + 1)) ++last;
      if (segment + 1 == plan.segments) last = all_blocks;
      plan.tasks.push_back({head, first, last, segment});
      first = last;
    }
  }
  return plan;
}

}  // namespace bigdna::kernels
