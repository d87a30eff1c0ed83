/// The losses of training, by the type of the labels.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "dataset/labels.h"

namespace bigdna::training {

struct Loss {
  dataset::LabelType type = dataset::LabelType::binary;
  at::Tensor weights;  // float [labels]: of labels 1, of classes, or of outputs that are counts; not for regression
  bool huber = false;  // regression: linear beyond one standard deviation of the training rows

  /// Summed over examples and labels. binary, multilabel: binary cross-entropy, labels 1 weighted; classes:
  /// cross-entropy of the softmax, each row weighted as its class; regression: half the squared error, or Huber's loss,
  /// where the number is not missing (NaN); counts: as BinLoss. `logits`, `targets`: float [examples, labels].
  at::Tensor sum(const at::Tensor& logits, const at::Tensor& targets) const;
  /// The divisor of a sum over this many examples: the number of labels; for classes, of examples.
  double count(int64_t examples, int64_t labels) const;
};

/// What networks that label bins minimise of outputs of one type.
struct BinLoss {
  dataset::LabelType type;
  /// Summed over bins and outputs: the log loss of labels; of counts mu - y log mu, Poisson's loss of the expected
  /// count mu = exp(logit) but for what no logit changes; nothing of a label or count that is NaN. `weights`: of bins
  /// and outputs, or of outputs.
  at::Tensor (*sum)(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& weights);
  /// The logit of a mean label, from which an output starts.
  double (*start)(double mean);
  /// An output's weight, given its mean, before those of its type are divided by their mean (labels), or for good: that
  /// of counts makes the loss nats per read, whatever a track's depth.
  double (*weight)(double mean, double balance);
  bool relative;
};
/// Error for a type that bins do not have.
const BinLoss& bin_loss(dataset::LabelType type);

}  // namespace bigdna::training
