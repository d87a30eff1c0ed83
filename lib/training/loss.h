/// The loss of fine-tuning, by the type of the labels.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "dataset/labels.h"

namespace bigdna::training {

struct Loss {
  dataset::LabelType type = dataset::LabelType::binary;
  at::Tensor weights;  // float [labels]: of labels 1, or of classes; not for regression
  bool huber = false;  // regression: linear beyond one standard deviation of the training rows

  /// Summed over examples and labels. binary, multilabel: binary cross-entropy, labels 1 weighted; classes:
  /// cross-entropy of the softmax, each row weighted as its class; regression: half the squared error, or Huber's loss,
  /// where the number is not missing (NaN). `logits`, `targets`: float [examples, labels].
  at::Tensor sum(const at::Tensor& logits, const at::Tensor& targets) const;
  /// The divisor of a sum over this many examples: the number of labels; for classes, of examples.
  double count(int64_t examples, int64_t labels) const;
};

}  // namespace bigdna::training
