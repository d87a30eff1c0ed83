/// Rows in the coordinates of their principal axes, for linear models with a penalty.
#pragma once

#include <ATen/core/Tensor.h>

#include "linear/linear_models.h"

namespace bigdna::linear {

/// The Hessian of a linear model's loss is nearly diagonal there, so that a few steps suffice, and there are no more
/// axes than rows. The penalty of weights is the same in both coordinates.
struct PrincipalAxes {
  at::Tensor mean, scale;  // double [columns]: standardised = (x - mean) * scale
  at::Tensor basis;        // float [columns, axes]
  at::Tensor rows;         // float [rows, axes + 1]: the last is 1, for the bias
  at::Tensor variance;     // float [axes + 1]

  /// `x`: float [rows, columns], contiguous, which is overwritten, because it may take a gigabyte: `rows` are kept in
  /// its memory where they fit. The same numbers for any number of threads.
  PrincipalAxes(at::Tensor x, Scaling scaling, int threads);
  /// `weights`: [features, axes + 1], of which the last is the bias; as models of the columns as they are.
  LinearModels models(const at::Tensor& weights) const;
};

}  // namespace bigdna::linear
