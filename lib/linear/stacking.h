/// Chooses the weights with which logits of several models are added (stacked generalisation: Wolpert 1992).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataset/labels.h"

namespace bigdna::linear {

/// logit = scale x (k-mers + beta x encoder) + shift
struct Stack {
  std::vector<double> beta, scale, shift;  // of each feature; beta and scale are the same in a whole group
};

/// Which weight is taken of those whose loss was measured. Standard errors are of the difference between two losses.
enum class StackChoice {
  least_loss,  // the best; the least of those that are alike but for rounding
  earned,      // as least_loss where this is better than 0 by more than one standard error; otherwise 0
};

/// Fitted on out-of-fold logits, float [rows, features], of the k-mers and of the encoder, or of both and of the kernel
/// model. Features of a group share beta, one of a short list from 0 on, by `choice`. Standard errors resample the
/// `blocks` that the rows lie in; of one block they are infinite. The loss is that of calibrate().
/// The scale of a group and the shift of a feature minimise it under that beta (classes: no shift). Labels that are the
/// same in all rows have beta 0, scale 1 and shift 0. `y`: float [rows, features] of 0 and 1, or numbers, NaN where
/// they are missing; `groups`: a name for each feature, the same for all classes.
Stack fit_stack(const at::Tensor& kmers, const at::Tensor& encoder, const at::Tensor& y,
                std::span<const int64_t> blocks, const std::vector<std::string>& groups, dataset::LabelType type,
                StackChoice choice);

}  // namespace bigdna::linear
