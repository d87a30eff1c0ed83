/// Activations are [batch, positions, filters]. A dilated convolution is a product for each tap, of rows that lie where
/// they are: on a CPU a pass has one window, so nothing is copied, neither forward nor backward.
#include "profile_training/heads.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/lgamma.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/threshold_backward.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"

namespace bigdna::profile_training {

using model_folder::ProfileHalf;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

/// A matrix for each sequence of a batch.
at::Tensor for_each_of(const at::Tensor& x, const at::Tensor& matrix) {
  return matrix.unsqueeze(0).expand({x.size(0), matrix.size(0), matrix.size(1)});
}

/// ReLU of a convolution of three taps without padding, and the residual. x: [batch, positions, filters]; weight:
/// [filters, filters, 3].
class Residual : public torch::autograd::Function<Residual> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, int64_t dilation) {
    const int64_t rows = x.size(1) - 2 * dilation;
    const at::Tensor taps = weight.permute({2, 1, 0}).contiguous();
    at::Tensor next = bias.expand({x.size(0), rows, bias.size(0)}).contiguous();
    for (int64_t tap = 0; tap < taps.size(0); ++tap)
      next.baddbmm_(x.narrow(1, tap * dilation, rows), for_each_of(x, taps.select(0, tap)));
    next.relu_();
    context->save_for_backward({x, weight, next});
    context->saved_data["dilation"] = dilation;
    return next + x.narrow(1, dilation, rows);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &next = saved[2], grad = gradients[0].contiguous();
    const at::Tensor taps = saved[1].permute({2, 0, 1}).contiguous();  // [3, outputs, inputs]
    const int64_t dilation = context->saved_data["dilation"].toInt(), rows = grad.size(1), filters = grad.size(2);
    const at::Tensor through = at::threshold_backward(grad, next, 0), flat = through.view({-1, filters});
    at::Tensor grad_x = at::zeros_like(x);
    grad_x.narrow(1, dilation, rows).copy_(grad);
    std::vector<at::Tensor> grad_taps;
    for (int64_t tap = 0; tap < taps.size(0); ++tap) {
      grad_x.narrow(1, tap * dilation, rows).baddbmm_(through, for_each_of(x, taps.select(0, tap)));
      grad_taps.push_back(at::mm(x.narrow(1, tap * dilation, rows).reshape({-1, filters}).t(), flat));
    }
    return {grad_x, at::stack(grad_taps).permute({2, 1, 0}), flat.sum(0), at::Tensor()};
  }
};

/// Sums what each position adds to the base under each tap: taps [batch, output + width - 1, strands x width] to
/// [batch, strands, output], along diagonals.
class Diagonals : public torch::autograd::Function<Diagonals> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& taps, int64_t strands) {
    context->saved_data["sizes"] = taps.sizes();
    context->saved_data["strands"] = strands;
    return diagonals(taps, strands).sum(3);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    at::Tensor taps = at::zeros(context->saved_data["sizes"].toIntVector(), gradients[0].options());
    const at::Tensor view = diagonals(taps, context->saved_data["strands"].toInt());
    view.copy_(gradients[0].unsqueeze(3).expand(view.sizes()));
    return {taps, at::Tensor()};
  }

 private:
  static at::Tensor diagonals(const at::Tensor& taps, int64_t strands) {
    const int64_t columns = taps.size(2), width = columns / strands, output = taps.size(1) - width + 1;
    return taps.as_strided({taps.size(0), strands, output, width},
                           {taps.size(1) * columns, width, columns, columns + 1});
  }
};

at::Tensor first_convolution(const at::Tensor& letters, const at::Tensor& weight, const at::Tensor& bias) {
  constexpr int64_t kFirst = ProfileHalf::kFirstWidth;
  const int64_t batch = letters.size(0), positions = letters.size(1) - (kFirst - 1);
  const at::Tensor windows =
      letters.contiguous().as_strided({batch, positions, 4 * kFirst}, {letters.size(1) * 4, 4, 1});
  const at::Tensor columns = weight.permute({2, 1, 0}).reshape({4 * kFirst, weight.size(0)});
  return at::addmm(bias, windows.reshape({batch * positions, 4 * kFirst}), columns)
      .relu()
      .view({batch, positions, weight.size(0)});
}

at::Tensor middle(const at::Tensor& x, int64_t count) { return x.narrow(1, (x.size(1) - count) / 2, count); }

}  // namespace

ProfileHeads heads_of(const model_folder::ProfileConfig& config, const ProfileHalf& half,
                      const model::Parameters& parameters, const at::Tensor& letters) {
  const auto own = [&](const std::string& name) { return parameters.at(half.name + "." + name); };
  at::Tensor x = first_convolution(letters, own("first.weight"), own("first.bias"));
  for (int64_t i = 0; i < half.layers; ++i) {
    const std::string layer = concat("dilated.", i);
    x = Residual::apply(x, own(layer + ".weight"), own(layer + ".bias"), half.dilation(i));
  }
  const at::Tensor profile = own("profile.weight").permute({1, 0, 2});  // [filters, strands, width]
  const at::Tensor taps = at::matmul(middle(x, config.output + ProfileHalf::kProfileWidth - 1),
                                     profile.reshape({half.filters, config.strands * ProfileHalf::kProfileWidth}));
  const at::Tensor logits =
      Diagonals::apply(taps.contiguous(), config.strands) + own("profile.bias").view({1, config.strands, 1});
  return {logits.flatten(1),
          at::matmul(middle(x, half.averaged).mean(1), own("count.weight").select(0, 0)) + own("count.bias")};
}

ProfileHeads sum_of(const ProfileHeads& model, const ProfileHeads& bias) {
  return {model.logits + bias.logits, at::logaddexp(model.log_counts, bias.log_counts)};
}

at::Tensor profile_loss(const at::Tensor& logits, const at::Tensor& counts) {
  const at::Tensor arrangements = at::lgamma(counts.sum(1) + 1) - at::lgamma(counts + 1).sum(1);
  return -(arrangements + (counts * at::log_softmax(logits, 1)).sum(1));
}

at::Tensor count_loss(const at::Tensor& log_counts, const at::Tensor& counts) {
  return (at::log(counts.sum(1) + 1) - log_counts).square();
}

model::Parameters initialise(const model_folder::ProfileConfig& config, uint64_t seed) {
  return model::initialise(
      parameter_shapes(config),
      [](const std::string&, const std::vector<int64_t>& shape) {
        const auto taps = shape.size() > 2 ? shape[2] : 1;
        return std::sqrt(2. / static_cast<double>((shape[0] + shape[1]) * taps));
      },
      seed);
}

}  // namespace bigdna::profile_training
