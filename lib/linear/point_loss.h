/// What a linear model of one type of label minimises at each row, as a function of its logit.
#pragma once

#include <ATen/core/Tensor.h>

#include "dataset/labels.h"

namespace bigdna::linear {

struct PointLoss {
  dataset::LabelType type;
  /// Of logits and labels of the same shape. Labels of 0 and 1: the log loss. Counts in units of their mean: mu - y log
  /// mu of the expected count mu = exp(logit), Poisson's loss but for what no logit changes.
  at::Tensor (*loss)(const at::Tensor& logits, const at::Tensor& labels);
  /// Its derivative by the logits.
  at::Tensor (*slope)(const at::Tensor& logits, const at::Tensor& labels);
  /// The logit of least loss for so many rows with this sum of labels, with half a label more.
  double (*start)(double sum, double rows);
  /// Its second derivative there, by the mean of the labels.
  double (*curvature)(double mean);
  /// Whether rows with this sum of labels say anything but their mean.
  bool (*tells)(double sum, double rows);
};
/// That of counts, or of labels of 0 and 1 for the other types.
const PointLoss& point_loss(dataset::LabelType type);

/// exp(logits); of logits so large that no count calls for them, a large number.
at::Tensor expected_counts(const at::Tensor& logits);

}  // namespace bigdna::linear
