/// Linear models of any type of label: what a head starts from, and the k-mer baseline.
#pragma once

#include "linear/linear_models.h"
#include "dataset/labels.h"

namespace bigdna::linear {

/// binary, multilabel, counts: fit_linear_models(). classes: multinomial logistic regression; regression: ridge, on the
/// rows that have the number. Both on scaled columns, with the penalty of a fixed list under which the folds are
/// predicted best by models of the other folds (mean log loss of the classes together; squared error of each number),
/// and out-of-fold outputs by the penalty that is best on the other folds.
/// `x`: float [rows, columns]; `y`: float [rows, features] of 0 and 1, or numbers (NaN: missing); `folds`: of each row,
/// from 0.
LinearFit fit_linear(const at::Tensor& x, const at::Tensor& y, std::span<const int64_t> folds, dataset::LabelType type,
                     int threads, const LinearRows& how = {});

}  // namespace bigdna::linear
