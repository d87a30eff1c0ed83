// Cross-entropy, row by row: a row of logits stays in the processor's caches while it is read twice.
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cross_entropy_simd.cpp"
#include "hwy/foreach_target.h"
//
#include <cmath>
#include <cstring>

#include "kernels/cpu/rows-inl.h"
#include "kernels/cpu/rows_simd.h"

HWY_BEFORE_NAMESPACE();
namespace bigdna::kernels::HWY_NAMESPACE {
namespace {

/// `count` logits with their biases; kMasked past the end.
template <class Type>
HWY_INLINE Float biased(const typename Type::Element* logits, const float* bias, int64_t count) {
  const Float sum = hn::Add(load<Type>(logits, count), load<Fp32>(bias, count));
  if (HWY_LIKELY(count == kLanes)) return sum;
  return hn::IfThenElse(hn::FirstN(Floats(), static_cast<size_t>(count)), sum, hn::Set(Floats(), kMasked));
}

template <class Type>
void cross_entropy_of(const CrossEntropy& p, int64_t first, int64_t last) {
  using Element = typename Type::Element;
  const Floats d;
  const int64_t columns = p.shape.columns;
  const Float to_bits = hn::Set(d, static_cast<float>(kLog2E));
  float* row_values = thread_scratch(static_cast<size_t>(padded(columns)));
  for (int64_t row = first; row < last; ++row) {
    const auto* logits = static_cast<const Element*>(p.logits) + row * columns;
    Float most = hn::Set(d, kMasked);
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float value = biased<Type>(logits + column, p.bias + column, count);
      hn::StoreU(value, d, row_values + column);  // scratch is padded to whole vectors
      most = hn::Max(most, value);
    });
    const float largest = hn::GetLane(hn::MaxOfLanes(d, most)), own = row_values[p.labels[row]];
    const Float start = hn::Set(d, static_cast<float>(-kLog2E * double{largest}));
    Float sums = hn::Zero(d);
    for (int64_t column = 0; column < columns; column += kLanes)
      sums = hn::Add(sums, exp2<Fp32Words>(hn::MulAdd(hn::LoadU(d, row_values + column), to_bits, start)));
    const double sum = hn::GetLane(hn::SumOfLanes(d, sums));
    p.nats[row] = static_cast<float>(std::log(sum) + double{largest} - double{own});
    if (p.log2_sums) p.log2_sums[row] = static_cast<float>(std::log2(sum) + kLog2E * double{largest});
    bool right = own == largest;
    for (int64_t column = 0; right && column < p.labels[row]; ++column) right = row_values[column] != largest;
    p.right[row] = right;
  }
}

template <class Type>
void cross_entropy_backward_of(const CrossEntropy& p, const float* grad_nats, int64_t first, int64_t last,
                               float* sums) {
  using Element = typename Type::Element;
  const Floats d;
  const int64_t columns = p.shape.columns;
  const Float to_bits = hn::Set(d, static_cast<float>(kLog2E));
  std::memset(sums, 0, static_cast<size_t>(columns) * sizeof(float));
  for (int64_t row = first; row < last; ++row) {
    auto* logits = static_cast<Element*>(p.logits) + row * columns;
    const int64_t label = p.labels[row], label_start = label / kLanes * kLanes;
    const Float start = hn::Set(d, -p.log2_sums[row]), factor = hn::Set(d, grad_nats[row]);
    for_columns(columns, [&](int64_t column, int64_t count) HWY_ATTR {
      const Float value = biased<Type>(logits + column, p.bias + column, count);
      Float grad = hn::Mul(exp2<Fp32Words>(hn::MulAdd(value, to_bits, start)), factor);
      if (column == label_start) {
        const auto here = hn::Eq(hn::Iota(d, 0), hn::Set(d, static_cast<float>(label - label_start)));
        grad = hn::Sub(grad, hn::IfThenElseZero(here, factor));
      }
      store<Type>(grad, logits + column, count);
      store<Fp32>(hn::Add(grad, load<Fp32>(sums + column, count)), sums + column, count);
    });
  }
}

}  // namespace

void cross_entropy_task(const CrossEntropy& p, int64_t first, int64_t last) {
  if (p.shape.precision == Precision::fp32) return cross_entropy_of<Fp32>(p, first, last);
  cross_entropy_of<Bf16>(p, first, last);
}
void cross_entropy_backward_task(const CrossEntropy& p, const float* grad_nats, int64_t first, int64_t last,
                                 float* sums) {
  if (p.shape.precision == Precision::fp32) return cross_entropy_backward_of<Fp32>(p, grad_nats, first, last, sums);
  cross_entropy_backward_of<Bf16>(p, grad_nats, first, last, sums);
}

}  // namespace bigdna::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bigdna::kernels {
HWY_EXPORT(cross_entropy_task);
HWY_EXPORT(cross_entropy_backward_task);

void cross_entropy_simd(const CrossEntropy& p, int64_t first, int64_t last) {
  HWY_DYNAMIC_DISPATCH(cross_entropy_task)(p, first, last);
}
void cross_entropy_backward_simd(const CrossEntropy& p, const float* grad_nats, int64_t first, int64_t last,
                                 float* sums) {
  HWY_DYNAMIC_DISPATCH(cross_entropy_backward_task)(p, grad_nats, first, last, sums);
}
}  // namespace bigdna::kernels
#endif
