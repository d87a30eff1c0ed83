/// Logistic regressions of all features on the same numbers of a row: its k-mers, or what a model's head
/// reads. Poisson regressions of counts.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dataset/labels.h"

namespace bigdna::linear {

/// logits = x weight^T + bias, for columns that are not standardised.
struct LinearModels {
  at::Tensor weight;  // float [features, columns]
  at::Tensor bias;    // float [features]
  /// x: float [rows, columns]; [rows, features].
  at::Tensor logits(const at::Tensor& x) const;
};

/// How columns are scaled before they are penalised: each to a variance of 1; or all by one number, to that mean.
enum class Scaling { each, together };

struct LinearFit {
  LinearModels models;     // fitted on all rows
  at::Tensor out_of_fold;  // float [rows, features]: logits by models that were fitted without the row's fold
  std::function<std::vector<LinearModels>()> of_others;  // computes these models, one for each fold
  /// Their logits of the same rows read in another way, such as their reverse complements. `folds`: as of the fit.
  at::Tensor out_of_fold_of(const at::Tensor& x, std::span<const int64_t> folds) const;
};

/// How a fit reads its rows.
struct LinearRows {
  Scaling scaling = Scaling::each;
  /// How many rows each stands for; empty: one. Of logistic regressions.
  std::vector<float> weights = {};
  /// Whether the numbers of the rows may be overwritten, which saves a copy where the folds are in order.
  bool overwrite = false;
};

/// Minimises mean loss (point_loss.h) + penalty / 2 |w|^2 of scaled columns, for each feature with the penalty of
/// a fixed list under which the folds are predicted best (mean loss) by models of the other folds; the
/// list is tried from its strongest penalty on, and ends for a feature where two have been no better. An
/// out-of-fold logit has the penalty that is best on the other folds, so that no row has a part in choosing
/// its own. A feature of one class has its odds and no weights. Counts are divided by their mean first, whose logarithm
/// is then added to the biases and logits, so that penalties mean the same whatever a track's depth. The same numbers
/// for any number of threads. L-BFGS (lbfgs.h) in principal axes, all features together: 919 of 5000 rows and 1400
/// columns take about a processor minute (tests/bench/chromatin/linear.cpp). `x`: float [rows, columns]; `y`: float
/// [rows, features] of 0 and 1, or counts; `folds`: of each row, from 0 on.
LinearFit fit_linear_models(const at::Tensor& x, const at::Tensor& y, std::span<const int64_t> folds, int threads,
                            const LinearRows& how = {}, dataset::LabelType type = dataset::LabelType::multilabel);

}  // namespace bigdna::linear
