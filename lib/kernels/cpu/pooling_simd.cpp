// Maxima over groups of rows, and LayerNorm followed by GELU.
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/pooling_simd.cpp"
#include "hwy/foreach_target.h"
//
#include <cmath>
#include <cstring>

#include "kernels/cpu/pooling_simd.h"
#include "kernels/cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bigdna::kernels::HWY_NAMESPACE {
namespace {

template <class Type>
void max_pool_of(const Rows& shape, int64_t width, const void* x, void* out, uint8_t* winner, int64_t first,
                 int64_t last) {
  using Element = typename Type::Element;
  const int64_t columns = shape.columns;
  const Words words;
  const hn::Rebind<uint8_t, Floats> bytes;
  for (int64_t row = first; row < last; ++row) {
    const auto* from = static_cast<const Element*>(x) + row * width * columns;
    auto* to = static_cast<Element*>(out) + row * columns;
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      Float best = load<Type>(from + column, count);
      Word place = hn::Zero(words);
      for (int64_t k = 1; k < width; ++k) {
        const Float value = load<Type>(from + k * columns + column, count);
        const auto larger = hn::Or(hn::Gt(value, best), hn::IsNaN(value));  // NaN is handed on
        best = hn::IfThenElse(larger, value, best);
        place = hn::IfThenElse(hn::RebindMask(words, larger), hn::Set(words, static_cast<uint32_t>(k)), place);
      }
      store<Type>(best, to + column, count);
      if (!winner) return;
      uint8_t places[kLanes];
      hn::StoreU(hn::TruncateTo(bytes, place), bytes, places);
      std::memcpy(winner + row * columns + column, places, static_cast<size_t>(count));
    });
  }
}

template <class Type>
void max_pool_backward_of(const Rows& shape, int64_t width, const uint8_t* winner, const void* grad_out, void* grad_x,
                          int64_t first, int64_t last) {
  using Element = typename Type::Element;
  const int64_t columns = shape.columns;
  const Words words;
  const hn::Rebind<uint8_t, Floats> bytes;
  for (int64_t row = first; row < last; ++row) {
    const auto* from = static_cast<const Element*>(grad_out) + row * columns;
    auto* to = static_cast<Element*>(grad_x) + row * width * columns;
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float grad = load<Type>(from + column, count);
      uint8_t places[kLanes] = {};
      std::memcpy(places, winner + row * columns + column, static_cast<size_t>(count));
      const Word place = hn::PromoteTo(words, hn::LoadU(bytes, places));
      for (int64_t k = 0; k < width; ++k) {
        const auto here = hn::RebindMask(Floats(), hn::Eq(place, hn::Set(words, static_cast<uint32_t>(k))));
        store<Type>(hn::IfThenElseZero(here, grad), to + k * columns + column, count);
      }
    });
  }
}

template <class Type>
void norm_gelu_of(const NormGelu& p, int64_t first, int64_t last) {
  using Element = typename Type::Element;
  const Floats d;
  const int64_t columns = p.shape.columns;
  const float share = 1 / static_cast<float>(columns);
  for (int64_t row = first; row < last; ++row) {
    const auto* x = static_cast<const Element*>(p.x) + row * columns;
    Float mean = hn::Zero(d);
    float scale = 1;
    if (p.normalise) {
      Float total = hn::Zero(d), squares = hn::Zero(d);
      for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {  // 0 past the end
        total = hn::Add(total, load<Type>(x + column, count));
      });
      mean = hn::Mul(hn::SumOfLanes(d, total), hn::Set(d, share));
      for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
        Float off = hn::Sub(load<Type>(x + column, count), mean);
        if (count < kLanes) off = hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(count)), off);
        squares = hn::MulAdd(off, off, squares);
      });
      scale = 1 / std::sqrt(hn::GetLane(hn::SumOfLanes(d, squares)) * share + p.epsilon);
    }
    if (p.mean) p.mean[row] = hn::GetLane(mean), p.scale[row] = scale;
    auto* out = static_cast<Element*>(p.out) + row * columns;
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float normed = hn::Mul(hn::Sub(load<Type>(x + column, count), mean), hn::Set(d, scale));
      const Float y = hn::MulAdd(normed, load<Fp32>(p.weight + column, count), load<Fp32>(p.shift + column, count));
      store<Type>(hn::Mul(y, gate(y, hn::Mul(y, y))), out + column, count);
    });
  }
}

/// gelu'(y)
HWY_INLINE Float gelu_slope(Float y) {
  const Floats d;
  constexpr float kSlope = 2 * 0.7978845608f;
  const Float square = hn::Mul(y, y), s = gate(y, square);
  const Float slope = hn::MulAdd(square, hn::Set(d, kSlope * 3 * 0.044715f), hn::Set(d, kSlope));
  return hn::MulAdd(hn::Mul(y, slope), hn::NegMulAdd(s, s, s), s);
}

/// `sums`: [2, columns] of weight and shift.
template <class Type>
void norm_gelu_backward_of(const NormGelu& p, const void* grad_out, void* grad_x, int64_t first, int64_t last,
                           float* sums) {
  using Element = typename Type::Element;
  const Floats d;
  const int64_t columns = p.shape.columns;
  const float share = 1 / static_cast<float>(columns);
  float *of_weight = sums, *of_shift = sums + columns;
  float* inner = thread_scratch(static_cast<size_t>(padded(columns)));  // the gradient of the normed row
  std::memset(sums, 0, static_cast<size_t>(2 * columns) * sizeof(float));
  for (int64_t row = first; row < last; ++row) {
    const auto* x = static_cast<const Element*>(p.x) + row * columns;
    const auto* from = static_cast<const Element*>(grad_out) + row * columns;
    auto* to = static_cast<Element*>(grad_x) + row * columns;
    const Float mean = hn::Set(d, p.normalise ? p.mean[row] : 0), scale = hn::Set(d, p.normalise ? p.scale[row] : 1);
    Float total = hn::Zero(d), product = hn::Zero(d);
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float normed = hn::Mul(hn::Sub(load<Type>(x + column, count), mean), scale);
      const Float weight = load<Fp32>(p.weight + column, count);
      const Float y = hn::MulAdd(normed, weight, load<Fp32>(p.shift + column, count));
      const Float grad = hn::Mul(load<Type>(from + column, count), gelu_slope(y));  // 0 past the end
      store<Fp32>(hn::MulAdd(grad, normed, load<Fp32>(of_weight + column, count)), of_weight + column, count);
      store<Fp32>(hn::Add(grad, load<Fp32>(of_shift + column, count)), of_shift + column, count);
      const Float back = hn::Mul(grad, weight);
      if (!p.normalise) {
        store<Type>(back, to + column, count);
        return;
      }
      store<Fp32>(back, inner + column, count);
      total = hn::Add(total, back);
      product = hn::MulAdd(back, normed, product);
    });
    if (!p.normalise) continue;
    const Float mean_inner = hn::Mul(hn::SumOfLanes(d, total), hn::Set(d, share));
    const Float mean_product = hn::Mul(hn::SumOfLanes(d, product), hn::Set(d, share));
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float normed = hn::Mul(hn::Sub(load<Type>(x + column, count), mean), scale);
      const Float rest = hn::Sub(load<Fp32>(inner + column, count), mean_inner);
      store<Type>(hn::Mul(scale, hn::NegMulAdd(normed, mean_product, rest)), to + column, count);
    });
  }
}

}  // namespace

void max_pool_task(const Rows& shape, int64_t width, const void* x, void* out, uint8_t* winner, int64_t first,
                   int64_t last) {
  if (shape.precision == Precision::fp32) return max_pool_of<Fp32>(shape, width, x, out, winner, first, last);
  max_pool_of<Bf16>(shape, width, x, out, winner, first, last);
}
void max_pool_backward_task(const Rows& shape, int64_t width, const uint8_t* winner, const void* grad_out, void* grad_x,
                            int64_t first, int64_t last) {
  if (shape.precision == Precision::fp32)
    return max_pool_backward_of<Fp32>(shape, width, winner, grad_out, grad_x, first, last);
  max_pool_backward_of<Bf16>(shape, width, winner, grad_out, grad_x, first, last);
}
void norm_gelu_task(const NormGelu& p, int64_t first, int64_t last) {
  if (p.shape.precision == Precision::fp32) return norm_gelu_of<Fp32>(p, first, last);
  norm_gelu_of<Bf16>(p, first, last);
}
void norm_gelu_backward_task(const NormGelu& p, const void* grad_out, void* grad_x, int64_t first, int64_t last,
                             float* sums) {
  if (p.shape.precision == Precision::fp32) return norm_gelu_backward_of<Fp32>(p, grad_out, grad_x, first, last, sums);
  norm_gelu_backward_of<Bf16>(p, grad_out, grad_x, first, last, sums);
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bigdna::kernels {
HWY_EXPORT(max_pool_task);
HWY_EXPORT(max_pool_backward_task);
HWY_EXPORT(norm_gelu_task);
HWY_EXPORT(norm_gelu_backward_task);

void max_pool_simd(const Rows& shape, int64_t width, const void* x, void* out, uint8_t* winner, int64_t first,
                   int64_t last) {
  HWY_DYNAMIC_DISPATCH(max_pool_task)(shape, width, x, out, winner, first, last);
}
void max_pool_backward_simd(const Rows& shape, int64_t width, const uint8_t* winner, const void* grad_out, void* grad_x,
                            int64_t first, int64_t last) {
  HWY_DYNAMIC_DISPATCH(max_pool_backward_task)(shape, width, winner, grad_out, grad_x, first, last);
}
void norm_gelu_simd(const NormGelu& p, int64_t first, int64_t last) {
  HWY_DYNAMIC_DISPATCH(norm_gelu_task)(p, first, last);
}
void norm_gelu_backward_simd(const NormGelu& p, const void* grad_out, void* grad_x, int64_t first, int64_t last,
                             float* sums) {
  HWY_DYNAMIC_DISPATCH(norm_gelu_backward_task)(p, grad_out, grad_x, first, last, sums);
}
}  // namespace bigdna::kernels
#endif
