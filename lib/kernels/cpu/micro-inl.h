// What the attention kernels are made of, per instruction set: small matrix products in registers, packing,
// 2^x, Philox. Included once per target by files that use hwy/foreach_target.h.
#if defined(BIGDNA_KERNELS_MICRO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIGDNA_KERNELS_MICRO_INL_H_
#undef BIGDNA_KERNELS_MICRO_INL_H_
#else
#define BIGDNA_KERNELS_MICRO_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/cpu/plan.h"

HWY_BEFORE_NAMESPACE();
namespace bigdna::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Ints = hn::RebindToSigned<Floats>;
using Float = hn::Vec<Floats>;
using Word = hn::Vec<Words>;
constexpr int64_t kLanes = HWY_LANES(float);

// ---- matrix products: C[rows, columns] (+)= A B
// --------------------------------------------------------------

/// `count` consecutive rows of B. A's columns run through the panels in order.
struct Panel {
  const float* rows;
  int64_t stride;
  int64_t count;
};

/// R rows x V vectors of C in registers. A[r, k] is a[r * lda + k], or, transposed, a[k * lda + r].
template <int R, int V, bool kTransposed>
HWY_INLINE void tile(const Panel* panels, int count, int64_t column, const float* HWY_RESTRICT a, int64_t lda,
                     float* HWY_RESTRICT c, int64_t ldc, bool add) {
  const Floats d;
  Float sum[R][V];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) sum[r][v] = add ? hn::LoadU(d, c + r * ldc + v * kLanes) : hn::Zero(d);
  for (int p = 0; p < count; ++p) {
    const float* HWY_RESTRICT b = panels[p].rows + column;
    const int64_t stride = panels[p].stride;
    for (int64_t k = panels[p].count; k > 0; --k) {
      Float row[V];
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) row[v] = hn::LoadU(d, b + v * kLanes);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const Float factor = hn::Set(d, kTransposed ? a[r] : a[r * lda]);
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(factor, row[v], sum[r][v]);
      }
      b += stride;
      a += kTransposed ? lda : 1;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) hn::StoreU(sum[r][v], d, c + r * ldc + v * kLanes);
}

template <int R, int V, bool kTransposed>
HWY_INLINE void tiles(const Panel* panels, int count, int64_t column, const float* a, int64_t lda, float* c,
                      int64_t ldc, int64_t rows, bool add) {
  int64_t r = 0;
  for (; r + R <= rows; r += R)
    tile<R, V, kTransposed>(panels, count, column, a + r * (kTransposed ? 1 : lda), lda, c + r * ldc, ldc,
                            add);
  if constexpr (R > 1) {
    if (r < rows)
      tiles<(R > 4 ? 4 : R / 2), V, kTransposed>(panels, count, column, a + r * (kTransposed ? 1 : lda), lda,
                                                 c + r * ldc, ldc, rows - r, add);
  }
}

/// `columns` is a multiple of kPad: B's and C's rows are padded. V and R fill the registers: 32 of AVX-512,
/// else 16.
template <bool kTransposed>
HWY_NOINLINE void product(const Panel* panels, int count, int64_t columns, const float* a, int64_t lda,
                          float* c, int64_t ldc, int64_t rows, bool add) {
  int64_t column = 0;
#if HWY_TARGET == HWY_AVX3
  for (; column + 2 * kLanes <= columns; column += 2 * kLanes)
    tiles<8, 2, kTransposed>(panels, count, column, a, lda, c + column, ldc, rows, add);
  for (; column < columns; column += kLanes)
    tiles<8, 1, kTransposed>(panels, count, column, a, lda, c + column, ldc, rows, add);
#else
  for (; column < columns; column += 2 * kLanes)
    tiles<6, 2, kTransposed>(panels, count, column, a, lda, c + column, ldc, rows, add);
#endif
}

// ---- packing
// ---------------------------------------------------------------------------------------------------

/// [n, head_size] of one head, as the caller gave it.
struct HeadView {
  const void* data;
  int64_t offset, stride;
  Precision precision;
  float at(int64_t row, int64_t column) const {
    const int64_t i = offset + row * stride + column;
    if (precision == Precision::fp32) return static_cast<const float*>(data)[i];
    const uint32_t bits = uint32_t{static_cast<const uint16_t*>(data)[i]} << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  const float* row(int64_t row) const {
    return static_cast<const float*>(data) + offset + row * stride;
  }  // fp32
};

template <class Data>
HeadView head_view(const Strided<Data>& tensor, const AttentionForward& p, int64_t head) {
  return {tensor.data, head / p.heads * tensor.batch_stride + head % p.heads * tensor.head_stride,
          tensor.row_stride, p.precision};
}

HWY_INLINE Float load(const HeadView& view, int64_t row, int64_t column) {
  const Floats d;
  const int64_t i = view.offset + row * view.stride + column;
  if (view.precision == Precision::fp32) return hn::LoadU(d, static_cast<const float*>(view.data) + i);
  const hn::Rebind<uint16_t, Floats> half;
  const auto bits = hn::LoadU(half, static_cast<const uint16_t*>(view.data) + i);
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(Words(), bits)));
}

/// Asks for rows to be brought into the cache.
HWY_INLINE void prefetch(const HeadView& view, int64_t first, int64_t rows, int64_t size) {
  const int64_t bytes = view.precision == Precision::fp32 ? 4 : 2;
  const char* row = static_cast<const char*>(view.data) + (view.offset + first * view.stride) * bytes;
  for (int64_t r = 0; r < rows; ++r, row += view.stride * bytes)
    for (int64_t at = 0; at < size * bytes; at += 64) __builtin_prefetch(row + at, 0, 2);
}

/// to[r, d] = view[first + r, d], columns padded with 0 to padded(size).
HWY_INLINE void pack_rows(const HeadView& view, int64_t first, int64_t rows, int64_t size,
                          float* HWY_RESTRICT to) {
  const int64_t width = padded(size);
  for (int64_t r = 0; r < rows; ++r, to += width) {
    int64_t column = 0;
    for (; column + kLanes <= size; column += kLanes)
      hn::StoreU(load(view, first + r, column), Floats(), to + column);
    for (; column < size; ++column) to[column] = view.at(first + r, column);
    for (; column < width; ++column) to[column] = 0;
  }
}

/// to[d, r] = factor * view[first + r, d], columns padded with 0 to `width`.
HWY_INLINE void pack_transposed(const HeadView& view, int64_t first, int64_t rows, int64_t size, float factor,
                                float* HWY_RESTRICT to, int64_t width) {
  int64_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  if (view.precision == Precision::fp32) {
    const hn::FixedTag<float, 4> d4;  // 4 x 4 at a time
    const hn::Repartition<uint64_t, decltype(d4)> d2;
    const auto scale = hn::Set(d4, factor);
    for (; r + 4 <= rows; r += 4) {
      const float* from = view.row(first + r);
      int64_t column = 0;
      for (; column + 4 <= size; column += 4) {
        const auto a = hn::LoadU(d4, from + column), b = hn::LoadU(d4, from + view.stride + column),
                   c = hn::LoadU(d4, from + 2 * view.stride + column),
                   e = hn::LoadU(d4, from + 3 * view.stride + column);
        const auto ab_low = hn::BitCast(d2, hn::InterleaveLower(d4, a, b)),
                   ce_low = hn::BitCast(d2, hn::InterleaveLower(d4, c, e));
        const auto ab_high = hn::BitCast(d2, hn::InterleaveUpper(d4, a, b)),
                   ce_high = hn::BitCast(d2, hn::InterleaveUpper(d4, c, e));
        float* out = to + column * width + r;
        hn::StoreU(hn::Mul(scale, hn::BitCast(d4, hn::InterleaveLower(d2, ab_low, ce_low))), d4, out);
        hn::StoreU(hn::Mul(scale, hn::BitCast(d4, hn::InterleaveUpper(d2, ab_low, ce_low))), d4, out + width);
        hn::StoreU(hn::Mul(scale, hn::BitCast(d4, hn::InterleaveLower(d2, ab_high, ce_high))), d4,
                   out + 2 * width);
        hn::StoreU(hn::Mul(scale, hn::BitCast(d4, hn::InterleaveUpper(d2, ab_high, ce_high))), d4,
                   out + 3 * width);
      }
      for (; column < size; ++column)
        for (int64_t i = 0; i < 4; ++i) to[column * width + r + i] = factor * view.at(first + r + i, column);
    }
  }
#endif
  for (; r < rows; ++r)
    for (int64_t column = 0; column < size; ++column)
      to[column * width + r] = factor * view.at(first + r, column);
  if (rows < width)
    for (int64_t column = 0; column < size; ++column)
      std::fill(to + column * width + rows, to + (column + 1) * width, 0.0f);
}

/// Writes factor * from[r, d] as rows [first, first + rows) of a head.
HWY_INLINE void store_row(const HeadView& view, int64_t row, int64_t size, const float* HWY_RESTRICT from,
                          float factor) {
  const Floats d;
  const int64_t start = view.offset + row * view.stride;
  int64_t column = 0;
  const Float scale = hn::Set(d, factor);
  if (view.precision == Precision::fp32) {
    float* to = static_cast<float*>(const_cast<void*>(view.data)) + start;
    for (; column + kLanes <= size; column += kLanes)
      hn::StoreU(hn::Mul(scale, hn::LoadU(d, from + column)), d, to + column);
    for (; column < size; ++column) to[column] = factor * from[column];
    return;
  }
  uint16_t* to = static_cast<uint16_t*>(const_cast<void*>(view.data)) + start;
  for (; column < size; ++column) {  // round to nearest even
    const float value = factor * from[column];
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    to[column] = static_cast<uint16_t>(value != value ? 0x7FC0 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
}

HWY_INLINE void zero_rows(const HeadView& view, int64_t first, int64_t last, int64_t size) {
  const int64_t width = view.precision == Precision::fp32 ? 4 : 2;
  for (int64_t row = first; row < last; ++row)
    std::memset(static_cast<char*>(const_cast<void*>(view.data)) + (view.offset + row * view.stride) * width,
                0, size * width);
}

// ---- 2^x and random bits
// ---------------------------------------------------------------------------------------

constexpr float kLog2E = 1.44269504f, kLn2 = 0.693147181f;

/// 2^x for x up to about 100, relative error 1e-7; tiny instead of 0 below -126.
HWY_INLINE Float exp2(Float x) {
  const Floats d;
  x = hn::Max(x, hn::Set(d, -126.0f));
  const auto whole = hn::NearestInt(x);
  const Float f = hn::Sub(x, hn::ConvertTo(d, whole));
  Float p = hn::Set(d, 1.5353362e-4f);
  p = hn::MulAdd(p, f, hn::Set(d, 1.3398874e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 9.6184373e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 5.5503324e-2f));
  p = hn::MulAdd(p, f, hn::Set(d, 2.4022648e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 6.9314720e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0f));
  return hn::BitCast(d, hn::Add(hn::BitCast(Ints(), p), hn::ShiftLeft<23>(whole)));
}

HWY_INLINE void multiply_wide(Word a, uint32_t b, Word& high, Word& low) {
  const Words d;
#if HWY_TARGET == HWY_SCALAR
  const uint64_t product = uint64_t{hn::GetLane(a)} * b;
  high = hn::Set(d, static_cast<uint32_t>(product >> 32));
  low = hn::Set(d, static_cast<uint32_t>(product));
#else
  const hn::Repartition<uint64_t, Words> wide;
  const Word factor = hn::Set(d, b);
  const auto even = hn::MulEven(a, factor);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))), factor);
  high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
  low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
#endif
}

/// Philox4x32-10 on every lane: base/rng.h's philox().
HWY_INLINE void philox(Word c[4], uint64_t seed) {
  const Words d;
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    Word high0, low0, high1, low1;
    multiply_wide(c[0], 0xD2511F53u, high0, low0);
    multiply_wide(c[2], 0xCD9E8D57u, high1, low1);
    c[0] = hn::Xor(hn::Xor(high1, c[1]), hn::Set(d, k0));
    c[1] = low1;
    c[2] = hn::Xor(hn::Xor(high0, c[3]), hn::Set(d, k1));
    c[3] = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
