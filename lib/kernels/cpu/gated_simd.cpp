// Gated GELU and rotary positions, row by row.
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gated_simd.cpp"
#include "hwy/foreach_target.h"
//
#include <cstring>

#include "kernels/cpu/rows-inl.h"
#include "kernels/cpu/rows_simd.h"

HWY_BEFORE_NAMESPACE();
namespace bigdna::kernels::HWY_NAMESPACE {
namespace {

/// What gelu(x) is x times, and gelu's derivative.
struct Gate {
  Float factor, derivative;
};

struct TanhForm {
  static HWY_INLINE Gate gate_of(Float x) {
    const Floats d;
    const Float square = hn::Mul(x, x), s = gate(x, square);
    constexpr float kSlope = 2 * 0.7978845608f;
    const Float slope = hn::MulAdd(square, hn::Set(d, kSlope * 3 * 0.044715f), hn::Set(d, kSlope));
    return {s, hn::MulAdd(hn::Mul(x, slope), hn::NegMulAdd(s, s, s), s)};
  }
};

/// The normal distribution function: 1 - P(t) e^(-x^2 / 2) / 2 for x > 0, with t = 1 / (1 + 0.3275911 x / sqrt(2)).
struct ExactForm {
  static HWY_INLINE Gate gate_of(Float x) {
    const Floats d;
    const Float one = hn::Set(d, 1.0f);
    const Float t = hn::Div(one, hn::MulAdd(hn::Abs(x), hn::Set(d, 0.3275911f * 0.70710678f), one));
    const Float square = hn::Min(hn::Mul(x, x), hn::Set(d, 250.0f));
    const Float e = exp2<Fp32Words>(hn::Mul(square, hn::Set(d, static_cast<float>(-0.5 * kLog2E))));
    Float p = hn::MulAdd(t, hn::Set(d, 0.5f * 1.061405429f), hn::Set(d, 0.5f * -1.453152027f));
    p = hn::MulAdd(p, t, hn::Set(d, 0.5f * 1.421413741f));
    p = hn::MulAdd(p, t, hn::Set(d, 0.5f * -0.284496736f));
    p = hn::MulAdd(p, t, hn::Set(d, 0.5f * 0.254829592f));
    const Float tail = hn::Mul(hn::Mul(p, t), e);
    const Float below = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail));
    return {below, hn::MulAdd(hn::Mul(x, hn::Set(d, 0.39894228f)), e, below)};
  }
};

template <class Type, class Form>
void gated_gelu_of(const Rows& shape, const void* x, void* out, int64_t first, int64_t last) {
  using Element = typename Type::Element;
  for (int64_t row = first; row < last; ++row) {
    const auto* a = static_cast<const Element*>(x) + 2 * row * shape.columns;
    const auto* b = a + shape.columns;
    auto* to = static_cast<Element*>(out) + row * shape.columns;
    for_columns(shape.columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float value = load<Type>(a + column, count);
      const Float gelu = hn::Mul(value, Form::gate_of(value).factor);
      store<Type>(hn::Mul(gelu, load<Type>(b + column, count)), to + column, count);
    });
  }
}

template <class Type, class Form>
void gated_gelu_backward_of(const Rows& shape, const void* x, const void* grad_out, void* grad_x, int64_t first,
                            int64_t last) {
  using Element = typename Type::Element;
  for (int64_t row = first; row < last; ++row) {
    const int64_t start = 2 * row * shape.columns;
    const auto* a = static_cast<const Element*>(x) + start;
    const auto* b = a + shape.columns;
    const auto* from = static_cast<const Element*>(grad_out) + row * shape.columns;
    auto* grad_a = static_cast<Element*>(grad_x) + start;
    auto* grad_b = grad_a + shape.columns;
    for_columns(shape.columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float value = load<Type>(a + column, count), other = load<Type>(b + column, count),
                  grad = load<Type>(from + column, count);
      const Gate gate = Form::gate_of(value);
      store<Type>(hn::Mul(hn::Mul(grad, other), gate.derivative), grad_a + column, count);
      store<Type>(hn::Mul(grad, hn::Mul(value, gate.factor)), grad_b + column, count);
    });
  }
}

/// run(Type(), Form())
template <class Run>
HWY_INLINE void with_form(const Rows& shape, bool tanh_form, const Run& run) {
  if (shape.precision == Precision::fp32) return tanh_form ? run(Fp32(), TanhForm()) : run(Fp32(), ExactForm());
  tanh_form ? run(Bf16(), TanhForm()) : run(Bf16(), ExactForm());
}

/// Writes one part of a row, rotated by the angles `cosine` and sign * `sine`, to `to`, which may be `from`.
template <class Type>
HWY_INLINE void turn(const Rotary& p, const typename Type::Element* from, const float* cosine, const float* sine,
                     float sign, typename Type::Element* to) {
  const Floats d;
  const int64_t half = p.head_size / 2;
  for (int64_t head = 0; head < p.shape.columns; head += p.head_size)
    for_columns(half, [&](int64_t f, int64_t count) HWY_ATTR {
      const Float c = load<Fp32>(cosine + f, count), s = hn::Mul(load<Fp32>(sine + f, count), hn::Set(d, sign));
      const Float x = load<Type>(from + head + f, count), y = load<Type>(from + head + half + f, count);
      store<Type>(hn::NegMulAdd(y, s, hn::Mul(x, c)), to + head + f, count);
      store<Type>(hn::MulAdd(x, s, hn::Mul(y, c)), to + head + half + f, count);
    });
}

template <class Type>
void rotate_of(const Rotary& p, void* qkv, int64_t first, int64_t last) {
  const int64_t columns = p.shape.columns, half = p.head_size / 2;
  for (int64_t row = first; row < last; ++row) {
    auto* parts = static_cast<typename Type::Element*>(qkv) + 3 * row * columns;
    const float *cosine = p.cosine + row % p.n * half, *sine = p.sine + row % p.n * half;
    turn<Type>(p, parts, cosine, sine, 1, parts);
    turn<Type>(p, parts + columns, cosine, sine, 1, parts + columns);
  }
}

template <class Type>
void rotate_backward_of(const Rotary& p, const void* grad_q, const void* grad_k, const void* grad_v, void* grad_qkv,
                        int64_t first, int64_t last) {
  using Element = typename Type::Element;
  const int64_t columns = p.shape.columns, half = p.head_size / 2;
  for (int64_t row = first; row < last; ++row) {
    const float *cosine = p.cosine + row % p.n * half, *sine = p.sine + row % p.n * half;
    auto* parts = static_cast<Element*>(grad_qkv) + 3 * row * columns;
    turn<Type>(p, static_cast<const Element*>(grad_q) + row * columns, cosine, sine, -1, parts);
    turn<Type>(p, static_cast<const Element*>(grad_k) + row * columns, cosine, sine, -1, parts + columns);
    std::memcpy(parts + 2 * columns, static_cast<const Element*>(grad_v) + row * columns,
                static_cast<size_t>(columns) * sizeof(Element));
  }
}

}  // namespace

void gated_gelu_task(const Rows& shape, bool tanh_form, const void* x, void* out, int64_t first, int64_t last) {
  with_form(shape, tanh_form, [&](auto type, auto form) HWY_ATTR {
    gated_gelu_of<decltype(type), decltype(form)>(shape, x, out, first, last);
  });
}
void gated_gelu_backward_task(const Rows& shape, bool tanh_form, const void* x, const void* grad_out, void* grad_x,
                              int64_t first, int64_t last) {
  with_form(shape, tanh_form, [&](auto type, auto form) HWY_ATTR {
    gated_gelu_backward_of<decltype(type), decltype(form)>(shape, x, grad_out, grad_x, first, last);
  });
}
void rotate_task(const Rotary& p, void* qkv, int64_t first, int64_t last) {
  if (p.shape.precision == Precision::fp32) return rotate_of<Fp32>(p, qkv, first, last);
  rotate_of<Bf16>(p, qkv, first, last);
}
void rotate_backward_task(const Rotary& p, const void* grad_q, const void* grad_k, const void* grad_v, void* grad_qkv,
                          int64_t first, int64_t last) {
  if (p.shape.precision == Precision::fp32)
    return rotate_backward_of<Fp32>(p, grad_q, grad_k, grad_v, grad_qkv, first, last);
  rotate_backward_of<Bf16>(p, grad_q, grad_k, grad_v, grad_qkv, first, last);
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bigdna::kernels {
HWY_EXPORT(gated_gelu_task);
HWY_EXPORT(gated_gelu_backward_task);
HWY_EXPORT(rotate_task);
HWY_EXPORT(rotate_backward_task);

void gated_gelu_simd(const Rows& shape, bool tanh_form, const void* x, void* out, int64_t first, int64_t last) {
  HWY_DYNAMIC_DISPATCH(gated_gelu_task)(shape, tanh_form, x, out, first, last);
}
void gated_gelu_backward_simd(const Rows& shape, bool tanh_form, const void* x, const void* grad_out, void* grad_x,
                              int64_t first, int64_t last) {
  HWY_DYNAMIC_DISPATCH(gated_gelu_backward_task)(shape, tanh_form, x, grad_out, grad_x, first, last);
}
void rotate_simd(const Rotary& p, void* qkv, int64_t first, int64_t last) {
  HWY_DYNAMIC_DISPATCH(rotate_task)(p, qkv, first, last);
}
void rotate_backward_simd(const Rotary& p, const void* grad_q, const void* grad_k, const void* grad_v, void* grad_qkv,
                          int64_t first, int64_t last) {
  HWY_DYNAMIC_DISPATCH(rotate_backward_task)(p, grad_q, grad_k, grad_v, grad_qkv, first, last);
}
}  // namespace bigdna::kernels
#endif
