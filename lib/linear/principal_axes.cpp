#include "linear/principal_axes.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "base/threads.h"

namespace bigdna::linear {

namespace {
constexpr int64_t kPanel = 256;  // columns that are computed together; fixed, so that results depend on no threads

constexpr int64_t kPartRows = 4096;  // rows of which copies are in memory at a time; fixed likewise

/// use(a part of the rows, the place of its first), for all of them.
template <class Use>
void in_parts(const at::Tensor& values, Use use) {
  for (int64_t start = 0; start < values.size(0); start += kPartRows)
    use(values.narrow(0, start, std::min(kPartRows, values.size(0) - start)), start);
}

/// The mean of of_part(doubles), [rows, columns], over all rows.
template <class OfPart>
at::Tensor mean_of(const at::Tensor& values, OfPart of_part) {
  at::Tensor sum = at::zeros({values.size(1)}, at::kDouble);
  in_parts(values, [&](const at::Tensor& part, int64_t) { sum.add_(of_part(part.to(at::kDouble)).sum(0)); });
  return sum / static_cast<double>(values.size(0));
}

/// values^T values, in double.
at::Tensor gram(const at::Tensor& values, int threads) {
  const int64_t columns = values.size(1);
  at::Tensor product = at::zeros({columns, columns}, at::kDouble);
  in_parts(values, [&](const at::Tensor& part, int64_t) {
    const at::Tensor x = part.to(at::kDouble);
    parallel_for((columns + kPanel - 1) / kPanel, threads, [&](int64_t panel) {
      const c10::NoGradGuard no_grad;
      const int64_t first = panel * kPanel, count = std::min(kPanel, columns - first);
      product.narrow(0, first, count).add_(x.narrow(1, first, count).t().matmul(x));
    });
  });
  return product;
}
}  // namespace

PrincipalAxes::PrincipalAxes(at::Tensor x, Scaling scaling, int threads) {
  const at::Tensor middle = mean_of(x, [](const at::Tensor& part) { return part; }).to(at::kFloat);
  mean = middle.to(at::kDouble);
  x.sub_(middle);
  at::Tensor variances = mean_of(x, [](const at::Tensor& part) { return part.square(); });
  if (scaling == Scaling::together) variances = variances.mean().expand(variances.sizes());
  scale = at::where(variances > 1e-18, variances.clamp_min(1e-300).rsqrt(),
                    at::zeros_like(variances));  // a constant column has no information
  x.mul_(scale.to(at::kFloat));
  scale = scale.to(at::kFloat).to(at::kDouble);
  const bool wide = x.size(0) < x.size(1);
  const auto [squares, vectors] = at::linalg_eigh(gram(wide ? x.t() : x, threads));
  const at::Tensor kept = (squares > std::max(1e-10 * squares.max().item<double>(), 1e-12)).nonzero().view({-1});
  const at::Tensor chosen = squares.index_select(0, kept), axes = vectors.index_select(1, kept);
  basis = (wide ? x.t().to(at::kDouble).matmul(axes) * chosen.rsqrt() : axes).to(at::kFloat);
  const int64_t width = basis.size(1) + 1;
  // no wider than x, so that a part's result never reaches into parts that are still to be read
  rows = width <= x.size(1) ? x.as_strided({x.size(0), width}, {width, 1}) : at::empty({x.size(0), width}, at::kFloat);
  in_parts(x, [&](const at::Tensor& part, int64_t start) {
    const at::Tensor projected = part.matmul(basis), to = rows.narrow(0, start, part.size(0));
    to.narrow(1, 0, width - 1).copy_(projected);
    to.select(1, width - 1).fill_(1);
  });
  variance = at::cat({chosen / static_cast<double>(x.size(0)), at::ones({1}, at::kDouble)}).to(at::kFloat);
}

LinearModels PrincipalAxes::models(const at::Tensor& weights) const {
  const at::Tensor of_axes = weights.narrow(1, 0, weights.size(1) - 1).to(at::kDouble),
                   last = weights.select(1, weights.size(1) - 1);
  const at::Tensor w = of_axes.matmul(basis.to(at::kDouble).t()) * scale;
  return {w.to(at::kFloat), (last - w.matmul(mean)).to(at::kFloat)};
}

}  // namespace bigdna::linear
