// Attention forward, one task at a time: computes, for several key blocks of a row together, the scores, a step of the
// running softmax (Milakov and Gimelshein 2018), and the weighted sum of the values.
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/forward.cpp"
#include "hwy/foreach_target.h"
//
#include <cmath>
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

constexpr int64_t kChunkKeys = 256;  // keys of one softmax step
constexpr int64_t kPanelKeys = 64;   // keys of one product with the values, to stay in the first-level cache
constexpr int kMaxPanels = kChunkKeys;

/// One head's tensors and this thread's working memory.
template <class Element>
struct Work {
  using Data = typename Element::Data;
  const AttentionForward& p;
  const PackedShape shape;
  int64_t head, length, size, block, stride;  // stride: of a row of scores
  float *queries, *scores, *sums, *maxima, *normalisers;
  uint16_t *random, *drawn;  // of the scores, of a block

  Work(const AttentionForward& p_, int64_t head_)
      : p(p_),
        shape(p_),
        head(head_),
        length(p_.lengths[head_ / p_.heads]),
        size(p_.head_size),
        block(p_.block),
        stride(chunk_blocks() * shape.columns + kPad) {  // (not a power of two: rows would share cache sets)
    const int64_t groups = (block + 14) / 8;             // of eight keys, touched by one block
    const int64_t drawn_floats = p.dropout > 0 ? padded(block * groups * 4) + 4 * kPad : 0;
    float* memory = thread_scratch(padded(block * shape.row_words) + block * stride + block * shape.width +
                                   2 * padded(block) + drawn_floats + (p.dropout > 0 ? block * stride : 0));
    auto take = [&memory](int64_t floats) HWY_ATTR { return std::exchange(memory, memory + floats); };
    queries = take(padded(block * shape.row_words));
    scores = take(block * stride);
    sums = take(block * shape.width);
    maxima = take(padded(block));
    normalisers = take(padded(block));
    drawn = reinterpret_cast<uint16_t*>(take(drawn_floats));
    random = reinterpret_cast<uint16_t*>(memory);
  }
  int64_t chunk_blocks() const { return std::max(kChunkKeys / shape.columns, int64_t{1}); }
  int64_t real(int64_t which) const { return std::clamp<int64_t>(length - which * block, 0, block); }
};

/// The random bits of a key block, beside its scores from column `column` on.
template <class Element>
void draw_beside(const Work<Element>& w, int64_t first_query, int64_t rows, int64_t first_key, int64_t keys,
                 int64_t column) {
  const int64_t group = first_key / 8, groups = (first_key + keys - 1) / 8 + 1 - group;
  draw(w.p, w.head, first_query, rows, group, groups, w.drawn);
  for (int64_t r = 0; r < rows; ++r)
    std::copy_n(w.drawn + r * groups * 8 + first_key % 8, keys, w.random + r * w.stride + column);
}

/// Scores of `keys` columns -> weights 2^(factor * score - maximum), in Element's words, in their place; the
/// new maximum and sum of each row, and what is summed already in terms of that maximum.
template <class Element, bool kDropout>
HWY_INLINE void softmax_step(const Work<Element>& w, int64_t rows, int64_t keys, bool add) {
  const Floats d;
  const auto factor = static_cast<float>(w.p.scale * kLog2E);
  const Word threshold = hn::Set(Words(), kDropout ? dropout_threshold(w.p.dropout) : 0);
  for (int64_t r = 0; r < rows; ++r) {
    float* scores = w.scores + r * w.stride;
    Float high = hn::LoadU(d, scores), other = high;
    for (int64_t column = 0; column < keys; column += 2 * kLanes) {
      high = hn::Max(high, hn::LoadU(d, scores + column));
      if (column + kLanes < keys) other = hn::Max(other, hn::LoadU(d, scores + column + kLanes));
    }
    const float old = w.maxima[r];
    const float maximum = std::max(old, factor * hn::GetLane(hn::MaxOfLanes(d, hn::Max(high, other))));
    const Float scale = hn::Set(d, factor), top = hn::Set(d, maximum);
    Float sum = hn::Zero(d);
    auto* weights = reinterpret_cast<typename Element::Data*>(scores);
    for (int64_t column = 0; column < keys; column += kLanes) {
      Float weight = exp2<Element>(hn::MulSub(hn::LoadU(d, scores + column), scale, top));
      sum = hn::Add(sum, weight);
      if constexpr (kDropout) {
        const Word bits = hn::PromoteTo(Words(), hn::LoadU(Halves(), w.random + r * w.stride + column));
        weight = hn::IfThenElseZero(hn::RebindMask(d, hn::Not(hn::Lt(bits, threshold))), weight);
      }
      if constexpr (Element::kPair == 1)
        hn::StoreU(weight, d, weights + column);
      else
        hn::StoreU(to_bf16<Element>(weight), Halves(), weights + column);
    }
    float total = hn::GetLane(hn::SumOfLanes(d, sum));
    if (add) {
      const Float shrink = exp2<Element>(hn::Set(d, old - maximum));
      total += w.normalisers[r] * hn::GetLane(shrink);
      float* sums = w.sums + r * w.shape.width;
      if (old < maximum)
        for (int64_t column = 0; column < w.shape.width; column += kLanes)
          hn::StoreU(hn::Mul(shrink, hn::LoadU(d, sums + column)), d, sums + column);
    }
    w.maxima[r] = maximum;
    w.normalisers[r] = total;
  }
}

/// sums, maxima and normalisers of query block `row` over key blocks columns[first, last).
template <class Element>
void attend(Work<Element>& w, int64_t row, int64_t first, int64_t last, const float* packed) {
  const AttentionForward& p = w.p;
  const PackedShape& shape = w.shape;
  const int32_t* key_blocks = p.layouts[w.head].columns;
  const int64_t rows = w.real(row);
  std::fill(w.maxima, w.maxima + rows, kMasked);
  std::fill(w.normalisers, w.normalisers + rows, 0.0f);
  pack_rows(head_view<const typename Element::Data>(p.q, p, w.head), row * w.block, rows, rows, w.size, w.queries,
            shape.row_words);
  bool add = false;
  for (int64_t next = first; next < last;) {
    Panel values[kMaxPanels];
    int panels = 0;
    int64_t used = 0;  // columns of the scores
    for (; next < last && panels < w.chunk_blocks(); ++next) {
      const int64_t which = key_blocks[next], real = w.real(which);
      if (real == 0) continue;
      const float* keys = packed + which * shape.forward_block();
      const Panel panel{w.queries, shape.row_words, keys, shape.columns, shape.row_words};
      product<Element>(&panel, 1, shape.columns, w.scores + used, w.stride, rows, false);
      mask_columns(w.scores + used, w.stride, rows, real, shape.columns);
      if (p.causal && which == row && row >= p.layouts[w.head].prefix)
        mask_later(w.scores + used, w.stride, rows, shape.columns);
      if (p.dropout > 0) draw_beside(w, row * w.block, rows, which * w.block, real, used);
      values[panels++] = {w.scores + used / Element::kPair, w.stride, keys + shape.row_words * shape.columns,
                          shape.width, shape.key_words};
      used += shape.columns;
    }
    if (panels == 0) continue;
    if (p.dropout > 0)
      softmax_step<Element, true>(w, rows, used, add);
    else
      softmax_step<Element, false>(w, rows, used, add);
    const int step = static_cast<int>(std::max<int64_t>(1, kPanelKeys / shape.columns));
    for (int i = 0; i < panels; i += step, add = true)
      product<Element>(values + i, std::min(step, panels - i), shape.width, w.sums, shape.width, rows, add);
  }
  if (!add) std::fill(w.sums, w.sums + w.block * shape.width, 0.0f);
}

template <class Element>
void finish(const Work<Element>& w, int64_t row, const float* sums, const float* maxima, const float* normalisers) {
  const auto out = head_view<typename Element::Data>(w.p.out, w.p, w.head);
  const int64_t first = row * w.block, rows = w.real(row), end = std::min(first + w.block, w.p.n);
  const float keep = w.p.dropout > 0 ? dropout_scale(dropout_threshold(w.p.dropout)) : 1.0f;
  for (int64_t r = 0; r < rows; ++r)
    store_row<Element>(out.row(first + r), w.size, sums + r * w.shape.width,
                       normalisers[r] > 0 ? keep / normalisers[r] : 0.0f);
  zero_rows(out, first + rows, end, w.size);
  if (float* lse = w.p.log_sum_exp) {
    lse += w.head * w.p.n;
    for (int64_t r = 0; r < rows; ++r)
      lse[first + r] =
          normalisers[r] > 0 ? static_cast<float>((maxima[r] + std::log2(double{normalisers[r]})) / kLog2E) : kMasked;
    std::fill(lse + first + rows, lse + end, 0.0f);
  }
}

template <class Element>
void run_task(const AttentionForward& p, const ForwardTask& task, const float* packed, float* partials) {
  Work<Element> w(p, task.head);
  const LayoutView& layout = p.layouts[task.head];
  if (task.partial >= 0) {
    attend(w, task.row, task.first, task.last, packed);
    float* slot = partials + task.partial * partial_floats(p);
    std::copy_n(w.sums, w.block * w.shape.width, slot);
    std::copy_n(w.maxima, w.block, slot + w.block * w.shape.width);
    std::copy_n(w.normalisers, w.block, slot + w.block * w.shape.width + padded(w.block));
    return;
  }
  for (int64_t row = task.row; row < task.row_end; ++row) {
    if (row < layout.blocks && w.real(row) > 0)
      attend(w, row, layout.row_starts[row], layout.row_starts[row + 1], packed);
    finish(w, row, w.sums, w.maxima, w.normalisers);
  }
}

template <class Element>
void merge(const AttentionForward& p, const CutRow& cut, float* partials) {
  const Work<Element> w(p, cut.head);
  const int64_t rows = w.real(cut.row), width = w.shape.width, sums = w.block * width;
  float* total = partials + cut.first * partial_floats(p);
  for (int64_t slot = cut.first + 1; slot < cut.last; ++slot) {
    const float* part = partials + slot * partial_floats(p);
    for (int64_t r = 0; r < rows; ++r) {
      float& maximum = total[sums + r];
      const float other = part[sums + r], high = std::max(maximum, other);
      const float a = std::exp2(maximum - high), b = std::exp2(other - high);
      for (int64_t i = r * width; i < (r + 1) * width; ++i) total[i] = a * total[i] + b * part[i];
      float& normaliser = total[sums + padded(w.block) + r];
      normaliser = a * normaliser + b * part[sums + padded(w.block) + r];
      maximum = high;
    }
  }
  finish(w, cut.row, total, total + sums, total + sums + padded(w.block));
}

template <class Element>
void pack(const AttentionForward& p, int64_t head, int64_t first, int64_t last, float* packed) {
  using Data = const typename Element::Data;
  const PackedShape shape(p);
  const auto k = head_view<Data>(p.k, p, head), v = head_view<Data>(p.v, p, head);
  float* rows = thread_scratch(shape.columns * shape.row_words);
  for (int64_t which = first; which < last; ++which) {
    const int64_t start = which * p.block;
    const int64_t real = std::clamp<int64_t>(p.lengths[head / p.heads] - start, 0, p.block);
    if (real == 0) return;
    float* to = packed + which * shape.forward_block();
    pack_rows(k, start, real, shape.columns, p.head_size, rows, shape.row_words);
    transpose(rows, shape.row_words, shape.columns, shape.row_words, to, shape.columns);
    pack_interleaved<Element>(v, start, real, shape.columns, p.head_size, to + shape.row_words * shape.columns,
                              shape.width);
  }
}

}  // namespace

void pack_keys(const AttentionForward& p, int64_t head, int64_t first, int64_t last, float* packed) {
  with_element(p.precision, [&](auto element) { pack<decltype(element)>(p, head, first, last, packed); });
}
void forward_task(const AttentionForward& p, const ForwardTask& task, const float* packed, float* partials) {
  const AmxScope scope;
  with_element(p.precision, [&](auto element) { run_task<decltype(element)>(p, task, packed, partials); });
}
void merge_cut_row(const AttentionForward& p, const CutRow& cut, float* partials) {
  with_element(p.precision, [&](auto element) { merge<decltype(element)>(p, cut, partials); });
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bigdna::kernels {
HWY_EXPORT(pack_keys);
HWY_EXPORT(forward_task);
HWY_EXPORT(merge_cut_row);

void pack_keys_simd(const AttentionForward& p, int64_t head, int64_t first, int64_t last, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack_keys)(p, head, first, last, packed);
}
void forward_task_simd(const AttentionForward& p, const ForwardTask& task, const float* packed, float* partials) {
  HWY_DYNAMIC_DISPATCH(forward_task)(p, task, packed, partials);
}
void merge_cut_row_simd(const AttentionForward& p, const CutRow& row, float* partials) {
  HWY_DYNAMIC_DISPATCH(merge_cut_row)(p, row, partials);
}
}  // namespace bigdna::kernels
#endif
