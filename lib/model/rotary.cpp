#include "model/rotary.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/autograd/custom_function.h>

#include "model/fused_rows.h"
#include "model/row_kernels.h"

namespace bigdna::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Writes x [batch, n, ..., head size], rotated, to `out`. Computes in fp32, or in what is wider.
void turn(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine, const at::Tensor& out) {
  const int64_t half = cosine.size(1);
  std::vector<int64_t> shape(static_cast<size_t>(x.dim()), 1);
  shape[1] = cosine.size(0);
  shape.back() = half;
  const auto type = c10::promoteTypes(x.scalar_type(), at::kFloat);
  const at::Tensor c = cosine.view(shape).to(type), s = sine.view(shape).to(type);
  const at::Tensor first = x.narrow(-1, 0, half).to(type), second = x.narrow(-1, half, half).to(type);
  out.narrow(-1, 0, half).copy_((first * c).addcmul_(second, s, -1));
  out.narrow(-1, half, half).copy_((second * c).addcmul_(first, s));
}

class Rotated : public torch::autograd::Function<Rotated> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& qkv, const at::Tensor& cosine,
                               const at::Tensor& sine) {
    context->save_for_backward({cosine, sine});
    const at::Tensor pairs = qkv.narrow(2, 0, 2), turned = at::empty_like(pairs);
    turn(pairs, cosine, sine, turned);
    return {turned.select(2, 0), turned.select(2, 1), qkv.select(2, 2)};
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor& q = gradients[0];
    const at::Tensor gradient = at::empty({q.size(0), q.size(1), 3, q.size(2), q.size(3)}, q.options());
    const at::Tensor back = -saved[1];  // rotates back
    for (int64_t part : {0, 1}) turn(gradients[static_cast<size_t>(part)], saved[0], back, gradient.select(2, part));
    gradient.select(2, 2).copy_(gradients[2]);
    return {gradient, at::Tensor(), at::Tensor()};
  }
};

kernels::Rotary kernel_of(const at::Tensor& part, const at::Tensor& cosine, const at::Tensor& sine) {
  kernels::Rotary p;
  p.shape = rows_of(part);
  p.head_size = part.size(3), p.n = part.size(1);
  p.shape.rows = part.size(0) * p.n, p.shape.columns = part.size(2) * p.head_size;
  p.cosine = cosine.const_data_ptr<float>(), p.sine = sine.const_data_ptr<float>();
  return p;
}

/// The same in place.
class FusedRotated : public torch::autograd::Function<FusedRotated> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& qkv, const at::Tensor& cosine,
                               const at::Tensor& sine) {
    context->save_for_backward({cosine, sine});
    variable_list parts{qkv.select(2, 0), qkv.select(2, 1), qkv.select(2, 2)};
    kernels::rotate(kernel_of(parts[0], cosine, sine), qkv.data_ptr());
    return parts;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    for (auto& part : gradients) part = part.contiguous();
    const at::Tensor& q = gradients[0];
    at::Tensor gradient = at::empty({q.size(0), q.size(1), 3, q.size(2), q.size(3)}, q.options());
    kernels::rotate_backward(kernel_of(q, saved[0], saved[1]), q.const_data_ptr(), gradients[1].const_data_ptr(),
                             gradients[2].const_data_ptr(), gradient.mutable_data_ptr());
    return {gradient, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

Rotation make_rotation(int64_t first, int64_t n, int64_t head_size, double theta, const at::Device& device) {
  const auto options = at::TensorOptions(at::kFloat).device(device);
  const at::Tensor turns =
      at::pow(theta, at::arange(0, head_size, 2, options) / static_cast<double>(head_size)).reciprocal();
  const at::Tensor angles = at::outer(at::arange(first, first + n, options), turns);
  return {angles.cos(), angles.sin()};
}

std::array<at::Tensor, 3> rotate(const at::Tensor& qkv, const Rotation& rotation) {
  const variable_list parts = cpu_rows_serve(qkv)
                                  ? FusedRotated::apply(qkv.contiguous(), rotation.cosine, rotation.sine)
                                  : Rotated::apply(qkv, rotation.cosine, rotation.sine);
  return {parts[0], parts[1], parts[2]};
}

}  // namespace bigdna::model
