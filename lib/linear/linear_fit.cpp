#include "linear/linear_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "linear/folds.h"
#include "linear/lbfgs.h"
#include "linear/penalty_choice.h"
#include "model/parallel.h"

namespace bigdna::linear {

namespace {
constexpr double kPenalties[] = {30, 10, 3, 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001};
constexpr double kClassesTolerance = 1e-12;  // of the classes' log loss: what a step must gain

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
  static Solution zero(int64_t columns, int64_t features) {
    return {at::zeros({columns, features}, at::kDouble), at::zeros({features}, at::kDouble)};
  }
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
/// penalty / 2 |w|^2, the biases free.
std::vector<Solution> multinomial(const at::Tensor& standardised, const at::Tensor& truth) {
  const int64_t columns = standardised.size(1), classes = truth.size(1);
  const auto rows = static_cast<double>(standardised.size(0));
  const at::Tensor x = at::cat({standardised, at::ones({standardised.size(0), 1}, at::kDouble)}, 1);
  const at::Tensor share = (truth.sum(0) + 0.5) / (rows + 0.5 * static_cast<double>(classes));
  at::Tensor start = at::zeros({columns + 1, classes}, at::kDouble);
  start.select(0, columns).copy_(share.log());
  const at::Tensor variance = at::outer(x.square().mean(0), share * (1 - share)).contiguous();
  const auto values = [](const at::Tensor& of) {
    return std::span(of.const_data_ptr<double>(), static_cast<size_t>(of.numel()));
  };
  Lbfgs<double> solver(
      values(start),
      {.variance = values(variance), .tolerance = kClassesTolerance, .biases = static_cast<size_t>(classes)});
  std::vector<Solution> fits;
  for (const double penalty : kPenalties) {
    const auto weights = [&] { return at::tensor(solver.point(), at::kDouble).view({columns + 1, classes}); };
    bool on = solver.begin(penalty);
    while (on) {
      const at::Tensor z = x.matmul(weights());
      const at::Tensor gradient = (x.t().matmul(at::softmax(z, 1) - truth) / rows).contiguous();
      const double loss = -(at::log_softmax(z, 1) * truth).sum().item<double>() / rows;
      on = solver.advance(loss, values(gradient));
    }
    const at::Tensor w = weights();
    fits.push_back({w.narrow(0, 0, columns), w.select(0, columns)});
  }
  return fits;
}

/// One problem: a number, or the classes together. `errors(outputs, y)`: loss of each row. Sets the rows' out-of-fold
/// outputs. Returns the models that gave them, one for each fold, and then that of all rows.
template <class Fit, class Errors>
std::vector<Solution> choose(const at::Tensor& x, const at::Tensor& y, std::span<const int64_t> folds, int threads,
                             at::Tensor out_of_fold, Fit fit, Errors errors) {
  const Folds by_fold(folds);
  const at::Tensor rows = x.index_select(0, by_fold.order), truth = y.index_select(0, by_fold.order);
  std::vector<std::vector<Solution>> fitted(static_cast<size_t>(by_fold.count()) + 1);  // the last to all rows
  log::Progress progress("regressions", fitted.size(), "fits");
  parallel_for(by_fold.count() + 1, threads, [&](int64_t fold) {
    const c10::NoGradGuard no_grad;
    std::vector<at::Tensor> x_parts, y_parts;
    for (const auto& [start, count] : by_fold.others(fold)) {
      x_parts.push_back(rows.narrow(0, start, count));
      y_parts.push_back(truth.narrow(0, start, count));
    }
    auto& fits = fitted[static_cast<size_t>(fold)];
    if (x_parts.empty())
      fits.assign(std::size(kPenalties), Solution::zero(x.size(1), y.size(1)));
    else
      fits = fit(at::cat(x_parts), at::cat(y_parts));
    progress.add(1);
  });
  at::Tensor held_out = at::zeros(truth.sizes(), at::kFloat);
  PenaltyChoice choice(by_fold.count());
  std::vector<Solution> chosen;
  for (const auto& fits : fitted) chosen.push_back(fits.front());
  for (size_t penalty = 0; penalty < std::size(kPenalties); ++penalty) {
    std::vector<at::Tensor> outputs;
    std::vector<double> losses;
    for (int64_t fold = 0; fold < by_fold.count(); ++fold) {
      const auto [start, count] = by_fold.inside(fold);
      const auto& [weights, bias] = fitted[static_cast<size_t>(fold)][penalty];
      outputs.push_back(rows.narrow(0, start, count).matmul(weights) + bias);
      losses.push_back(errors(outputs.back(), truth.narrow(0, start, count)).sum().template item<double>());
    }
    if (choice.add(losses)) chosen.back() = fitted.back()[penalty];
    for (int64_t fold = 0; fold < by_fold.count(); ++fold) {
      if (!choice.is_best_without(fold)) continue;
      const auto [start, count] = by_fold.inside(fold);
      held_out.narrow(0, start, count).copy_(outputs[static_cast<size_t>(fold)]);
      chosen[static_cast<size_t>(fold)] = fitted[static_cast<size_t>(fold)][penalty];
    }
  }
  out_of_fold.index_copy_(0, by_fold.order, held_out);
  return chosen;
}
}  // namespace

LinearFit fit_linear(const at::Tensor& x, const at::Tensor& y, std::span<const int64_t> folds, dataset::LabelType type,
                     int threads, const LinearRows& how) {
  using dataset::LabelType;
  if (type != LabelType::classes && type != LabelType::regression)
    return fit_linear_models(x, y, folds, threads, how, type);
  const int64_t rows = x.size(0), features = y.size(1);
  if (rows == 0 || y.size(0) != rows || static_cast<int64_t>(folds.size()) != rows)
    fail("linear models: ", rows, " rows, labels of ", y.size(0), ", folds of ", folds.size());
  const c10::NoGradGuard no_grad;
  const model::OneThreadPerOperation guard;
  const Standardised standardised(x, how.scaling);
  LinearFit fit;
  fit.out_of_fold = at::zeros({rows, features}, at::kFloat);
  std::vector<Solution> chosen;  // one for each fold, and then that of all rows
  if (type == LabelType::classes) {
    chosen = choose(standardised.values, y.to(at::kDouble), folds, threads, fit.out_of_fold, multinomial,
                    [](const auto& out, const auto& truth) { return -(at::log_softmax(out, 1) * truth).sum(1); });
  } else {
    for (int64_t i = 0; i <= Folds(folds).count(); ++i) chosen.push_back(Solution::zero(x.size(1), features));
    for (int64_t f = 0; f < features; ++f) {
      const at::Tensor known = at::isnan(y.select(1, f)).logical_not().nonzero().view({-1});
      std::vector<int64_t> known_folds;
      const auto* place = known.const_data_ptr<int64_t>();
      for (int64_t i = 0; i < known.numel(); ++i) known_folds.push_back(folds[static_cast<size_t>(place[i])]);
      if (known_folds.empty()) continue;  // few rows have it, and none of the sample: its mean, which is 0
      at::Tensor held_out = at::zeros({known.numel(), 1}, at::kFloat);
      const auto of_number =
          choose(standardised.values.index_select(0, known),
                 y.select(1, f).index_select(0, known).to(at::kDouble).unsqueeze(1), known_folds, threads, held_out,
                 ridge, [](const auto& out, const auto& truth) { return (out - truth).square(); });
      fit.out_of_fold.select(1, f).index_copy_(0, known, held_out.select(1, 0));
      for (size_t i = 0; i < of_number.size(); ++i) {  // no row of the last folds may have it
        const auto& [weights, bias] = i + 1 < of_number.size() ? chosen[i] : chosen.back();
        weights.select(1, f).copy_(of_number[i].weights.select(1, 0));
        bias.select(0, f).copy_(of_number[i].bias.select(0, 0));
      }
    }
  }
  fit.models = standardised.models(chosen.back().weights, chosen.back().bias);
  chosen.pop_back();
  fit.of_others = [standardised, chosen] {
    std::vector<LinearModels> models;
    for (const auto& [weights, bias] : chosen) models.push_back(standardised.models(weights, bias));
    return models;
  };
  return fit;
}

}  // namespace bigdna::linear
