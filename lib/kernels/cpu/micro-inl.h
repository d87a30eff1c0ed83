// The building blocks of the attention kernels, per instruction set and type: small matrix products in registers,
// packing, 2^x, random bits. Included once per target by files that use hwy/foreach_target.h.
//
// Data consist of words: a float, or two neighbouring bf16. Products read A by rows, B by rows of words (two rows of
// bf16 interleaved, as the processors' bf16 products need them), and write C in fp32, so that packing and algorithms
// are the same for both types.
#if defined(BIGDNA_KERNELS_MICRO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIGDNA_KERNELS_MICRO_INL_H_
#undef BIGDNA_KERNELS_MICRO_INL_H_
#else
#define BIGDNA_KERNELS_MICRO_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/cpu/amx.h"
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
using Halves = hn::Rebind<uint16_t, Floats>;  // bf16, as bits
using Half = hn::Vec<Halves>;

constexpr float kMasked = -1e30f;  // a score that has no weight; finite, so that differences are numbers

#if HWY_TARGET == HWY_AVX3  // what includes this has to do the same before it uses NativeBf16Words
// GCC emits AVX512-BF16 only where its intrinsics are called, and those calls are behind has_bf16_products().
#pragma GCC push_options
#pragma GCC target("avx512bf16")
#endif

// ---- types
// ---------------------------------------------------------------------------------------------------

struct Fp32Words {
  using Data = float;
  static constexpr int64_t kPair = 1;  // elements of a word
};
struct Bf16Words {  // its products are made of fp32's
  using Data = uint16_t;
  static constexpr int64_t kPair = 2;
};
template <class Element>
constexpr int64_t words_of(int64_t elements) {
  return (elements + Element::kPair - 1) / Element::kPair;
}

/// Nearest even.
template <class Element>
HWY_INLINE Half to_bf16(Float x) {
  const Words u;
  const Word bits = hn::BitCast(u, x);
  const Word odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 1));
  Word rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(u, 0x7FFF)), odd));
  rounded = hn::IfThenElse(hn::RebindMask(u, hn::IsNaN(x)), hn::Set(u, 0x7FC0), rounded);
  return hn::DemoteTo(Halves(), hn::BitCast(Ints(), rounded));
}
HWY_INLINE Float from_bf16(Half x) { return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(Words(), x))); }
/// Words of two rows of bf16.
HWY_INLINE Float interleaved(Half even, Half odd) {
  const Words u;
  const Word high = hn::ShiftLeft<16>(hn::PromoteTo(u, odd));
  return hn::BitCast(Floats(), hn::Or(hn::PromoteTo(u, even), high));
}

/// sum + a . b, word by word.
template <class Element>
HWY_INLINE Float multiply_add(Float a, Float b, Float sum) {
  if constexpr (Element::kPair == 1) return hn::MulAdd(a, b, sum);
  const Floats d;
  const Words u;
  const Word high = hn::Set(u, 0xFFFF0000);
  const Word x = hn::BitCast(u, a), y = hn::BitCast(u, b);
  sum = hn::MulAdd(hn::BitCast(d, hn::And(x, high)), hn::BitCast(d, hn::And(y, high)), sum);
  return hn::MulAdd(hn::BitCast(d, hn::ShiftLeft<16>(x)), hn::BitCast(d, hn::ShiftLeft<16>(y)), sum);
}

#if HWY_TARGET == HWY_AVX3
struct NativeBf16Words : Bf16Words {};  // AVX512-BF16, and AMX where there is AMX

template <>
HWY_INLINE Half to_bf16<NativeBf16Words>(Float x) {
  return Half{(__m256i)_mm512_cvtneps_pbh(x.raw)};
}
template <>
HWY_INLINE Float multiply_add<NativeBf16Words>(Float a, Float b, Float sum) {
  return Float{_mm512_dpbf16_ps(sum.raw, (__m512bh)a.raw, (__m512bh)b.raw)};
}
#endif

/// run(Element()) for the way this processor computes in that precision.
template <class Run>
HWY_INLINE void with_element(Precision precision, const Run& run) {
  if (precision == Precision::fp32) return run(Fp32Words());
#if HWY_TARGET == HWY_AVX3
  if (has_bf16_products()) return run(NativeBf16Words());
#endif
  run(Bf16Words());
}

// ---- matrix products: C[rows, columns] (+)= A B
// --------------------------------------------------------------

/// R rows x V vectors of C in registers, from row `row` and column `column` of A and B on. The previous value of C is
/// added last: sums of panels stay small, so that sums over thousands of rows have smaller rounding errors.
template <class Element, int R, int V>
HWY_INLINE void tile(const Panel* panels, int count, int64_t row, int64_t column, float* HWY_RESTRICT c, int64_t ldc,
                     bool add) {
  const Floats d;
  Float sum[R][V];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
  for (int p = 0; p < count; ++p) {
    const int64_t lda = panels[p].a_stride, ldb = panels[p].b_stride;
    const float* HWY_RESTRICT a = panels[p].a + row * lda;
    const float* HWY_RESTRICT b = panels[p].b + column;
    for (int64_t word = panels[p].words; word > 0; --word, ++a, b += ldb) {
      Float from[V];
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) from[v] = hn::LoadU(d, b + v * kLanes);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const Float factor = hn::Set(d, a[r * lda]);
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) sum[r][v] = multiply_add<Element>(factor, from[v], sum[r][v]);
      }
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      float* to = c + r * ldc + v * kLanes;
      hn::StoreU(add ? hn::Add(hn::LoadU(d, to), sum[r][v]) : sum[r][v], d, to);
    }
}

template <class Element, int R, int V>
HWY_INLINE void tiles(const Panel* panels, int count, int64_t row, int64_t column, float* c, int64_t ldc, int64_t rows,
                      bool add) {
  for (; row + R <= rows; row += R) tile<Element, R, V>(panels, count, row, column, c + row * ldc + column, ldc, add);
  if constexpr (R > 1)
    if (row < rows) tiles<Element, (R > 4 ? 4 : R / 2), V>(panels, count, row, column, c, ldc, rows, add);
}

/// `columns` is a multiple of kPad: B's and C's rows are padded. V and R fill the registers: 32 of AVX-512,
/// else 16.
template <class Element>
HWY_NOINLINE void product(const Panel* panels, int count, int64_t columns, float* c, int64_t ldc, int64_t rows,
                          bool add) {
  int64_t column = 0;
#if HWY_TARGET == HWY_AVX3
  if constexpr (std::is_same_v<Element, NativeBf16Words>)
    if (has_amx() && fits_tiles(panels, count, columns, rows))
      return amx_product(panels, count, columns, c, ldc, rows, add);
  for (; column + 2 * kLanes <= columns; column += 2 * kLanes)
    tiles<Element, 8, 2>(panels, count, 0, column, c, ldc, rows, add);
  for (; column < columns; column += kLanes) tiles<Element, 8, 1>(panels, count, 0, column, c, ldc, rows, add);
#else
  for (; column < columns; column += 2 * kLanes) tiles<Element, 6, 2>(panels, count, 0, column, c, ldc, rows, add);
#endif
}

// ---- packing
// ---------------------------------------------------------------------------------------------------

/// [n, head_size] of one head, as the caller gave it.
template <class Data>
struct HeadView {
  Data* data;
  int64_t stride;
  Data* row(int64_t i) const { return data + i * stride; }
};
template <class Data, class Pointer>
HeadView<Data> head_view(const Strided<Pointer>& tensor, const AttentionForward& p, int64_t head) {
  return {static_cast<Data*>(tensor.data) + head / p.heads * tensor.batch_stride + head % p.heads * tensor.head_stride,
          tensor.row_stride};
}

/// Rows [first, first + rows) as rows of `stride` words; the rest of each row, and of `all` rows, is 0.
template <class Data>
HWY_INLINE void pack_rows(const HeadView<const Data>& view, int64_t first, int64_t rows, int64_t all, int64_t size,
                          float* to, int64_t stride) {
  const int64_t bytes = size * static_cast<int64_t>(sizeof(Data)), left = stride * 4 - bytes;
  for (int64_t r = 0; r < rows; ++r, to += stride) {
    std::memcpy(to, view.row(first + r), bytes);
    if (left > 0) std::memset(reinterpret_cast<char*>(to) + bytes, 0, left);
  }
  std::memset(to, 0, (all - rows) * stride * 4);
}

/// The same for B: rows of words, made of one row, or of two rows of bf16.
template <class Element>
HWY_INLINE void pack_interleaved(const HeadView<const typename Element::Data>& view, int64_t first, int64_t rows,
                                 int64_t all, int64_t size, float* to, int64_t stride) {
  if constexpr (Element::kPair == 1) return pack_rows(view, first, rows, all, size, to, stride);
  if constexpr (Element::kPair == 2) {
    for (int64_t r = 0; r < rows; r += 2, to += stride) {
      const uint16_t *even = view.row(first + r), *odd = r + 1 < rows ? view.row(first + r + 1) : nullptr;
      int64_t column = 0;
      for (const Halves h; column + kLanes <= size; column += kLanes)
        hn::StoreU(interleaved(hn::LoadU(h, even + column), odd ? hn::LoadU(h, odd + column) : hn::Zero(h)), Floats(),
                   to + column);
      for (; column < size; ++column) {
        const uint32_t word = even[column] | uint32_t{odd ? odd[column] : uint16_t{0}} << 16;
        std::memcpy(to + column, &word, 4);
      }
      if (column < stride) std::memset(to + column, 0, (stride - column) * 4);
    }
    std::memset(to, 0, (words_of<Element>(all) - words_of<Element>(rows)) * stride * 4);
  }
}

/// to[column, row] = from[row, column], word by word.
HWY_INLINE void transpose(const float* HWY_RESTRICT from, int64_t from_stride, int64_t rows, int64_t columns,
                          float* HWY_RESTRICT to, int64_t to_stride) {
  int64_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d4;  // 4 x 4 at a time
  const hn::Repartition<uint64_t, decltype(d4)> d2;
  for (; r + 4 <= rows; r += 4, from += 4 * from_stride) {
    int64_t column = 0;
    for (; column + 4 <= columns; column += 4) {
      const float* at = from + column;
      const auto a = hn::LoadU(d4, at), b = hn::LoadU(d4, at + from_stride), c = hn::LoadU(d4, at + 2 * from_stride),
                 e = hn::LoadU(d4, at + 3 * from_stride);
      const auto ab_low = hn::BitCast(d2, hn::InterleaveLower(d4, a, b)),
                 ce_low = hn::BitCast(d2, hn::InterleaveLower(d4, c, e));
      const auto ab_high = hn::BitCast(d2, hn::InterleaveUpper(d4, a, b)),
                 ce_high = hn::BitCast(d2, hn::InterleaveUpper(d4, c, e));
      float* out = to + column * to_stride + r;
      hn::StoreU(hn::BitCast(d4, hn::InterleaveLower(d2, ab_low, ce_low)), d4, out);
      hn::StoreU(hn::BitCast(d4, hn::InterleaveUpper(d2, ab_low, ce_low)), d4, out + to_stride);
      hn::StoreU(hn::BitCast(d4, hn::InterleaveLower(d2, ab_high, ce_high)), d4, out + 2 * to_stride);
      hn::StoreU(hn::BitCast(d4, hn::InterleaveUpper(d2, ab_high, ce_high)), d4, out + 3 * to_stride);
    }
    for (; column < columns; ++column)
      for (int64_t i = 0; i < 4; ++i) to[column * to_stride + r + i] = from[i * from_stride + column];
  }
#endif
  for (; r < rows; ++r, from += from_stride)
    for (int64_t column = 0; column < columns; ++column) to[column * to_stride + r] = from[column];
}

/// Writes factor * from[d] as a row of a head.
template <class Element>
HWY_INLINE void store_row(typename Element::Data* to, int64_t size, const float* HWY_RESTRICT from, float factor) {
  const Floats d;
  const Float scale = hn::Set(d, factor);
  for (int64_t column = 0; column < size; column += kLanes) {
    const Float value = hn::Mul(scale, hn::LoadU(d, from + column));
    HWY_ALIGN typename Element::Data part[kLanes];
    auto* out = column + kLanes <= size ? to + column : part;
    if constexpr (Element::kPair == 1)
      hn::StoreU(value, d, out);
    else
      hn::StoreU(to_bf16<Element>(value), Halves(), out);
    if (out == part) std::copy_n(part, size - column, to + column);
  }
}

template <class Data>
HWY_INLINE void zero_rows(const HeadView<Data>& view, int64_t first, int64_t last, int64_t size) {
  for (int64_t row = first; row < last; ++row) std::memset(view.row(row), 0, size * sizeof(Data));
}

/// Columns past the real keys get no weight.
HWY_INLINE void mask_columns(float* scores, int64_t stride, int64_t rows, int64_t real, int64_t columns) {
  if (real < columns)
    for (int64_t r = 0; r < rows; ++r) std::fill(scores + r * stride + real, scores + r * stride + columns, kMasked);
}

/// Of the scores of a block with itself: keys behind the query get no weight.
HWY_INLINE void mask_later(float* scores, int64_t stride, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) std::fill(scores + r * stride + r + 1, scores + r * stride + columns, kMasked);
}

#if HWY_TARGET == HWY_AVX3
#pragma GCC pop_options
#endif

// ---- 2^x and random bits
// ---------------------------------------------------------------------------------------

// a log-sum-exp is converted in double: its error is every weight's of the row
constexpr double kLog2E = 1.4426950408889634;

/// 2^x for x up to about 100; relative error 1e-7, in bf16 3e-6. Far below -126 it is exactly 0, so that a masked score
/// has no weight and no gradient. NaN stays NaN.
template <class Element = Fp32Words>
HWY_INLINE Float exp2(Float x) {
  const Floats d;
#if HWY_TARGET == HWY_AVX3
  const Float whole = hn::Round(x);
#else
  const auto none = hn::Lt(x, hn::Set(d, -126.0f));
  x = hn::Max(hn::Set(d, -126.0f), x);
  const auto power = hn::NearestInt(x);
  const Float whole = hn::ConvertTo(d, power);
#endif
  const Float f = hn::Sub(x, whole);
  Float p;
  if constexpr (Element::kPair == 1) {
    p = hn::MulAdd(f, hn::Set(d, 1.32647271e-3f), hn::Set(d, 9.67151265e-3f));
    p = hn::MulAdd(p, f, hn::Set(d, 5.55073374e-2f));
    p = hn::MulAdd(p, f, hn::Set(d, 2.40222421e-1f));
    p = hn::MulAdd(p, f, hn::Set(d, 6.93146978e-1f));
  } else {
    p = hn::MulAdd(f, hn::Set(d, 9.58285299e-3f), hn::Set(d, 5.59064247e-2f));
    p = hn::MulAdd(p, f, hn::Set(d, 2.40240986e-1f));
    p = hn::MulAdd(p, f, hn::Set(d, 6.93124193e-1f));
  }
  p = hn::MulAdd(p, f, hn::Set(d, 1.0f));
#if HWY_TARGET == HWY_AVX3
  return Float{_mm512_scalef_ps(p.raw, whole.raw)};
#else
  return hn::IfThenZeroElse(none, hn::BitCast(d, hn::Add(hn::BitCast(Ints(), p), hn::ShiftLeft<23>(power))));
#endif
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

/// 16 random bits for each of `rows` queries and the keys of groups [group, group + groups), keys fastest.
HWY_INLINE void draw(const AttentionForward& p, int64_t head, int64_t first_query, int64_t rows, int64_t group,
                     int64_t groups, uint16_t* to) {
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
    Word c[4] = {hn::Load(u, key_group), hn::Load(u, query), hn::Set(u, static_cast<uint32_t>(head)), hn::Zero(u)};
    philox(c, p.dropout_seed);
#if HWY_TARGET == HWY_SCALAR
    for (int w = 0; w < 4; ++w) out[w] = hn::GetLane(c[w]);
#else
    hn::StoreInterleaved4(c[0], c[1], c[2], c[3], u, out);
#endif
    std::memcpy(words + 4 * i, out, sizeof out);
  }
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
