/// The kernels with run-time dispatch: each chooses the best instruction set of this processor.
#pragma once

#include "kernels/cpu/plan.h"

namespace bigdna::kernels {

/// Packs key blocks [first, last) of a head into `packed`, that head's PackedShape::forward_floats().
void pack_keys_simd(const AttentionForward& p, int64_t head, int64_t first, int64_t last, float* packed);
/// `packed`: of the task's head; `partials`: the plan's slots, partial_floats() each.
void forward_task_simd(const AttentionForward& p, const ForwardTask& task, const float* packed, float* partials);
void merge_cut_row_simd(const AttentionForward& p, const CutRow& row, float* partials);

/// Packs query blocks [first, last) of a head into `packed`, that head's QueryPack.
void pack_queries_simd(const AttentionBackward& b, int64_t head, int64_t first, int64_t last, float* packed);
/// `packed`: of the task's head; `grad_q`: [batch * heads, segments, n, padded head_size], of which a task
/// fills its own part; null where there is one segment.
void backward_task_simd(const AttentionBackward& b, const BackwardTask& task, int64_t segments, float* packed,
                        float* grad_q);
/// Adds the segments of rows [first, last) of one head, in order, into b.grad_q.
void add_segments_simd(const AttentionBackward& b, int64_t head, int64_t first, int64_t last, int64_t segments,
                       const float* grad_q);

}  // namespace bigdna::kernels
