/// Sequences grouped by length, so that padding is hardly computed.
#pragma once

#include <cstdint>
#include <vector>

#include "model_folder/config.h"

namespace bigdna::session {

/// Batches of indices into `lengths` (tokens), longest first, each of at most `batch_tokens` tokens with its
/// padding (one sequence at least) and of sequences at most an eighth shorter, in whole blocks, than its
/// first. In huggingface mode a sequence's numbers depend on the padding beside longer ones: a batch is of
/// one number of blocks there.
std::vector<std::vector<size_t>> length_batches(const std::vector<int64_t>& lengths,
                                                const model_folder::ModelConfig& config,
                                                int64_t batch_tokens);

}  // namespace bigdna::session
