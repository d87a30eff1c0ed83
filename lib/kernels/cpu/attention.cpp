#include "kernels/attention.h"

#include <algorithm>

#include "base/error.h"
#include "base/threads.h"
#include "kernels/cpu/amx.h"
#include "kernels/cpu/plan.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/targets.h"
#include "kernels/dropout.h"
//
#include "hwy/targets.h"

namespace bigdna::kernels {
namespace {

constexpr int64_t kRowsPerTask = 1024;      // of add_segments and packing
constexpr int64_t kPackedFloats = 2 << 20;  // of the heads packed together: they stay in the cache

void check(const AttentionForward& p) {
  if (p.batch < 0 || p.heads < 1 || p.n < 0 || p.head_size < 1 || p.block < 1)
    fail("attention: invalid shape: batch ", p.batch, ", heads ", p.heads, ", tokens ", p.n, ", head size ",
         p.head_size, ", block ", p.block);
  if (p.precision == Precision::fp16) fail("attention: fp16 is supported on GPUs only");
  if (!(p.dropout >= 0 && p.dropout < 1) || dropout_threshold(p.dropout) > 65535)
    fail("attention: dropout ", p.dropout, " is not in [0, 1)");
  if (!(p.scale > 0)) fail("attention: scale ", p.scale, " is not positive");
  for (int64_t b = 0; b < p.batch; ++b) {
    if (p.lengths[b] < 0 || p.lengths[b] > p.n)
      fail("attention: length ", p.lengths[b], " of sequence ", b, " is not in [0, ", p.n, "]");
    for (int64_t h = 0; h < p.heads; ++h)
      if (const int64_t blocks = p.layouts[b * p.heads + h].blocks;
          blocks * p.block < p.lengths[b] || (blocks > 0 && (blocks - 1) * p.block >= p.n))
        fail("attention: a layout of ", blocks, " blocks of ", p.block, " does not fit a sequence of ", p.lengths[b],
             " tokens padded to ", p.n);
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

/// Packs some heads, runs their tasks (sorted by head), then goes on to the next heads: pack(head, first block, last
/// block, memory of that head), body(task, memory of its head).
template <class Task, class Pack, class Body>
void by_heads(const AttentionForward& p, int64_t floats, const std::vector<Task>& tasks, const Pack& pack,
              const Body& body) {
  const int64_t heads = p.batch * p.heads, blocks = PackedShape(p).blocks;
  const int64_t together =
      std::clamp<int64_t>(kPackedFloats / std::max<int64_t>(floats, 1), std::min<int64_t>(p.threads, heads), heads);
  const FloatBuffer packed(together * floats);
  const int64_t step = std::max<int64_t>(1, kRowsPerTask / p.block), pieces = (blocks + step - 1) / step;
  size_t next = 0;
  for (int64_t first = 0; first < heads; first += together) {
    const int64_t last = std::min(first + together, heads);
    run(p, (last - first) * pieces, [&](int64_t i) {
      const int64_t block = i % pieces * step;
      pack(first + i / pieces, block, std::min(block + step, blocks), packed.data() + i / pieces * floats);
    });
    const size_t begin = next;
    while (next < tasks.size() && tasks[next].head < last) ++next;
    run(p, next - begin, [&](int64_t i) {
      const Task& task = tasks[begin + i];
      body(task, packed.data() + (task.head - first) * floats);
    });
  }
}

}  // namespace

void attention_forward_cpu(const AttentionForward& p) {
  check(p);
  const ForwardPlan plan = plan_forward(p);
  const FloatBuffer partials(plan.partials * partial_floats(p));
  by_heads(
      p, PackedShape(p).forward_floats(), plan.tasks,
      [&](int64_t head, int64_t first, int64_t last, float* packed) { pack_keys_simd(p, head, first, last, packed); },
      [&](const ForwardTask& task, float* packed) { forward_task_simd(p, task, packed, partials.data()); });
  if (!plan.cut_rows.empty())
    run(p, plan.cut_rows.size(), [&](int64_t i) { merge_cut_row_simd(p, plan.cut_rows[i], partials.data()); });
}

void attention_backward_cpu(const AttentionBackward& b) {
  const AttentionForward& p = b.forward;
  check(p);
  if (p.batch == 0) return;
  const BackwardPlan plan = plan_backward(p);
  const bool cut = plan.segments > 1;
  const FloatBuffer grad_q(cut ? p.batch * p.heads * plan.segments * p.n * padded(p.head_size) : 0);
  by_heads(
      p, QueryPack::floats(p), plan.tasks,
      [&](int64_t head, int64_t first, int64_t last, float* packed) {
        pack_queries_simd(b, head, first, last, packed);
      },
      [&](const BackwardTask& task, float* packed) {
        backward_task_simd(b, task, plan.segments, packed, cut ? grad_q.data() : nullptr);
      });
  if (!cut) return;
  const int64_t pieces = (p.n + kRowsPerTask - 1) / kRowsPerTask;
  run(p, p.batch * p.heads * pieces, [&](int64_t i) {
    const int64_t first = i % pieces * kRowsPerTask;
    add_segments_simd(b, i / pieces, first, std::min(first + kRowsPerTask, p.n), plan.segments, grad_q.data());
  });
}

bool has_bf16_products() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx512bf16");
  return has;
#else
  return false;
#endif
}

const char* cpu_target() {
  const int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(targets & -targets);  // the lowest bit is the best
}
const char* cpu_bf16_products() { return has_amx() ? "AMX" : has_bf16_products() ? "AVX512-BF16" : "fp32 products"; }

}  // namespace bigdna::kernels
