/// How a call is cut into tasks, and what the SIMD files (forward.cpp, backward.cpp) share with
/// attention.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "kernels/attention.h"

namespace bigdna::kernels {

/// Rows of blocks in scratch are padded to whole vectors of the widest instruction set.
constexpr int64_t kPad = 16;
constexpr int64_t padded(int64_t n) { return (n + kPad - 1) / kPad * kPad; }

/// Floats on a cache-line boundary, not initialised.
class FloatBuffer {
 public:
  explicit FloatBuffer(size_t size)
      : data_(static_cast<float*>(::operator new[](size * sizeof(float), kAlign))) {}
  float* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kAlign{64};
  struct Delete {
    void operator()(float* p) const { ::operator delete[](p, kAlign); }
  };
  std::unique_ptr<float, Delete> data_;
};

/// This thread's working memory, kept between calls: at least `floats` of it.
float* thread_scratch(size_t floats);

/// Query blocks [row, row_end) of one head; or, where partial >= 0, one row's keys columns[first, last) only,
/// whose unfinished result goes to that slot.
struct ForwardTask {
  int64_t head = 0;  // b * heads + h
  int64_t row = 0, row_end = 0;
  int64_t first = 0, last = 0;
  int64_t partial = -1;
};
/// A row that was cut along its keys: its slots are [first, last).
struct CutRow {
  int64_t head = 0, row = 0, first = 0, last = 0;
};
struct ForwardPlan {
  std::vector<ForwardTask> tasks;
  std::vector<CutRow> cut_rows;
  int64_t partials = 0;
};
/// Rows much longer than the head's average (the global ones) are cut, so that they do not serialise the
/// tail. A function of the layouts alone.
ForwardPlan plan_forward(const AttentionForward& parameters);
/// A slot: sums [block, padded head_size], maxima [padded block], normalisers [padded block].
inline int64_t partial_floats(const AttentionForward& p) {
  return p.block * padded(p.head_size) + 2 * padded(p.block);
}

/// Key blocks [first, last) of one head, whose share of grad_q goes to `segment`.
struct BackwardTask {
  int64_t head = 0, first = 0, last = 0, segment = 0;
};
/// Every head in the same number of segments, each with a grad_q of its own which are then added in order:
/// enough tasks where there are few heads, without atomic additions. A function of the shape and the layouts
/// alone.
struct BackwardPlan {
  std::vector<BackwardTask> tasks;
  int64_t segments = 1;
};
BackwardPlan plan_backward(const AttentionForward& parameters);

}  // namespace bigdna::kernels
