/// A BPNet as a function of its parameters, for training: of batches, with gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include "model/parameters.h"
#include "model_folder/profile_config.h"

namespace bigdna::profile_training {

/// What one half answers for a batch, or both together.
struct ProfileHeads {
  at::Tensor logits;      // [batch, strands x output]
  at::Tensor log_counts;  // [batch]
};

/// `letters`: [batch, window, 4], rows of zeros for what is no base. `parameters`: at least those of the half.
/// Without control tracks. ProfileNetwork::predict() gives the same of one window.
ProfileHeads heads_of(const model_folder::ProfileConfig& config, const model_folder::ProfileHalf& half,
                      const model::Parameters& parameters, const at::Tensor& letters);

/// A model and its bias model: logits are added, and expected counts.
ProfileHeads sum_of(const ProfileHeads& model, const ProfileHeads& bias);

/// -log of the probability of `counts` under a multinomial of their number and the softmax of the logits, of each row;
/// both [batch, places]. As chrombpnet's multinomial_nll() and bpnet-lite's MNLLLoss() have it.
at::Tensor profile_loss(const at::Tensor& logits, const at::Tensor& counts);
/// (log(1 + number of counts) - log_counts)^2 of each row.
at::Tensor count_loss(const at::Tensor& log_counts, const at::Tensor& counts);

/// Weights drawn from (seed, name), with the deviation of Glorot and Bengio (2010), as Keras begins; biases are 0.
model::Parameters initialise(const model_folder::ProfileConfig& config, uint64_t seed);

}  // namespace bigdna::profile_training
