// What the row kernels share, per instruction set: activations of either type, vector by vector, and GELU. Every row
// consists of whole vectors and a rest, which is loaded into a vector padded with 0. Included once per target by files
// that use hwy/foreach_target.h.
#if defined(BIGDNA_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIGDNA_KERNELS_ROWS_INL_H_
#undef BIGDNA_KERNELS_ROWS_INL_H_
#else
#define BIGDNA_KERNELS_ROWS_INL_H_
#endif

#include "kernels/cpu/micro-inl.h"
#include "kernels/rows.h"

HWY_BEFORE_NAMESPACE();
namespace bigdna::kernels::HWY_NAMESPACE {
/// One type of activations: how `count` (up to kLanes) of them are loaded and stored.
struct Fp32 {
  using Element = float;
  static HWY_INLINE Float load(const float* from) { return hn::LoadU(Floats(), from); }
  static HWY_INLINE void store(Float value, float* to) { hn::StoreU(value, Floats(), to); }
};
struct Bf16 {
  using Element = uint16_t;
  using Halves = hn::Rebind<uint16_t, Floats>;
  static HWY_INLINE Float load(const uint16_t* from) {
    return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(Words(), hn::LoadU(Halves(), from))));
  }
  static HWY_INLINE void store(Float value, uint16_t* to) {  // rounds to nearest even; NaN stays NaN
    const Words d;
    const Word bits = hn::BitCast(d, value);
    const Word odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
    const Word rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7FFF))));
    const Word result = hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(value)), hn::Set(d, 0x7FC0), rounded);
    hn::StoreU(hn::TruncateTo(Halves(), result), Halves(), to);
  }
};

/// Calls body(column, count) for whole vectors, then for the rest.
template <class Body>
HWY_INLINE void for_columns(int64_t columns, const Body& body) {
  int64_t column = 0;
  for (; column + kLanes <= columns; column += kLanes) body(column, kLanes);
  if (column < columns) body(column, columns - column);
}

template <class Type>
HWY_INLINE Float load(const typename Type::Element* from, int64_t count) {
  if (HWY_LIKELY(count == kLanes)) return Type::load(from);
  typename Type::Element padded[kLanes] = {};
  std::memcpy(padded, from, static_cast<size_t>(count) * sizeof(*from));
  return Type::load(padded);
}
template <class Type>
HWY_INLINE void store(Float value, typename Type::Element* to, int64_t count) {
  if (HWY_LIKELY(count == kLanes)) return Type::store(value, to);
  typename Type::Element padded[kLanes];
  Type::store(value, padded);
  std::memcpy(to, padded, static_cast<size_t>(count) * sizeof(*to));
}

/// 1 / (1 + e^(-2 u)) with u = sqrt(2/pi) (x + 0.044715 x^3): gelu(x) = x times this. `square`: x^2.
HWY_INLINE Float gate(Float x, Float square) {
  const Floats d;
  constexpr auto kScale = static_cast<float>(-2 * 0.7978845608028654 * kLog2E);
  const Float u = hn::Mul(x, hn::MulAdd(square, hn::Set(d, kScale * 0.044715f), hn::Set(d, kScale)));
  return hn::Div(hn::Set(d, 1.0f), hn::Add(hn::Set(d, 1.0f), exp2<Fp32Words>(hn::Min(u, hn::Set(d, 100.0f)))));
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
