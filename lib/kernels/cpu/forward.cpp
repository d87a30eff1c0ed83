// Attention forward, one task at a time. Scores are computed transposed, S^T [keys, queries]: only the query
// block has to be transposed, and the softmax runs down the columns, without a reduction inside a vector.
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/forward.cpp"
#include "hwy/foreach_target.h"
//
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/cpu/micro-inl.h"
#include "kernels/cpu/simd.h"
#include "kernels/dropout.h"

HWY_BEFORE_NAMESPACE();
namespace bigdna::kernels::HWY_NAMESPACE {
namespace {

constexpr float kNone = -std::numeric_limits<float>::infinity();
constexpr int64_t kChunkKeys = 256;  // keys of one softmax step
constexpr int kMaxPanels = kChunkKeys;

/// One head's tensors and this thread's working memory.
struct Work {
  const AttentionForward& p;
  int64_t head, length, size, width, block, columns;  // head_size, padded; block, padded
  HeadView q, k, v, out;
  float *queries, *scores, *sums, *maxima, *normalisers, *correction, *packed;
  bool values_in_place;  // v can be read where it lies: rows of whole vectors, packed (others share few cache
                         // sets)

  Work(const AttentionForward& p_, int64_t head_)
      : p(p_),
        head(head_),
        length(p_.lengths[head_ / p_.heads]),
        size(p_.head_size),
        width(padded(size)),
        block(p_.block),
        columns(padded(block)),
        q(head_view(p_.q, p_, head_)),
        k(head_view(p_.k, p_, head_)),
        v(head_view(p_.v, p_, head_)),
        out(head_view(p_.out, p_, head_)) {
    const int64_t chunk = chunk_keys();
    values_in_place = p.precision == Precision::fp32 && size == width && p.v.row_stride == width;
    float* memory = thread_scratch((size + chunk + 3) * columns + (block + 2 * chunk) * width);
    auto take = [&memory](int64_t floats) HWY_ATTR { return std::exchange(memory, memory + floats); };
    queries = take(size * columns);
    scores = take(chunk * columns);
    maxima = take(columns);
    normalisers = take(columns);
    correction = take(columns);
    sums = take(block * width);
    packed = take(2 * chunk * width);
  }
  int64_t chunk_keys() const { return std::max(kChunkKeys / block, int64_t{1}) * block; }
  int64_t real(int64_t which) const { return std::clamp<int64_t>(length - which * block, 0, block); }
};

/// Drops weights of S^T [keys from first_key on, queries from first_query on].
HWY_INLINE void drop(const Work& w, int64_t first_query, int64_t first_key, int64_t keys, float* scores) {
  const Floats d;
  const Words u;
  const Word threshold = hn::Set(u, dropout_threshold(w.p.dropout));
  for (int64_t column = 0; column < w.columns; column += kLanes) {
    const Word query = hn::Iota(u, static_cast<uint32_t>(first_query + column));
    for (int64_t group = first_key / 8; group * 8 < first_key + keys; ++group) {
      Word words[4] = {hn::Set(u, static_cast<uint32_t>(group)), query,
                       hn::Set(u, static_cast<uint32_t>(w.head)), hn::Zero(u)};
      philox(words, w.p.dropout_seed);
      for (int64_t i = 0; i < 8; ++i) {
        const int64_t row = group * 8 + i - first_key;
        if (row < 0 || row >= keys) continue;
        const Word bits =
            i % 2 ? hn::ShiftRight<16>(words[i / 2]) : hn::And(words[i / 2], hn::Set(u, 0xFFFF));
        float* score = scores + row * w.columns + column;
        const auto keep = hn::RebindMask(d, hn::Not(hn::Lt(bits, threshold)));
        hn::StoreU(hn::IfThenElseZero(keep, hn::LoadU(d, score)), d, score);
      }
    }
  }
}

/// V vectors of queries, U keys at a time, so that enough sums are in flight.
template <int V, int U>
HWY_INLINE void softmax_columns(const Work& w, int64_t column, int64_t keys) {
  const Floats d;
  const int64_t stride = w.columns;
  float* scores = w.scores + column;
  Float old[V], high[U][V], sum[U][V];
  for (int v = 0; v < V; ++v) {
    old[v] = hn::LoadU(d, w.maxima + column + v * kLanes);
    for (int u = 0; u < U; ++u) high[u][v] = old[v], sum[u][v] = hn::Zero(d);
  }
  int64_t key = 0;
  for (; key + U <= keys; key += U)
    for (int u = 0; u < U; ++u)
      for (int v = 0; v < V; ++v)
        high[u][v] = hn::Max(high[u][v], hn::LoadU(d, scores + (key + u) * stride + v * kLanes));
  for (; key < keys; ++key)
    for (int v = 0; v < V; ++v)
      high[0][v] = hn::Max(high[0][v], hn::LoadU(d, scores + key * stride + v * kLanes));
  for (int v = 0; v < V; ++v)
    for (int u = 1; u < U; ++u) high[0][v] = hn::Max(high[0][v], high[u][v]);
  auto weigh = [&](int64_t at, int u) HWY_ATTR {
    for (int v = 0; v < V; ++v) {
      float* score = scores + at * stride + v * kLanes;
      const Float weight = exp2(hn::Sub(hn::LoadU(d, score), high[0][v]));
      hn::StoreU(weight, d, score);
      sum[u][v] = hn::Add(sum[u][v], weight);
    }
  };
  for (key = 0; key + U <= keys; key += U)
    for (int u = 0; u < U; ++u) weigh(key + u, u);
  for (; key < keys; ++key) weigh(key, 0);
  for (int v = 0; v < V; ++v) {
    for (int u = 1; u < U; ++u) sum[0][v] = hn::Add(sum[0][v], sum[u][v]);
    const int64_t at = column + v * kLanes;
    const Float shrink = exp2(hn::Sub(old[v], high[0][v]));
    hn::StoreU(high[0][v], d, w.maxima + at);
    hn::StoreU(shrink, d, w.correction + at);
    hn::StoreU(hn::MulAdd(hn::LoadU(d, w.normalisers + at), shrink, sum[0][v]), d, w.normalisers + at);
  }
}

/// The new maximum of every query, its weights 2^(score - maximum) in place of the scores, and their sum.
HWY_INLINE void softmax_step(const Work& w, int64_t keys) {
  int64_t column = 0;
  for (; column + 4 * kLanes <= w.columns; column += 4 * kLanes) softmax_columns<4, 1>(w, column, keys);
  for (; column + 2 * kLanes <= w.columns; column += 2 * kLanes) softmax_columns<2, 2>(w, column, keys);
  for (; column < w.columns; column += kLanes) softmax_columns<1, 4>(w, column, keys);
}

HWY_INLINE void scale_rows(const Work& w, float* sums, const float* factors, int64_t rows) {
  const Floats d;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t column = 0; column < w.width; column += kLanes) {
      float* x = sums + r * w.width + column;
      hn::StoreU(hn::Mul(hn::Set(d, factors[r]), hn::LoadU(d, x)), d, x);
    }
}

/// sums, maxima and normalisers of query block `row` over key blocks columns[first, last).
void attend(Work& w, int64_t row, int64_t first, int64_t last) {
  const AttentionForward& p = w.p;
  const int32_t* key_blocks = p.layouts[w.head].columns;
  const int64_t rows = w.real(row);
  std::fill(w.maxima, w.maxima + w.columns, kNone);
  std::fill(w.normalisers, w.normalisers + w.columns, 0.0f);
  pack_transposed(w.q, row * w.block, rows, w.size, p.scale * kLog2E, w.queries, w.columns);
  const Panel queries{w.queries, w.columns, w.size};
  const int64_t panel_keys = std::max<int64_t>(w.block, 64);  // of v, to stay in the first-level cache
  bool add = false;
  for (int64_t next = first; next < last;) {
    Panel values[kMaxPanels];
    int64_t first_keys[kMaxPanels];
    int panels = 0;
    int64_t keys = 0;
    for (; next < last && keys + w.block <= w.chunk_keys(); ++next) {
      const int64_t start = key_blocks[next] * w.block, real = w.real(key_blocks[next]);
      if (real == 0) continue;
      if (next + 1 < last) {  // rows far apart: the processor does not see the next ones coming
        prefetch(w.k, key_blocks[next + 1] * w.block, w.real(key_blocks[next + 1]), w.size);
        prefetch(w.v, key_blocks[next + 1] * w.block, w.real(key_blocks[next + 1]), w.size);
      }
      const float* key_rows = w.k.row(start);
      int64_t key_stride = w.k.stride;
      if (p.precision != Precision::fp32) {
        float* to = w.packed + (w.chunk_keys() + keys) * w.width;
        pack_rows(w.k, start, real, w.size, to);
        key_rows = to;
        key_stride = w.width;
      }
      product<false>(&queries, 1, w.columns, key_rows, key_stride, w.scores + keys * w.columns, w.columns,
                     real, false);
      first_keys[panels] = start;
      if (w.values_in_place) {
        values[panels++] = {w.v.row(start), w.v.stride, real};
      } else {
        float* to = w.packed + keys * w.width;
        pack_rows(w.v, start, real, w.size, to);
        values[panels++] = {to, w.width, real};
      }
      keys += real;
    }
    if (keys == 0) continue;
    softmax_step(w, keys);
    if (add) scale_rows(w, w.sums, w.correction, rows);
    if (p.dropout > 0) {
      float* scores = w.scores;
      for (int i = 0; i < panels; scores += values[i++].count * w.columns)
        drop(w, row * w.block, first_keys[i], values[i].count, scores);
    }
    const float* weights = w.scores;
    for (int begin = 0; begin < panels;) {
      int end = begin;
      int64_t gathered = 0;
      while (end < panels && gathered + values[end].count <= panel_keys) gathered += values[end++].count;
      product<true>(values + begin, end - begin, w.width, weights, w.columns, w.sums, w.width, rows, add);
      weights += gathered * w.columns;
      begin = end;
      add = true;
    }
  }
  if (!add) std::fill(w.sums, w.sums + w.block * w.width, 0.0f);
}

void finish(const Work& w, int64_t row, const float* sums, const float* maxima, const float* normalisers) {
  const int64_t first = row * w.block, rows = w.real(row), end = std::min(first + w.block, w.p.n);
  const float keep = w.p.dropout > 0 ? dropout_scale(dropout_threshold(w.p.dropout)) : 1.0f;
  for (int64_t r = 0; r < rows; ++r)
    store_row(w.out, first + r, w.size, sums + r * w.width,
              normalisers[r] > 0 ? keep / normalisers[r] : 0.0f);
  zero_rows(w.out, first + rows, end, w.size);
  if (float* lse = w.p.log_sum_exp) {
    lse += w.head * w.p.n;
    for (int64_t r = 0; r < rows; ++r)
      lse[first + r] = normalisers[r] > 0 ? (maxima[r] + std::log2(normalisers[r])) * kLn2 : kNone;
    std::fill(lse + first + rows, lse + end, 0.0f);
  }
}

}  // namespace

void forward_task(const AttentionForward& p, const ForwardTask& task, float* partials) {
  Work w(p, task.head);
  const LayoutView& layout = p.layouts[task.head];
  if (task.partial >= 0) {
    attend(w, task.row, task.first, task.last);
    float* slot = partials + task.partial * partial_floats(p);
    std::copy_n(w.sums, w.block * w.width, slot);
    std::copy_n(w.maxima, w.columns, slot + w.block * w.width);
    std::copy_n(w.normalisers, w.columns, slot + w.block * w.width + w.columns);
    return;
  }
  for (int64_t row = task.row; row < task.row_end; ++row) {
    if (row < layout.blocks && w.real(row) > 0)
      attend(w, row, layout.row_starts[row], layout.row_starts[row + 1]);
    finish(w, row, w.sums, w.maxima, w.normalisers);
  }
}

void merge_cut_row(const AttentionForward& p, const CutRow& cut, float* partials) {
  Work w(p, cut.head);
  const int64_t rows = w.real(cut.row), sums = w.block * w.width;
  float* total = partials + cut.first * partial_floats(p);
  for (int64_t slot = cut.first + 1; slot < cut.last; ++slot) {
    const float* part = partials + slot * partial_floats(p);
    for (int64_t r = 0; r < rows; ++r) {
      float& maximum = total[sums + r];
      const float other = part[sums + r], high = std::max(maximum, other);
      const float a = maximum == kNone ? 0 : std::exp2(maximum - high),
                  b = other == kNone ? 0 : std::exp2(other - high);
      for (int64_t i = r * w.width; i < (r + 1) * w.width; ++i) total[i] = a * total[i] + b * part[i];
      float& normaliser = total[sums + w.columns + r];
      normaliser = a * normaliser + b * part[sums + w.columns + r];
      maximum = high;
    }
  }
  finish(w, cut.row, total, total + sums, total + sums + w.columns);
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bigdna::kernels {
HWY_EXPORT(forward_task);
HWY_EXPORT(merge_cut_row);

void forward_task_simd(const AttentionForward& p, const ForwardTask& task, float* partials) {
  HWY_DYNAMIC_DISPATCH(forward_task)(p, task, partials);
}
void merge_cut_row_simd(const AttentionForward& p, const CutRow& row, float* partials) {
  HWY_DYNAMIC_DISPATCH(merge_cut_row)(p, row, partials);
}
}  // namespace bigdna::kernels
#endif
