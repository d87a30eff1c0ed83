/// The branch of a task model that reads bases, beside an encoder that reads tokens: one convolution over the
/// bases around the start site or the bin's middle, as a network of motifs has it (Alipanahi et al. 2015),
/// and a linear layer on what its filters find. Its logits are added to the head's.
#pragma once

#include <ATen/core/Tensor.h>

#include "model/batch.h"
#include "model/encoder.h"

namespace bigdna::model {

/// Of the branch's features, left out in training.
inline constexpr double kCnnDropoutRate = 0.5;

/// What the branch reads of a batch, float, on its device.
struct CnnWindow {
  at::Tensor letters;  // [batch, 4, n]: 1 for the base, of A, C, G and T; N and padding are zeros
  at::Tensor shares;   // [batch, scales, n]: 1 / bases of the scale (model_folder::kPoolScales) for each of
                       // them, 0 elsewhere; a sequence without bases has none
};
CnnWindow cnn_window(const Batch& batch);

/// Of each filter, at each base, the larger of the products of the filter and of its reverse complement with
/// the bases around it, plus its bias, where that is positive; of each scale the maxima and then the means of
/// that over its bases: [batch, scales x 2 x config.cnn_filters]. A sequence and its reverse complement, read
/// around the same base, have the same features.
at::Tensor cnn_features(const model_folder::ModelConfig& config, const Parameters& parameters, const CnnWindow& window);
/// Logits [batch, labels] of the features, less bigdna.cnn.mean and times bigdna.cnn.scale, which
/// training sets by its rows and leaves alone. Dropout only in training. In float whatever the encoder
/// computes in.
at::Tensor cnn_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const CnnWindow& window,
                      const ForwardOptions& options);

}  // namespace bigdna::model
