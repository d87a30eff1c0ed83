/// Images of one row whose channels are last are what oneDNN computes without copies. It computes outputs and the
/// gradients of inputs as fast as products of matrices, but not the gradients of weights in fp32, where an image has
/// one row: without AVX-512 these take five times as long as a product for each tap.
#include "model/convolution.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <vector>

namespace bigdna::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// [batch, positions, channels] as images of one row.
at::Tensor image_of(const at::Tensor& x) { return x.unsqueeze(1).permute({0, 3, 1, 2}); }
at::Tensor rows_of_image(const at::Tensor& image) { return image.permute({0, 2, 3, 1}).squeeze(1); }

int64_t around(const at::Tensor& weight, int64_t dilation) { return weight.size(2) / 2 * dilation; }

at::Tensor convolved(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, int64_t dilation) {
  return rows_of_image(at::conv2d(image_of(x), weight.unsqueeze(2), bias, {1, 1},
                                  at::IntArrayRef({0, around(weight, dilation)}), {1, dilation}));
}

/// grad_out^T x for each tap, over all sequences in one product: zeros between them keep their ends apart.
at::Tensor weight_gradient(const at::Tensor& x, const at::Tensor& grad_out, const at::Tensor& weight,
                           int64_t dilation) {
  const int64_t beyond = around(weight, dilation);
  const at::Tensor inputs = at::constant_pad_nd(x, {0, 0, beyond, beyond}).flatten(0, 1),
                   outputs = at::constant_pad_nd(grad_out, {0, 0, 0, 2 * beyond}).flatten(0, 1);
  const int64_t rows = inputs.size(0) - 2 * beyond;
  std::vector<at::Tensor> taps;
  for (int64_t tap = 0; tap < weight.size(2); ++tap)
    taps.push_back(at::mm(outputs.narrow(0, 0, rows).t(), inputs.narrow(0, tap * dilation, rows)));
  return at::stack(taps, 2);
}

class Convolution : public torch::autograd::Function<Convolution> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, int64_t dilation) {
    context->save_for_backward({x, weight});
    context->saved_data["dilation"] = dilation;
    return convolved(x, weight, bias, dilation);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], grad_out = gradients[0].contiguous();
    const int64_t dilation = context->saved_data["dilation"].toInt();
    at::Tensor grad_x;
    if (context->needs_input_grad(0))
      grad_x = rows_of_image(std::get<0>(at::convolution_backward(
          image_of(grad_out), image_of(x), weight.unsqueeze(2), at::OptionalIntArrayRef(), {1, 1},
          {0, around(weight, dilation)}, {1, dilation}, false, {0, 0}, 1, {true, false, false})));
    return {grad_x, weight_gradient(x, grad_out, weight, dilation), grad_out.sum(at::IntArrayRef({0, 1})),
            at::Tensor()};
  }
};

}  // namespace

at::Tensor convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, int64_t dilation) {
  const bool trained = torch::autograd::compute_requires_grad(weight);
  if (!trained || !x.is_cpu() || x.scalar_type() != at::kFloat) return convolved(x, weight, bias, dilation);
  return Convolution::apply(x.contiguous(), weight, bias, dilation);
}

}  // namespace bigdna::model
