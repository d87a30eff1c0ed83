/// Groups sequences by length, so that little padding is computed.
#pragma once

#include <cstdint>
#include <vector>

#include "model_folder/config.h"

namespace bigdna::session {

/// Batches of indices into `lengths` (tokens), longest first. Each has at most `batch_tokens` tokens with its padding
/// (but at least one sequence), and its sequences are at most an eighth shorter, in whole blocks, than the first. In
/// huggingface mode numbers depend on the padding, so all sequences of a batch have the same number of blocks.
std::vector<std::vector<size_t>> length_batches(const std::vector<int64_t>& lengths,
                                                const model_folder::ModelConfig& config, int64_t batch_tokens);

}  // namespace bigdna::session
