#include "classification/linear_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "base/error.h"
#include "base/threads.h"
#include "model/parallel.h"

namespace bigdna::classification {

namespace {
constexpr double kPenalties[] = {30, 10, 3, 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001};
constexpr auto kCount = static_cast<int64_t>(std::size(kPenalties));

struct Standardised {
  at::Tensor mean, scale, values;  // double [columns], [columns], [rows, columns]
  Standardised(const at::Tensor& x, Scaling scaling) {
    const at::Tensor raw = x.to(at::kDouble);
    mean = raw.mean(0);
    at::Tensor variance = (raw - mean).square().mean(0);
    if (scaling == Scaling::together) variance = variance.mean().expand(variance.sizes());
    scale = at::where(variance > 1e-18, variance.clamp_min(1e-300).rsqrt(),
                      at::zeros_like(variance));  // a constant column says nothing
    values = (raw - mean) * scale;
  }
  /// Solution [columns, features] and biases [features] of standardised columns as models of the columns as they are.
  LinearModels models(const at::Tensor& weights, const at::Tensor& bias) const {
    const at::Tensor w = weights * scale.unsqueeze(1);
    return {w.t().to(at::kFloat).contiguous(), (bias - mean.matmul(w)).to(at::kFloat).contiguous()};
  }
};

struct Solution {
  at::Tensor weights, bias;  // double [columns, features], [features]
};

/// Ridge regression of one number for all penalties: mean squared error / 2 + penalty / 2 |w|^2, the bias free. The
/// Gram matrix is decomposed once.
std::vector<Solution> ridge(const at::Tensor& x, const at::Tensor& y) {
  const auto n = static_cast<double>(x.size(0));
  const at::Tensor mean = x.mean(0), centred = x - mean, level = y.mean(0);
  const bool wide = x.size(0) < x.size(1);
  const auto [squares, vectors] = at::linalg_eigh(wide ? centred.matmul(centred.t()) : centred.t().matmul(centred));
  const at::Tensor deviations = y - level;
  const at::Tensor projected = vectors.t().matmul(wide ? deviations : centred.t().matmul(deviations));  // [axes, 1]
  std::vector<Solution> fits;
  for (const double penalty : kPenalties) {
    const at::Tensor solved = vectors.matmul(projected / (squares.clamp_min(0) + penalty * n).unsqueeze(1));
    const at::Tensor w = wide ? centred.t().matmul(solved) : solved;
    fits.push_back({w, level - mean.matmul(w)});
  }
  return fits;
}

/// Multinomial logistic regression for all penalties, each fit beginning from the one before: mean log loss +
/// penalty / 2 |w|^2 by L-BFGS with a backtracking line search (Nocedal and Wright, algorithm 7.5).
std::vector<Solution> multinomial(const at::Tensor& standardised, const at::Tensor& y) {
  const int64_t rows = standardised.size(0), columns = standardised.size(1), classes = y.size(1);
  const at::Tensor x = at::cat({standardised, at::ones({rows, 1}, at::kDouble)}, 1);
  const at::Tensor truth = y.to(at::kDouble);
  at::Tensor w = at::zeros({columns + 1, classes}, at::kDouble);
  w.select(0, columns)
      .copy_(((truth.sum(0) + 0.5) / (static_cast<double>(rows) + 0.5 * static_cast<double>(classes))).log());
  std::vector<Solution> fits;
  for (const double penalty : kPenalties) {
    at::Tensor penalties = at::full({columns + 1, 1}, penalty, at::kDouble);
    penalties.select(0, columns).zero_();
    const auto evaluate = [&](const at::Tensor& weights, at::Tensor& gradient) {
      const at::Tensor z = x.matmul(weights), penalised = penalties * weights;
      gradient = x.t().matmul((at::softmax(z, 1) - truth) / static_cast<double>(rows)) + penalised;
      return -(at::log_softmax(z, 1) * truth).sum().item<double>() / static_cast<double>(rows) +
             (penalised * weights).sum().item<double>() / 2;
    };
    struct Pair {
      at::Tensor s, y;
      double rho;
    };
    std::deque<Pair> pairs;
    at::Tensor gradient;
    double loss = evaluate(w, gradient);
    for (int iteration = 0; iteration < 200; ++iteration) {
      const auto dot = [](const at::Tensor& a, const at::Tensor& b) { return (a * b).sum().item<double>(); };
      at::Tensor direction = gradient;
      std::vector<double> alpha(pairs.size());
      for (size_t i = pairs.size(); i-- > 0;) {
        alpha[i] = pairs[i].rho * dot(pairs[i].s, direction);
        direction = direction - alpha[i] * pairs[i].y;
      }
      if (!pairs.empty()) direction = direction / (pairs.back().rho * dot(pairs.back().y, pairs.back().y));
      for (size_t i = 0; i < pairs.size(); ++i)
        direction = direction + (alpha[i] - pairs[i].rho * dot(pairs[i].y, direction)) * pairs[i].s;
      const double slope = dot(gradient, direction);
      if (slope <= 1e-14) break;
      double step = 1, next_loss = loss;
      at::Tensor next, next_gradient;
      for (int tries = 0; tries < 30; ++tries, step /= 2) {
        next = w - step * direction;
        next_loss = evaluate(next, next_gradient);
        if (next_loss <= loss - 1e-4 * step * slope) break;
      }
      if (!(next_loss < loss)) break;
      Pair pair{next - w, next_gradient - gradient, 0};
      if (const double curvature = dot(pair.s, pair.y); curvature > 1e-14) {
        pair.rho = 1 / curvature;
        pairs.push_back(std::move(pair));
        if (pairs.size() > 10) pairs.pop_front();
      }
      const double gained = loss - next_loss;
      w = next;
      gradient = next_gradient;
      loss = next_loss;
      if (gained < 1e-9 * std::max(1.0, loss)) break;
    }
    fits.push_back({w.narrow(0, 0, columns).clone(), w.select(0, columns).clone()});
  }
  return fits;
}

at::Tensor places(const std::vector<int64_t>& rows) { return at::tensor(rows, at::kLong); }

/// One problem: a number, or the classes together. `errors(out, y)`: loss of each row.
template <class Fit, class Errors>
Solution choose(const at::Tensor& x, const at::Tensor& y, std::span<const int64_t> folds, int threads,
                at::Tensor out_of_fold, Fit fit, Errors errors) {
  const int64_t fold_count = *std::max_element(folds.begin(), folds.end()) + 1;
  std::vector<std::vector<Solution>> fitted(static_cast<size_t>(fold_count) + 1);
  parallel_for(fold_count + 1, threads, [&](int64_t fold) {
    const c10::NoGradGuard no_grad;
    std::vector<int64_t> rows;
    for (size_t i = 0; i < folds.size(); ++i)
      if (folds[i] != fold) rows.push_back(static_cast<int64_t>(i));
    if (!rows.empty())
      fitted[static_cast<size_t>(fold)] = fit(x.index_select(0, places(rows)), y.index_select(0, places(rows)));
  });
  at::Tensor of_folds = at::zeros({fold_count, kCount}, at::kDouble);
  std::vector<at::Tensor> inside, held_out;
  for (int64_t fold = 0; fold < fold_count; ++fold) {
    std::vector<int64_t> rows;
    for (size_t i = 0; i < folds.size(); ++i)
      if (folds[i] == fold) rows.push_back(static_cast<int64_t>(i));
    inside.push_back(places(rows));
    std::vector<at::Tensor> outputs;
    for (const auto& [weights, bias] : fitted[static_cast<size_t>(fold)]) {
      outputs.push_back(x.index_select(0, inside.back()).matmul(weights) + bias);
      of_folds[fold][static_cast<int64_t>(outputs.size()) - 1] =
          errors(outputs.back(), y.index_select(0, inside.back())).sum();
    }
    held_out.push_back(outputs.empty() ? at::Tensor() : at::stack(outputs));
  }
  const at::Tensor total = of_folds.sum(0);
  for (int64_t fold = 0; fold < fold_count; ++fold) {
    if (!held_out[static_cast<size_t>(fold)].defined()) continue;
    const auto penalty = (fold_count > 1 ? total - of_folds[fold] : total).argmin().item<int64_t>();
    out_of_fold.index_copy_(0, inside[static_cast<size_t>(fold)],
                            held_out[static_cast<size_t>(fold)][penalty].to(at::kFloat));
  }
  return fitted.back()[static_cast<size_t>(total.argmin().item<int64_t>())];
}
}  // namespace

LinearFit fit_linear(const at::Tensor& x, const at::Tensor& y, std::span<const int64_t> folds, dataset::LabelType type,
                     int threads, Scaling scaling) {
  using dataset::LabelType;
  if (type == LabelType::binary || type == LabelType::multilabel)
    return fit_linear_models(x, y, folds, threads, scaling);
  const int64_t rows = x.size(0), features = y.size(1);
  if (rows == 0 || y.size(0) != rows || static_cast<int64_t>(folds.size()) != rows)
    fail("linear models: ", rows, " rows, labels of ", y.size(0), ", folds of ", folds.size());
  const c10::NoGradGuard no_grad;
  const model::OneThreadPerOperation guard;
  const Standardised standardised(x, scaling);
  LinearFit fit;
  if (type == LabelType::classes) {
    fit.out_of_fold = at::zeros({rows, features}, at::kFloat);
    const auto chosen =
        choose(standardised.values, y.to(at::kDouble), folds, threads, fit.out_of_fold, multinomial,
               [](const auto& out, const auto& truth) { return -(at::log_softmax(out, 1) * truth).sum(1); });
    fit.models = standardised.models(chosen.weights, chosen.bias);
    return fit;
  }
  fit.out_of_fold = at::zeros({rows, features}, at::kFloat);
  std::vector<at::Tensor> weights, biases;
  for (int64_t f = 0; f < features; ++f) {
    const at::Tensor known = at::isnan(y.select(1, f)).logical_not().nonzero().view({-1});
    std::vector<int64_t> known_folds;
    const auto* place = known.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < known.numel(); ++i) known_folds.push_back(folds[static_cast<size_t>(place[i])]);
    if (known_folds.empty()) {  // a number that few rows have may be in none of the sample: its mean, which is 0
      weights.push_back(at::zeros({x.size(1), 1}, at::kDouble));
      biases.push_back(at::zeros({1}, at::kDouble));
      continue;
    }
    at::Tensor held_out = at::zeros({known.numel(), 1}, at::kFloat);
    const auto chosen =
        choose(standardised.values.index_select(0, known),
               y.select(1, f).index_select(0, known).to(at::kDouble).unsqueeze(1), known_folds, threads, held_out,
               ridge, [](const auto& out, const auto& truth) { return (out - truth).square(); });
    fit.out_of_fold.select(1, f).index_copy_(0, known, held_out.select(1, 0));
    weights.push_back(chosen.weights);
    biases.push_back(chosen.bias);
  }
  fit.models = standardised.models(at::cat(weights, 1), at::cat(biases));
  return fit;
}

}  // namespace bigdna::classification
