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
  explicit FloatBuffer(size_t size) : data_(static_cast<float*>(::operator new[](size * sizeof(float), kAlign))) {}
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

/// Whether the processor has AVX512-BF16 products.
bool has_bf16_products();

/// Blocks as the kernels pack them: in words (micro-inl.h), a float or two neighbouring bf16.
struct PackedShape {
  int64_t blocks;     // of n tokens
  int64_t columns;    // keys (or queries) of a block, padded to kPad words
  int64_t width;      // head_size, padded
  int64_t row_words;  // of head_size elements
  int64_t key_words;  // of `columns` elements

  explicit PackedShape(const AttentionForward& p) : blocks((p.n + p.block - 1) / p.block), width(padded(p.head_size)) {
    const int64_t pair = p.precision == Precision::fp32 ? 1 : 2;
    columns = (p.block + kPad * pair - 1) / (kPad * pair) * (kPad * pair);
    row_words = (p.head_size + pair - 1) / pair;
    key_words = columns / pair;
  }
  /// The forward's, of a head: of each block the keys [row_words, columns] and values [key_words, width].
  int64_t forward_floats() const { return blocks * forward_block(); }
  int64_t forward_block() const { return row_words * columns + key_words * width; }
};

/// What the backward packs of a head: everything that many key blocks read.
struct QueryPack {
  float *queries, *out_gradients;      // of each block [block, row_words]
  float *queries_t, *out_gradients_t;  // of each block [head_size, key_words]
  float *log_sums, *dots;              // [n]: log_sum_exp in base 2; grad_out . out

  QueryPack(const AttentionForward& p, float* memory) {
    const PackedShape s(p);
    auto take = [&memory](int64_t floats) { return memory += floats, memory - floats; };
    queries = take(s.blocks * p.block * s.row_words);
    out_gradients = take(s.blocks * p.block * s.row_words);
    queries_t = take(s.blocks * p.head_size * s.key_words);
    out_gradients_t = take(s.blocks * p.head_size * s.key_words);
    log_sums = take(padded(p.n));
    dots = take(padded(p.n));
  }
  static int64_t floats(const AttentionForward& p) {
    const PackedShape s(p);
    return padded(2 * s.blocks * (p.block * s.row_words + p.head_size * s.key_words)) + 2 * padded(p.n);
  }
};

/// Query blocks [row, row_end) of one head or, if partial >= 0, only the keys columns[first, last) of one row, whose
/// unfinished result goes to that slot.
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
/// Rows much longer than the head's average (the global ones) are cut, so that threads do not wait for them at the end.
/// A function of the layouts alone.
ForwardPlan plan_forward(const AttentionForward& parameters);
/// A slot: sums [block, padded head_size], maxima [padded block], normalisers [padded block].
inline int64_t partial_floats(const AttentionForward& p) { return p.block * padded(p.head_size) + 2 * padded(p.block); }

/// Key blocks [first, last) of one head, whose share of grad_q goes to `segment`.
struct BackwardTask {
  int64_t head = 0, first = 0, last = 0, segment = 0;
};
/// Every head is cut into the same number of segments, each with its own grad_q, and these are added in order. This
/// gives enough tasks even for few heads, without atomic additions. A function of the shape and the layouts alone.
struct BackwardPlan {
  std::vector<BackwardTask> tasks;
  int64_t segments = 1;
};
BackwardPlan plan_backward(const AttentionForward& parameters);

}  // namespace bigdna::kernels
