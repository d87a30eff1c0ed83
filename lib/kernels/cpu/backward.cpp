// Attention backward, a range of key blocks at a time (Dao 2023, algorithm 2): the scores are recomputed from
// log_sum_exp, grad_k and grad_v of a key block are completed in one pass over the layout's transpose, and grad_q is
// summed in the task's own buffer. Five matrix products per pair of blocks; grad_k and grad_v come out transposed, so
// that bf16 has to be transposed only when a head is packed.
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
#if HWY_TARGET == HWY_AVX3
#pragma GCC target("avx512bf16")
#endif
namespace bigdna::kernels::HWY_NAMESPACE {
namespace {

constexpr int64_t kPanelQueries = 64;  // query rows processed together, from several blocks if these are small
constexpr int kMaxPanels = kPanelQueries;

float number(float x) { return x; }
float number(uint16_t x) {
  const uint32_t bits = uint32_t{x} << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
HWY_INLINE Float load(const float* from) { return hn::LoadU(Floats(), from); }
HWY_INLINE Float load(const uint16_t* from) { return from_bf16(hn::LoadU(Halves(), from)); }

template <class Data>
float dot(const Data* a, const Data* b, int64_t size) {
  const Floats d;
  Float sums = hn::Zero(d);
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) sums = hn::MulAdd(load(a + i), load(b + i), sums);
  float sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < size; ++i) sum += number(a[i]) * number(b[i]);
  return sum;
}

/// One head's tensors and this thread's working memory.
template <class Element>
struct Work {
  using Data = typename Element::Data;
  const AttentionForward& p;
  const PackedShape shape;
  const QueryPack packed;
  int64_t head, length, size, block, panel;
  float *keys_t, *values_t, *keys;      // of this key block
  float *sum_k, *sum_v;                 // its gradients [size, columns]
  float *scores, *deltas, *delta_rows;  // of these query rows; deltas: gradient of the scores
  float* rows;                          // [columns, width]
  float* sum_q;                         // [n, width]
  uint16_t* random;

  Work(const AttentionBackward& b, const BackwardTask& task, int64_t segments, float* memory, float* buffer)
      : p(b.forward),
        shape(p),
        packed(p, memory),
        head(task.head),
        length(p.lengths[head / p.heads]),
        size(p.head_size),
        block(p.block),
        panel(std::max(kPanelQueries / block, int64_t{1}) * block) {
    const int64_t groups = (block + 14) / 8;  // of eight keys, touched by one block
    const int64_t random_floats = padded(panel * groups * 4) + 4 * kPad;
    const int64_t columns = shape.columns;
    memory =
        thread_scratch(2 * (shape.row_words + size) * columns + shape.key_words * shape.width + 3 * panel * columns +
                       columns * shape.width + random_floats + (buffer ? 0 : p.n * shape.width));
    auto take = [&memory](int64_t floats) HWY_ATTR { return std::exchange(memory, memory + floats); };
    keys_t = take(shape.row_words * columns);
    values_t = take(shape.row_words * columns);
    keys = take(shape.key_words * shape.width);
    sum_k = take(size * columns);
    sum_v = take(size * columns);
    scores = take(panel * columns);
    deltas = take(panel * columns);
    delta_rows = Element::kPair == 1 ? deltas : take(panel * columns);
    rows = take(columns * shape.width);
    random = reinterpret_cast<uint16_t*>(take(random_floats));
    sum_q = buffer ? buffer + (head * segments + task.segment) * p.n * shape.width : memory;
    std::fill(sum_q, sum_q + length * shape.width, 0.0f);
  }
  int64_t real(int64_t which) const { return std::clamp<int64_t>(length - which * block, 0, block); }
};

/// One row: S -> the weights dV takes (after dropout), dP -> dS / scale, a vector at a time.
template <class Element, bool kDropout>
struct Row {
  const float *scores, *deltas;
  const uint16_t* random;
  Float factor, log_sum, dots, keep_scale;
  Word threshold;

  HWY_INLINE Row(const Work<Element>& w, int64_t query, const float* scores_, const float* deltas_,
                 const uint16_t* random_)
      : scores(scores_),
        deltas(deltas_),
        random(random_),
        factor(hn::Set(Floats(), static_cast<float>(w.p.scale * kLog2E))),
        log_sum(hn::Set(Floats(), w.packed.log_sums[query])),
        dots(hn::Set(Floats(), w.packed.dots[query])),
        keep_scale(hn::Set(Floats(), kDropout ? dropout_scale(dropout_threshold(w.p.dropout)) : 1)),
        threshold(hn::Set(Words(), kDropout ? dropout_threshold(w.p.dropout) : 0)) {}
  HWY_INLINE void weigh(int64_t column, Float& kept, Float& slope) const {
    const Floats d;
    const Float weight = exp2<Element>(hn::MulSub(hn::LoadU(d, scores + column), factor, log_sum));
    Float delta = hn::LoadU(d, deltas + column);
    kept = weight;
    if constexpr (kDropout) {
      const Word bits = hn::PromoteTo(Words(), hn::LoadU(Halves(), random + column));
      const auto keep = hn::RebindMask(d, hn::Not(hn::Lt(bits, threshold)));
      kept = hn::IfThenElseZero(keep, hn::Mul(weight, keep_scale));
      delta = hn::IfThenElseZero(keep, hn::Mul(delta, keep_scale));
    }
    slope = hn::Mul(weight, hn::Sub(delta, dots));
  }
};

/// `rows` rows of scores and deltas, in place: rows of words for B (of bf16, two rows become one).
/// delta_rows: the deltas as rows for A.
template <class Element, bool kDropout>
HWY_INLINE void weigh(const Work<Element>& w, int64_t query, int64_t rows, const uint16_t* random,
                      int64_t random_stride, float* scores, float* deltas, float* delta_rows) {
  const Floats d;
  const int64_t columns = w.shape.columns;
  for (int64_t r = 0; r < rows; r += Element::kPair) {
    const bool last = r + 1 == rows;  // of an odd number: its partner is 0
    const float *from = scores + r * columns, *slopes = deltas + r * columns;
    const uint16_t* bits = random + r * random_stride;
    const Row<Element, kDropout> even(w, query + r, from, slopes, bits),
        odd(w, last ? query + r : query + r + 1, last ? from : from + columns, last ? slopes : slopes + columns,
            last ? bits : bits + random_stride);
    float *to = scores + r / Element::kPair * columns, *to_slopes = deltas + r / Element::kPair * columns;
    auto* slope_rows = reinterpret_cast<uint16_t*>(delta_rows + r * w.shape.key_words);
    for (int64_t column = 0; column < columns; column += kLanes) {
      Float kept, slope, odd_kept, odd_slope;
      even.weigh(column, kept, slope);
      if constexpr (Element::kPair == 1) {
        hn::StoreU(kept, d, to + column);
        hn::StoreU(slope, d, to_slopes + column);
      } else {
        const Halves h;
        odd.weigh(column, odd_kept, odd_slope);
        const Half half_slope = to_bf16<Element>(slope);
        const Half odd_half_slope = last ? hn::Zero(h) : to_bf16<Element>(odd_slope);
        const Half odd_half_kept = last ? hn::Zero(h) : to_bf16<Element>(odd_kept);
        hn::StoreU(interleaved(to_bf16<Element>(kept), odd_half_kept), d, to + column);
        hn::StoreU(interleaved(half_slope, odd_half_slope), d, to_slopes + column);
        hn::StoreU(half_slope, h, slope_rows + column);
        if (!last) hn::StoreU(odd_half_slope, h, slope_rows + columns + column);
      }
    }
  }
}

/// One query block's weights and gradients of the scores, and this key block's share of its grad_q.
template <class Element>
void query_block(Work<Element>& w, int64_t which, int64_t first_key, int64_t keys, float* scores, float* deltas,
                 float* delta_rows) {
  const PackedShape& shape = w.shape;
  const int64_t query = which * w.block, rows = w.real(which);
  const Panel score{w.packed.queries + query * shape.row_words, shape.row_words, w.keys_t, shape.columns,
                    shape.row_words};
  const Panel delta{w.packed.out_gradients + query * shape.row_words, shape.row_words, w.values_t, shape.columns,
                    shape.row_words};
  product<Element>(&score, 1, shape.columns, scores, shape.columns, rows, false);
  product<Element>(&delta, 1, shape.columns, deltas, shape.columns, rows, false);
  mask_columns(scores, shape.columns, rows, keys, shape.columns);
  if (w.p.causal && query == first_key && which >= w.p.layouts[w.head].prefix)
    mask_later(scores, shape.columns, rows, shape.columns);
  if (w.p.dropout > 0) {
    const int64_t group = first_key / 8, groups = (first_key + keys - 1) / 8 + 1 - group;
    draw(w.p, w.head, query, rows, group, groups, w.random);
    weigh<Element, true>(w, query, rows, w.random + first_key % 8, groups * 8, scores, deltas, delta_rows);
  } else {
    weigh<Element, false>(w, query, rows, w.random, 0, scores, deltas, delta_rows);
  }
  const Panel share{delta_rows, shape.key_words, w.keys, shape.width, words_of<Element>(keys)};
  product<Element>(&share, 1, shape.width, w.sum_q + query * shape.width, shape.width, rows, true);
}

/// grad_k and grad_v of a key block, and its share of sum_q.
template <class Element>
void key_block(Work<Element>& w, const AttentionBackward& b, int64_t which) {
  using Data = typename Element::Data;
  const AttentionForward& p = w.p;
  const PackedShape& shape = w.shape;
  const LayoutView& layout = p.layouts[w.head];
  const auto grad_k = head_view<Data>(b.grad_k, p, w.head), grad_v = head_view<Data>(b.grad_v, p, w.head);
  const int64_t first = which * w.block, end = std::min(first + w.block, p.n), columns = shape.columns;
  const int64_t keys = which < layout.blocks ? w.real(which) : 0;
  if (keys > 0) {
    const auto k = head_view<const Data>(p.k, p, w.head), v = head_view<const Data>(p.v, p, w.head);
    pack_rows(k, first, keys, columns, w.size, w.rows, shape.row_words);
    transpose(w.rows, shape.row_words, columns, shape.row_words, w.keys_t, columns);
    pack_rows(v, first, keys, columns, w.size, w.rows, shape.row_words);
    transpose(w.rows, shape.row_words, columns, shape.row_words, w.values_t, columns);
    pack_interleaved<Element>(k, first, keys, columns, w.size, w.keys, shape.width);
    std::fill(w.sum_k, w.sum_k + w.size * columns, 0.0f);
    std::fill(w.sum_v, w.sum_v + w.size * columns, 0.0f);
    for (int64_t next = layout.column_starts[which]; next < layout.column_starts[which + 1];) {
      Panel for_v[kMaxPanels], for_k[kMaxPanels];
      int panels = 0;
      for (; next < layout.column_starts[which + 1] && (panels + 1) * w.block <= w.panel; ++next) {
        const int64_t query = layout.rows[next], words = words_of<Element>(w.real(query));
        if (words == 0) continue;
        const int64_t place = panels * w.block * columns;
        float *scores = w.scores + place, *deltas = w.deltas + place;
        query_block(w, query, first, keys, scores, deltas, w.delta_rows + place);
        const int64_t transposed = query * w.size * shape.key_words;
        for_v[panels] = {w.packed.out_gradients_t + transposed, shape.key_words, scores, columns, words};
        for_k[panels] = {w.packed.queries_t + transposed, shape.key_words, deltas, columns, words};
        ++panels;
      }
      product<Element>(for_v, panels, columns, w.sum_v, columns, w.size, true);
      product<Element>(for_k, panels, columns, w.sum_k, columns, w.size, true);
    }
    auto store = [&](const HeadView<Data>& to, const float* sums, float factor) HWY_ATTR {
      transpose(sums, columns, w.size, columns, w.rows, shape.width);
      for (int64_t r = 0; r < keys; ++r)
        store_row<Element>(to.row(first + r), w.size, w.rows + r * shape.width, factor);
    };
    store(grad_k, w.sum_k, p.scale);
    store(grad_v, w.sum_v, 1);
  }
  zero_rows(grad_k, first + keys, end, w.size);
  zero_rows(grad_v, first + keys, end, w.size);
}

template <class Element>
void run_task(const AttentionBackward& b, const BackwardTask& task, int64_t segments, float* packed, float* grad_q) {
  Work<Element> w(b, task, segments, packed, grad_q);
  for (int64_t which = task.first; which < task.last; ++which) key_block(w, b, which);
  if (grad_q) return;
  const auto to = head_view<typename Element::Data>(b.grad_q, w.p, w.head);
  for (int64_t row = 0; row < w.length; ++row)
    store_row<Element>(to.row(row), w.size, w.sum_q + row * w.shape.width, w.p.scale);
  zero_rows(to, w.length, w.p.n, w.size);
}

template <class Element>
void pack(const AttentionBackward& b, int64_t head, int64_t first, int64_t last, float* memory) {
  using Data = const typename Element::Data;
  const AttentionForward& p = b.forward;
  const PackedShape shape(p);
  const QueryPack packed(p, memory);
  const auto q = head_view<Data>(p.q, p, head), grad_out = head_view<Data>(b.grad_out, p, head);
  const HeadView<Data> out = head_view<Data>(p.out, p, head);
  const float* lse = p.log_sum_exp + head * p.n;
  float* rows = thread_scratch(shape.key_words * shape.width);
  for (int64_t which = first; which < last; ++which) {
    const int64_t start = which * p.block;
    const int64_t real = std::clamp<int64_t>(p.lengths[head / p.heads] - start, 0, p.block);
    if (real == 0) return;
    auto both_ways = [&](const HeadView<Data>& from, float* to, float* transposed) HWY_ATTR {
      pack_rows(from, start, real, real, p.head_size, to + start * shape.row_words, shape.row_words);
      pack_interleaved<Element>(from, start, real, shape.columns, p.head_size, rows, shape.width);
      transpose(rows, shape.width, shape.key_words, p.head_size, transposed + which * p.head_size * shape.key_words,
                shape.key_words);
    };
    both_ways(q, packed.queries, packed.queries_t);
    both_ways(grad_out, packed.out_gradients, packed.out_gradients_t);
    for (int64_t row = start; row < start + real; ++row) {
      packed.log_sums[row] = static_cast<float>(lse[row] * kLog2E);
      packed.dots[row] = dot(out.row(row), grad_out.row(row), p.head_size);
    }
  }
}

}  // namespace

void pack_queries(const AttentionBackward& b, int64_t head, int64_t first, int64_t last, float* packed) {
  with_element(b.forward.precision, [&](auto element) { pack<decltype(element)>(b, head, first, last, packed); });
}
void backward_task(const AttentionBackward& b, const BackwardTask& task, int64_t segments, float* packed,
                   float* grad_q) {
  const AmxScope scope;
  with_element(b.forward.precision,
               [&](auto element) { run_task<decltype(element)>(b, task, segments, packed, grad_q); });
}

void add_segments(const AttentionBackward& b, int64_t head, int64_t first, int64_t last, int64_t segments,
                  const float* grad_q) {
  const Floats d;
  const AttentionForward& p = b.forward;
  const int64_t width = padded(p.head_size), real = std::clamp(p.lengths[head / p.heads], first, last);
  float* total = thread_scratch(width);
  for (int64_t row = first; row < real; ++row) {
    for (int64_t column = 0; column < width; column += kLanes) {
      Float sum = hn::Zero(d);
      for (int64_t segment = 0; segment < segments; ++segment)
        sum = hn::Add(sum, hn::LoadU(d, grad_q + ((head * segments + segment) * p.n + row) * width + column));
      hn::StoreU(sum, d, total + column);
    }
    with_element(p.precision, [&](auto element) {
      using Element = decltype(element);
      store_row<Element>(head_view<typename Element::Data>(b.grad_q, p, head).row(row), p.head_size, total, p.scale);
    });
  }
  with_element(p.precision, [&](auto element) {
    zero_rows(head_view<typename decltype(element)::Data>(b.grad_q, p, head), real, last, p.head_size);
  });
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bigdna::kernels {
HWY_EXPORT(pack_queries);
HWY_EXPORT(backward_task);
HWY_EXPORT(add_segments);

void pack_queries_simd(const AttentionBackward& b, int64_t head, int64_t first, int64_t last, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack_queries)(b, head, first, last, packed);
}
void backward_task_simd(const AttentionBackward& b, const BackwardTask& task, int64_t segments, float* packed,
                        float* grad_q) {
  HWY_DYNAMIC_DISPATCH(backward_task)(b, task, segments, packed, grad_q);
}
void add_segments_simd(const AttentionBackward& p, int64_t head, int64_t first, int64_t last, int64_t segments,
                       const float* grad_q) {
  HWY_DYNAMIC_DISPATCH(add_segments)(p, head, first, last, segments, grad_q);
}
}  // namespace bigdna::kernels
#endif
