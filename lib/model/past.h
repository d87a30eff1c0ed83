/// Causal models read token by token: what they have read is kept, so that the next token costs a row and not a pass.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "model/encoder.h"

namespace bigdna::model {

/// What a causal model has read of some sequences, which are of one length.
struct Past {
  explicit Past(int64_t sequences) : ids(static_cast<size_t>(sequences)) {}
  int64_t length = 0;                     // tokens of each sequence
  std::vector<std::vector<int32_t>> ids;  // of each sequence
  std::vector<at::Tensor> keys, values;   // of each layer, fp32 [sequences, heads, length or more, head size]
};

/// Whether keys and values are kept: all heads attend by a pattern, and layers follow each other once. Other models
/// read all of a sequence again for each token.
bool keeps_keys(const model_folder::ModelConfig& config);
/// Reads a further token of each sequence, and gives the logits of the one behind it, fp32 [sequences, vocab_size],
/// which those of a pass over the whole sequences are but for rounding. Error past the model's maximum length.
at::Tensor next_logits(const model_folder::ModelConfig& config, const Parameters& parameters,
                       std::span<const int32_t> ids, Past& past, const ForwardOptions& options);

/// Adds the keys and values of one token, [sequences, heads, 1, head size], and attends to the past and to the token
/// itself: [sequences, 1, heads, head size] in q's type. For one layer after the other, before `past.length` counts the
/// token.
at::Tensor attend_to_past(const sparsity::PatternConfig& pattern, const at::Tensor& q, const at::Tensor& k,
                          const at::Tensor& v, int64_t layer, Past& past);

}  // namespace bigdna::model
