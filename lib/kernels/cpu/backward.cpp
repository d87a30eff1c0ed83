// Attention backward, a range of key blocks at a time (Dao 2023, algorithm 2): the scores are computed again
// from log_sum_exp, grad_k and grad_v of a key block are finished in one go through the layout's transpose,
// grad_q gathers in the task's own buffer. Five matrix products a pair of blocks.
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/backward.cpp"
#include "hwy/foreach_target.h"
//
#include <utility>

#include "kernels/cpu/micro-inl.h"
#include "kernels/cpu/simd.h"
#include "kernels/dropout.h"

HWY_BEFORE_NAMESPACE();
namespace bigdna::kernels::HWY_NAMESPACE {
namespace {

constexpr int64_t kPanelQueries = 64;  // query rows handled together: small blocks are gathered
constexpr int kMaxPanels = kPanelQueries;

float dot(const float* a, const float* b, int64_t width) {
  const Floats d;
  Float sum = hn::Zero(d);
  for (int64_t i = 0; i < width; i += kLanes) sum = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum);
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

struct Gradients {
  const AttentionForward& p;
  int64_t head, length, size, width, block, columns, panel;
  HeadView q, k, v, out, grad_out, grad_q, grad_k, grad_v;
  float *keys_t, *values_t, *keys;       // of this key block
  float *sum_k, *sum_v;                  // its gradients
  float *scores, *deltas;                // of these query rows; deltas: gradient of the scores
  const float *queries, *out_gradients;  // of every query, [n, width]
  float *log_sum, *dots;                 // log_sum_exp in base 2, grad_out . out
  float* sum_q;                          // [n, width]
  uint16_t* random;

  Gradients(const AttentionBackward& b, const BackwardTask& task, int64_t segments, float* buffer)
      : p(b.forward),
        head(task.head),
        length(p.lengths[head / p.heads]),
        size(p.head_size),
        width(padded(size)),
        block(p.block),
        columns(padded(block)),
        panel(std::max(kPanelQueries / block, int64_t{1}) * block),
        q(head_view(p.q, p, head)),
        k(head_view(p.k, p, head)),
        v(head_view(p.v, p, head)),
        out(head_view(p.out, p, head)),
        grad_out(head_view(b.grad_out, p, head)),
        grad_q(head_view(b.grad_q, p, head)),
        grad_k(head_view(b.grad_k, p, head)),
        grad_v(head_view(b.grad_v, p, head)) {
    const int64_t groups = (block + 14) / 8;  // of eight keys, touched by one block
    const int64_t random_floats = padded(panel * groups * 4) + 4 * kPad;
    const int64_t rows = padded(p.n);
    float* memory = thread_scratch(2 * size * columns + (3 * block + 1) * width + 2 * panel * columns +
                                   2 * rows + random_floats + 3 * p.n * width);
    auto take = [&memory](int64_t floats) HWY_ATTR { return std::exchange(memory, memory + floats); };
    keys_t = take(size * columns);
    values_t = take(size * columns);
    keys = take(block * width);
    sum_k = take(block * width);
    sum_v = take(block * width);
    scores = take(panel * columns);
    deltas = take(panel * columns);
    log_sum = take(rows);
    dots = take(rows);
    random = reinterpret_cast<uint16_t*>(take(random_floats));
    queries = packed(q, take(p.n * width));
    out_gradients = packed(grad_out, take(p.n * width));
    sum_q = buffer ? buffer + (head * segments + task.segment) * p.n * width : take(p.n * width);
    prepare(take(width));
  }
  int64_t real(int64_t which) const { return std::clamp<int64_t>(length - which * block, 0, block); }

 private:
  /// Rows that many key blocks read are brought together once: where they lie they may be a page apart.
  const float* packed(const HeadView& view, float* to) const {
    if (view.precision == Precision::fp32 && view.stride == width && size == width) return view.row(0);
    pack_rows(view, 0, length, size, to);
    return to;
  }
  void prepare(float* out_row) {
    const float* lse = p.log_sum_exp + head * p.n;
    for (int64_t row = 0; row < length; ++row) {
      log_sum[row] = lse[row] * kLog2E;
      pack_rows(out, row, 1, size, out_row);
      dots[row] = dot(out_row, out_gradients + row * width, width);
    }
    std::fill(sum_q, sum_q + length * width, 0.0f);
  }
};

/// 16 random bits for each of `rows` queries and the keys of groups [group, group + groups), keys fastest.
HWY_INLINE void draw(const Gradients& g, int64_t first_query, int64_t rows, int64_t group, int64_t groups,
                     uint16_t* to) {
  const Words u;
  HWY_ALIGN uint32_t query[kLanes], key_group[kLanes], out[4 * kLanes];
  uint32_t* words = reinterpret_cast<uint32_t*>(to);
  uint32_t row = 0, column = 0;
  for (int64_t i = 0; i < rows * groups; i += kLanes) {  // lanes: (query, group), groups fastest
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      query[lane] = static_cast<uint32_t>(first_query) + row;
      key_group[lane] = static_cast<uint32_t>(group) + column;
      if (++column == groups) column = 0, ++row;
    }
    Word c[4] = {hn::Load(u, key_group), hn::Load(u, query), hn::Set(u, static_cast<uint32_t>(g.head)),
                 hn::Zero(u)};
    philox(c, g.p.dropout_seed);
#if HWY_TARGET == HWY_SCALAR
    for (int w = 0; w < 4; ++w) out[w] = hn::GetLane(c[w]);
#else
    hn::StoreInterleaved4(c[0], c[1], c[2], c[3], u, out);
#endif
    std::memcpy(words + 4 * i, out, sizeof out);
  }
}

/// scores: S -> the weights dv takes (after dropout); deltas: dP -> dS / scale. Rows are queries.
template <bool kDropout>
HWY_INLINE void weigh(const Gradients& g, int64_t first_query, int64_t rows, const uint16_t* random,
                      int64_t random_stride, float* scores, float* deltas) {
  const Floats d;
  const Words u;
  const uint32_t threshold = dropout_threshold(g.p.dropout);
  const Float scale = hn::Set(d, dropout_scale(threshold));
  for (int64_t r = 0; r < rows; ++r, scores += g.columns, deltas += g.columns) {
    const Float log_sum = hn::Set(d, g.log_sum[first_query + r]), dots = hn::Set(d, g.dots[first_query + r]);
    for (int64_t column = 0; column < g.columns; column += kLanes) {
      Float weight = exp2(hn::Sub(hn::LoadU(d, scores + column), log_sum)),
            delta = hn::LoadU(d, deltas + column);
      Float kept = weight;
      if constexpr (kDropout) {
        const hn::Rebind<uint16_t, Floats> half;
        const Word bits = hn::PromoteTo(u, hn::LoadU(half, random + r * random_stride + column));
        const auto keep = hn::RebindMask(d, hn::Not(hn::Lt(bits, hn::Set(u, threshold))));
        kept = hn::IfThenElseZero(keep, hn::Mul(weight, scale));
        delta = hn::IfThenElseZero(keep, hn::Mul(delta, scale));
      }
      hn::StoreU(kept, d, scores + column);
      hn::StoreU(hn::Mul(weight, hn::Sub(delta, dots)), d, deltas + column);
    }
  }
}

/// One key block: grad_k, grad_v, and its share of sum_q.
void key_block(Gradients& g, int64_t which) {
  const LayoutView& layout = g.p.layouts[g.head];
  const int64_t first = which * g.block, keys = g.real(which), end = std::min(first + g.block, g.p.n);
  if (keys > 0 && which < layout.blocks) {
    pack_transposed(g.k, first, keys, g.size, g.p.scale * kLog2E, g.keys_t, g.columns);
    pack_transposed(g.v, first, keys, g.size, 1, g.values_t, g.columns);
    pack_rows(g.k, first, keys, g.size, g.keys);
    std::fill(g.sum_k, g.sum_k + keys * g.width, 0.0f);
    std::fill(g.sum_v, g.sum_v + keys * g.width, 0.0f);
    const Panel keys_t{g.keys_t, g.columns, g.size}, values_t{g.values_t, g.columns, g.size},
        key_rows{g.keys, g.width, keys};
    const int64_t group = first / 8, groups = (first + keys - 1) / 8 + 1 - group;
    for (int64_t next = layout.column_starts[which]; next < layout.column_starts[which + 1];) {
      Panel queries[kMaxPanels], out_gradients[kMaxPanels];
      int panels = 0;
      int64_t rows = 0;
      // (query blocks of padding alone have no rows, yet count)
      for (; next < layout.column_starts[which + 1] && panels < kMaxPanels && rows + g.block <= g.panel;
           ++next, ++panels) {
        const int64_t query = layout.rows[next] * g.block, real = g.real(layout.rows[next]);
        queries[panels] = {g.queries + query * g.width, g.width, real};
        out_gradients[panels] = {g.out_gradients + query * g.width, g.width, real};
        float *scores = g.scores + rows * g.columns, *deltas = g.deltas + rows * g.columns;
        product<false>(&keys_t, 1, g.columns, queries[panels].rows, g.width, scores, g.columns, real, false);
        product<false>(&values_t, 1, g.columns, out_gradients[panels].rows, g.width, deltas, g.columns, real,
                       false);
        if (g.p.dropout > 0) {
          draw(g, query, real, group, groups, g.random);
          weigh<true>(g, query, real, g.random + first % 8, groups * 8, scores, deltas);
        } else {
          weigh<false>(g, query, real, nullptr, 0, scores, deltas);
        }
        product<false>(&key_rows, 1, g.width, deltas, g.columns, g.sum_q + query * g.width, g.width, real,
                       true);
        rows += real;
      }
      product<true>(out_gradients, panels, g.width, g.scores, g.columns, g.sum_v, g.width, keys, true);
      product<true>(queries, panels, g.width, g.deltas, g.columns, g.sum_k, g.width, keys, true);
    }
    for (int64_t r = 0; r < keys; ++r) {
      store_row(g.grad_k, first + r, g.size, g.sum_k + r * g.width, g.p.scale);
      store_row(g.grad_v, first + r, g.size, g.sum_v + r * g.width, 1);
    }
  }
  zero_rows(g.grad_k, first + (which < layout.blocks ? keys : 0), end, g.size);
  zero_rows(g.grad_v, first + (which < layout.blocks ? keys : 0), end, g.size);
}

}  // namespace

void backward_task(const AttentionBackward& b, const BackwardTask& task, int64_t segments, float* grad_q) {
  Gradients g(b, task, segments, grad_q);
  for (int64_t which = task.first; which < task.last; ++which) key_block(g, which);
  if (grad_q) return;
  for (int64_t row = 0; row < g.length; ++row)
    store_row(g.grad_q, row, g.size, g.sum_q + row * g.width, g.p.scale);
  zero_rows(g.grad_q, g.length, g.p.n, g.size);
}

void add_segments(const AttentionBackward& b, int64_t head, int64_t first, int64_t last, int64_t segments,
                  const float* grad_q) {
  const Floats d;
  const AttentionForward& p = b.forward;
  const HeadView to = head_view(b.grad_q, p, head);
  const int64_t width = padded(p.head_size), real = std::clamp(p.lengths[head / p.heads], first, last);
  float* total = thread_scratch(width);
  for (int64_t row = first; row < real; ++row) {
    for (int64_t column = 0; column < width; column += kLanes) {
      Float sum = hn::Zero(d);
      for (int64_t segment = 0; segment < segments; ++segment)
        sum = hn::Add(sum, hn::LoadU(d, grad_q + ((head * segments + segment) * p.n + row) * width + column));
      hn::StoreU(sum, d, total + column);
    }
    store_row(to, row, p.head_size, total, p.scale);
  }
  zero_rows(to, real, last, p.head_size);
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bigdna::kernels {
HWY_EXPORT(backward_task);
HWY_EXPORT(add_segments);

void backward_task_simd(const AttentionBackward& p, const BackwardTask& task, int64_t segments,
                        float* grad_q) {
  HWY_DYNAMIC_DISPATCH(backward_task)(p, task, segments, grad_q);
}
void add_segments_simd(const AttentionBackward& p, int64_t head, int64_t first, int64_t last,
                       int64_t segments, const float* grad_q) {
  HWY_DYNAMIC_DISPATCH(add_segments)(p, head, first, last, segments, grad_q);
}
}  // namespace bigdna::kernels
#endif
