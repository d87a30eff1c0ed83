// Processes rows of activations, a task's share at a time: GELU and LayerNorm.
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rows_simd.cpp"
#include "hwy/foreach_target.h"
//
#include <cmath>
#include <cstring>

#include "kernels/cpu/rows-inl.h"
#include "kernels/cpu/rows_simd.h"
#include "kernels/dropout.h"

HWY_BEFORE_NAMESPACE();
namespace bigdna::kernels::HWY_NAMESPACE {
namespace {

template <class Type>
void bias_gelu_of(const Rows& shape, const void* x, const float* bias, void* out, int64_t first, int64_t last) {
  using Element = typename Type::Element;
  for (int64_t row = first; row < last; ++row) {
    const auto* from = static_cast<const Element*>(x) + row * shape.columns;
    auto* to = static_cast<Element*>(out) + row * shape.columns;
    for_columns(shape.columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float value = hn::Add(load<Type>(from + column, count), load<Fp32>(bias + column, count));
      store<Type>(hn::Mul(value, gate(value, hn::Mul(value, value))), to + column, count);
    });
  }
}

template <class Type>
void bias_gelu_backward_of(const Rows& shape, const void* x, const float* bias, const void* grad_out, void* grad_x,
                           int64_t first, int64_t last, float* sums) {
  using Element = typename Type::Element;
  const Floats d;
  std::memset(sums, 0, static_cast<size_t>(shape.columns) * sizeof(float));
  for (int64_t row = first; row < last; ++row) {
    const int64_t start = row * shape.columns;
    for_columns(shape.columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float value =
          hn::Add(load<Type>(static_cast<const Element*>(x) + start + column, count), load<Fp32>(bias + column, count));
      const Float square = hn::Mul(value, value), s = gate(value, square);
      // gelu' = s + x s (1 - s) 2 sqrt(2/pi) (1 + 3 * 0.044715 x^2)
      constexpr float kSlope = 2 * 0.7978845608f;
      const Float slope = hn::MulAdd(square, hn::Set(d, kSlope * 3 * 0.044715f), hn::Set(d, kSlope));
      const Float derivative = hn::MulAdd(hn::Mul(value, slope), hn::NegMulAdd(s, s, s), s);
      const Float grad = hn::Mul(load<Type>(static_cast<const Element*>(grad_out) + start + column, count), derivative);
      store<Type>(grad, static_cast<Element*>(grad_x) + start + column, count);
      store<Fp32>(hn::Add(load<Fp32>(sums + column, count), grad), sums + column, count);
    });
  }
}

/// Which elements of a row dropout keeps: model::dropout's mask, eight decisions of 16 bits from each Philox
/// block.
class RowMask {
 public:
  /// Words of scratch that draw() writes: decisions of a row, of what precedes it in a block, and of whole
  /// vectors.
  static int64_t words(int64_t columns) { return columns / 2 + 4 + 4 * kLanes + kPad; }
  RowMask(double dropout, uint64_t seed, int64_t columns, float* scratch)
      : seed_(seed),
        columns_(columns),
        threshold_(dropout_threshold(dropout)),
        scale_(dropout_scale(threshold_)),
        words_(reinterpret_cast<uint32_t*>(scratch)) {}
  bool any() const { return threshold_ != 0; }
  HWY_INLINE void draw(int64_t row) {
    const Words d;
    const uint64_t start = static_cast<uint64_t>(row * columns_);
    shift_ = start % 8;
    uint64_t group = start / 8;
    uint32_t* to = words_;
    for (int64_t left = columns_ + static_cast<int64_t>(shift_); left > 0;
         left -= 8 * kLanes, group += kLanes, to += 4 * kLanes) {
      const Word low = hn::Add(hn::Set(d, static_cast<uint32_t>(group)), hn::Iota(d, 0));
      const Word carry = hn::IfThenElseZero(hn::Lt(low, hn::Set(d, static_cast<uint32_t>(group))), hn::Set(d, 1));
      Word c[4] = {low, hn::Add(hn::Set(d, static_cast<uint32_t>(group >> 32)), carry), hn::Zero(d), hn::Set(d, 1)};
      philox(c, seed_);
      hn::StoreInterleaved4(c[0], c[1], c[2], c[3], d, to);
    }
  }
  /// `value`, scaled where it is kept and 0 where it is dropped.
  HWY_INLINE Float apply(Float value, int64_t column) const {
    const Floats d;
    const hn::Rebind<uint16_t, Floats> halves;
    const auto* bits = reinterpret_cast<const uint16_t*>(words_) + shift_ + column;
    const auto draw = hn::BitCast(Ints(), hn::PromoteTo(Words(), hn::LoadU(halves, bits)));
    const auto kept = hn::RebindMask(d, hn::Gt(draw, hn::Set(Ints(), static_cast<int32_t>(threshold_) - 1)));
    return hn::IfThenElseZero(kept, hn::Mul(value, hn::Set(d, scale_)));
  }

 private:
  uint64_t seed_;
  int64_t columns_;
  uint32_t threshold_;
  float scale_;
  uint64_t shift_ = 0;
  uint32_t* words_;
};

template <class Type>
void residual_norm_of(const ResidualNorm& p, int64_t first, int64_t last) {
  using Element = typename Type::Element;
  const Floats d;
  const int64_t columns = p.shape.columns;
  float* sums = thread_scratch(static_cast<size_t>(padded(columns) + RowMask::words(columns)));  // of a row, in fp32
  RowMask mask(p.dropout, p.dropout_seed, columns, sums + padded(columns));
  const float share = 1 / static_cast<float>(columns);
  for (int64_t row = first; row < last; ++row) {
    const int64_t start = row * columns;
    if (mask.any()) mask.draw(row);
    Float total = hn::Zero(d);
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      Float value = load<Type>(static_cast<const Element*>(p.x) + start + column, count);
      if (p.bias) value = hn::Add(value, load<Fp32>(p.bias + column, count));
      if (mask.any()) value = mask.apply(value, column);
      value = hn::Add(value, load<Type>(static_cast<const Element*>(p.residual) + start + column, count));
      if (p.sum) store<Type>(value, static_cast<Element*>(p.sum) + start + column, count);
      store<Fp32>(value, sums + column, count);
      if (count < kLanes) value = load<Fp32>(sums + column, count);
      total = hn::Add(total, value);
    });
    const float mean = hn::GetLane(hn::SumOfLanes(d, total)) * share;
    Float squares = hn::Zero(d);
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      Float off = hn::Sub(load<Fp32>(sums + column, count), hn::Set(d, mean));
      if (count < kLanes) off = hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(count)), off);
      squares = hn::MulAdd(off, off, squares);
    });
    const float scale = 1 / std::sqrt(hn::GetLane(hn::SumOfLanes(d, squares)) * share + p.epsilon);
    if (p.sum) p.mean[row] = mean, p.scale[row] = scale;
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float x = hn::Mul(hn::Sub(load<Fp32>(sums + column, count), hn::Set(d, mean)), hn::Set(d, scale));
      const Float shift = p.shift ? load<Fp32>(p.shift + column, count) : hn::Zero(d);
      const Float out = hn::MulAdd(x, load<Fp32>(p.weight + column, count), shift);
      store<Type>(out, static_cast<Element*>(p.out) + start + column, count);
    });
  }
}

template <class Type>
void residual_norm_backward_of(const ResidualNormBackward& b, int64_t first, int64_t last, float* sums) {
  using Element = typename Type::Element;
  const ResidualNorm& p = b.forward;
  const Floats d;
  const int64_t columns = p.shape.columns;
  RowMask mask(p.dropout, p.dropout_seed, columns, thread_scratch(static_cast<size_t>(RowMask::words(columns))));
  std::memset(sums, 0, static_cast<size_t>(3 * columns) * sizeof(float));
  float *bias = sums, *weight = sums + columns, *shift = sums + 2 * columns;
  const float share = 1 / static_cast<float>(columns);
  for (int64_t row = first; row < last; ++row) {
    const int64_t start = row * columns;
    const auto* sum = static_cast<const Element*>(p.sum) + start;
    const auto* grad_out = static_cast<const Element*>(b.grad_out) + start;
    const Float mean = hn::Set(d, p.mean[row]), scale = hn::Set(d, p.scale[row]);
    Float total = hn::Zero(d), product = hn::Zero(d);  // of the gradient of x, and times x
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float x = hn::Mul(hn::Sub(load<Type>(sum + column, count), mean), scale);
      const Float grad = load<Type>(grad_out + column, count);  // 0 past the end
      store<Fp32>(hn::MulAdd(grad, x, load<Fp32>(weight + column, count)), weight + column, count);
      if (p.shift) store<Fp32>(hn::Add(grad, load<Fp32>(shift + column, count)), shift + column, count);
      const Float inner = hn::Mul(grad, load<Fp32>(p.weight + column, count));
      total = hn::Add(total, inner);
      product = hn::MulAdd(inner, x, product);
    });
    const Float mean_inner = hn::Mul(hn::SumOfLanes(d, total), hn::Set(d, share));
    const Float mean_product = hn::Mul(hn::SumOfLanes(d, product), hn::Set(d, share));
    if (mask.any()) mask.draw(row);
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float x = hn::Mul(hn::Sub(load<Type>(sum + column, count), mean), scale);
      const Float inner = hn::Mul(load<Type>(grad_out + column, count), load<Fp32>(p.weight + column, count));
      Float grad = hn::Mul(scale, hn::NegMulAdd(x, mean_product, hn::Sub(inner, mean_inner)));
      if (b.grad_sum) grad = hn::Add(grad, load<Type>(static_cast<const Element*>(b.grad_sum) + start + column, count));
      store<Type>(grad, static_cast<Element*>(b.grad_residual) + start + column, count);
      if (mask.any()) {
        grad = mask.apply(grad, column);
        store<Type>(grad, static_cast<Element*>(b.grad_x) + start + column, count);
      }
      if (p.bias) store<Fp32>(hn::Add(grad, load<Fp32>(bias + column, count)), bias + column, count);
    });
  }
}

}  // namespace

void bias_gelu_task(const Rows& shape, const void* x, const float* bias, void* out, int64_t first, int64_t last) {
  if (shape.precision == Precision::fp32) return bias_gelu_of<Fp32>(shape, x, bias, out, first, last);
  bias_gelu_of<Bf16>(shape, x, bias, out, first, last);
}
void bias_gelu_backward_task(const Rows& shape, const void* x, const float* bias, const void* grad_out, void* grad_x,
                             int64_t first, int64_t last, float* sums) {
  if (shape.precision == Precision::fp32)
    return bias_gelu_backward_of<Fp32>(shape, x, bias, grad_out, grad_x, first, last, sums);
  bias_gelu_backward_of<Bf16>(shape, x, bias, grad_out, grad_x, first, last, sums);
}
void residual_norm_task(const ResidualNorm& p, int64_t first, int64_t last) {
  if (p.shape.precision == Precision::fp32) return residual_norm_of<Fp32>(p, first, last);
  residual_norm_of<Bf16>(p, first, last);
}
void residual_norm_backward_task(const ResidualNormBackward& b, int64_t first, int64_t last, float* sums) {
  if (b.forward.shape.precision == Precision::fp32) return residual_norm_backward_of<Fp32>(b, first, last, sums);
  residual_norm_backward_of<Bf16>(b, first, last, sums);
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bigdna::kernels {
HWY_EXPORT(bias_gelu_task);
HWY_EXPORT(bias_gelu_backward_task);
HWY_EXPORT(residual_norm_task);
HWY_EXPORT(residual_norm_backward_task);

void bias_gelu_simd(const Rows& shape, const void* x, const float* bias, void* out, int64_t first, int64_t last) {
  HWY_DYNAMIC_DISPATCH(bias_gelu_task)(shape, x, bias, out, first, last);
}
void bias_gelu_backward_simd(const Rows& shape, const void* x, const float* bias, const void* grad_out, void* grad_x,
                             int64_t first, int64_t last, float* sums) {
  HWY_DYNAMIC_DISPATCH(bias_gelu_backward_task)(shape, x, bias, grad_out, grad_x, first, last, sums);
}
void residual_norm_simd(const ResidualNorm& p, int64_t first, int64_t last) {
  HWY_DYNAMIC_DISPATCH(residual_norm_task)(p, first, last);
}
void residual_norm_backward_simd(const ResidualNormBackward& p, int64_t first, int64_t last, float* sums) {
  HWY_DYNAMIC_DISPATCH(residual_norm_backward_task)(p, first, last, sums);
}
}  // namespace bigdna::kernels
#endif
