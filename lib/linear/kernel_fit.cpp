#include "linear/kernel_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"
#include "base/streams.h"
#include "base/threads.h"
#include "linear/linear_fit.h"
#include "model/parallel.h"

namespace bigdna::linear {

namespace {
constexpr int64_t kLandmarks = 1000, kAxes = 256;  // the most of each
constexpr double kWidth = 0.4;   // of the kernel, for a squared distance that is the mean over standardised columns
constexpr int64_t kPanel = 256;  // rows that are computed together; fixed, so that results do not depend on the threads

/// Principal axes of the landmarks' standardised columns, and the landmarks in them.
models::KernelModel::Input input_of(const at::Tensor& landmarks) {
  models::KernelModel::Input input;
  const at::Tensor x = landmarks.to(at::kDouble), mean = x.mean(0), variance = (x - mean).square().mean(0);
  const at::Tensor scale = at::where(variance > 1e-18, variance.clamp_min(1e-300).rsqrt(), at::zeros_like(variance));
  const at::Tensor standardised = (x - mean) * scale;
  const auto [squares, vectors] = at::linalg_eigh(standardised.matmul(standardised.t()));
  const double least = 1e-9 * squares.max().item<double>();
  const auto kept = std::clamp<int64_t>((squares > least).sum().item<int64_t>(), 1, kAxes);
  const at::Tensor of_axes = squares.narrow(0, squares.numel() - kept, kept).clamp_min(1e-300).rsqrt();
  const at::Tensor axes = (vectors.narrow(1, squares.numel() - kept, kept) * of_axes).t().matmul(standardised) * scale *
                          std::sqrt(kWidth / static_cast<double>(x.size(1)));
  input.mean = mean.to(at::kFloat).contiguous();
  input.axes = axes.to(at::kFloat).contiguous();
  input.landmarks = (landmarks - input.mean).matmul(input.axes.t()).contiguous();
  return input;
}

/// [rows, landmarks].
at::Tensor similarity(const models::KernelModel& model, const KernelRows& of, int threads) {
  const int64_t rows = of.kmers.size(0);
  at::Tensor similarity = at::empty({rows, model.kmers.landmarks.size(0)}, at::kFloat);
  parallel_for((rows + kPanel - 1) / kPanel, threads, [&](int64_t panel) {
    const c10::NoGradGuard no_grad;
    const int64_t first = panel * kPanel, count = std::min(kPanel, rows - first);
    similarity.narrow(0, first, count)
        .copy_(model.similarity(of.kmers.narrow(0, first, count), of.states.narrow(0, first, count)));
  });
  return similarity;
}
}  // namespace

KernelFit fit_kernel(const std::vector<KernelRows>& readings, const at::Tensor& y, std::span<const int64_t> folds,
                     dataset::LabelType type, uint64_t seed, int threads) {
  const c10::NoGradGuard no_grad;
  const auto& [kmers, states] = readings.front();
  const int64_t rows = kmers.size(0);
  std::vector<int64_t> drawn;
  const Permutation order(static_cast<uint64_t>(rows), mix({seed, kKernelRows}));
  for (int64_t i = 0; i < std::min(rows, kLandmarks); ++i)
    drawn.push_back(static_cast<int64_t>(order(static_cast<uint64_t>(i))));
  std::sort(drawn.begin(), drawn.end());
  const at::Tensor chosen = at::tensor(drawn, at::kLong);

  const model::OneThreadPerOperation guard;
  KernelFit fit;
  parallel_for(2, threads, [&](int64_t which) {
    const c10::NoGradGuard no_grad_here;
    (which ? fit.model.states : fit.model.kmers) = input_of((which ? states : kmers).index_select(0, chosen));
  });
  const at::Tensor of_rows = similarity(fit.model, readings.front(), threads);
  // rows of similarity x roots have the products that the kernel has, if both rows are landmarks
  const at::Tensor between = of_rows.index_select(0, chosen).to(at::kDouble);
  const auto [values, vectors] = at::linalg_eigh((between + between.t()) / 2);
  const auto kept = std::max<int64_t>(1, (values > 1e-6 * values.max().item<double>()).sum().item<int64_t>());
  const at::Tensor roots =
      vectors.narrow(1, values.numel() - kept, kept) * values.narrow(0, values.numel() - kept, kept).rsqrt();
  const auto features = [&](const at::Tensor& similar) { return similar.to(at::kDouble).matmul(roots).to(at::kFloat); };
  const auto linear = fit_linear(features(of_rows), y, folds, type, threads, {.scaling = Scaling::together});
  fit.model.weight = linear.models.weight.to(at::kDouble).matmul(roots.t()).to(at::kFloat).contiguous();
  fit.model.bias = linear.models.bias.clone();
  fit.model.scale = at::ones_like(fit.model.bias);
  fit.model.shift = at::zeros_like(fit.model.bias);
  fit.out_of_fold.push_back(linear.out_of_fold);
  for (size_t i = 1; i < readings.size(); ++i)
    fit.out_of_fold.push_back(linear.out_of_fold_of(features(similarity(fit.model, readings[i], threads)), folds));
  return fit;
}

}  // namespace bigdna::linear
