/// Examples as tensors. Training, evaluation and prediction differ only after this.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "corpus/example.h"

namespace bigdna::model {

/// n is padded to whole blocks. All on one device.
struct Batch {
  at::Tensor ids;                 // int64 [batch, n], pad id past each length
  int32_t largest_id = 0;         // of ids; on the host, so that checking it does not wait for a GPU
  at::Tensor token_types;         // int64 [batch, n]
  std::vector<int64_t> lengths;   // real tokens per sequence
  std::vector<int64_t> prefixes;  // Example::prefix of each sequence
  std::vector<std::vector<corpus::Example::Range>> scales;  // Example::scales of each sequence
  at::Tensor pooled;         // float32 [batch, pooled_size()], of Example::pooled; undefined if there are none
  at::Tensor masked;         // int64 [m]: flat positions b * n + i that MLM predicts
  at::Tensor masked_labels;  // int64 [m]
  at::Tensor targets;        // float32 [batch, T] (T = 1 for NSP and promoters); undefined if there are none
  at::Tensor weights;        // float32 [batch, bins], of Example::weights; undefined if there are none
  int64_t size() const { return static_cast<int64_t>(lengths.size()); }
  int64_t tokens() const;  // number of real tokens
};

/// Pads to a multiple of `block` tokens.
Batch make_batch(const std::vector<corpus::Example>& examples, int64_t block, int64_t pad_id, const at::Device& device);

}  // namespace bigdna::model
