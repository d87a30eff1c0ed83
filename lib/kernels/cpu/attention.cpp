#include "kernels/attention.h"

#include <algorithm>

#include "base/error.h"
#include "base/threads.h"
#include "kernels/cpu/plan.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/targets.h"
#include "kernels/dropout.h"
//
#include "hwy/targets.h"

namespace bigdna::kernels {
namespace {

constexpr int64_t kRowsPerTask = 1024;  // of add_segments

void check(const AttentionForward& p) {
  if (p.batch < 0 || p.heads < 1 || p.n < 0 || p.head_size < 1 || p.block < 1)
    fail("attention: no shape: batch ", p.batch, ", heads ", p.heads, ", tokens ", p.n, ", head size ",
         p.head_size, ", block ", p.block);
  if (p.precision == Precision::fp16) fail("attention: fp16 is for GPUs");
  if (!(p.dropout >= 0 && p.dropout < 1) || dropout_threshold(p.dropout) > 65535)
    fail("attention: dropout ", p.dropout, " is not in [0, 1)");
  for (int64_t b = 0; b < p.batch; ++b) {
    if (p.lengths[b] < 0 || p.lengths[b] > p.n)
      fail("attention: length ", p.lengths[b], " of sequence ", b, " is not in [0, ", p.n, "]");
    for (int64_t h = 0; h < p.heads; ++h)
      if (const int64_t blocks = p.layouts[b * p.heads + h].blocks;
          blocks * p.block < p.lengths[b] || (blocks > 0 && (blocks - 1) * p.block >= p.n))
        fail("attention: a layout of ", blocks, " blocks of ", p.block, " does not fit a sequence of ",
             p.lengths[b], " tokens padded to ", p.n);
  }
}

template <class Body>
void run(const AttentionForward& p, int64_t count, const Body& body) {
  if (p.parallel)
    p.parallel(
        count, p.threads, [](void* context, int64_t i) { (*static_cast<const Body*>(context))(i); },
        const_cast<Body*>(&body));
  else
    parallel_for(count, p.threads, body);
}

}  // namespace

void attention_forward_cpu(const AttentionForward& p) {
  check(p);
  const ForwardPlan plan = plan_forward(p);
  const FloatBuffer partials(plan.partials * partial_floats(p));
  run(p, plan.tasks.size(), [&](int64_t i) { forward_task_simd(p, plan.tasks[i], partials.data()); });
  if (!plan.cut_rows.empty())
    run(p, plan.cut_rows.size(),
        [&](int64_t i) { merge_cut_row_simd(p, plan.cut_rows[i], partials.data()); });
}

void attention_backward_cpu(const AttentionBackward& b) {
  const AttentionForward& p = b.forward;
  check(p);
  if (p.batch == 0) return;
  const BackwardPlan plan = plan_backward(p);
  if (plan.segments == 1)
    return run(p, plan.tasks.size(), [&](int64_t i) { backward_task_simd(b, plan.tasks[i], 1, nullptr); });
  const FloatBuffer grad_q(p.batch * p.heads * plan.segments * p.n * padded(p.head_size));
  run(p, plan.tasks.size(),
      [&](int64_t i) { backward_task_simd(b, plan.tasks[i], plan.segments, grad_q.data()); });
  const int64_t pieces = (p.n + kRowsPerTask - 1) / kRowsPerTask;
  run(p, p.batch * p.heads * pieces, [&](int64_t i) {
    const int64_t first = i % pieces * kRowsPerTask;
    add_segments_simd(b, i / pieces, first, std::min(first + kRowsPerTask, p.n), plan.segments,
                      grad_q.data());
  });
}

const char* cpu_target() {
  const int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(targets & -targets);  // the lowest bit is the best
}

}  // namespace bigdna::kernels
