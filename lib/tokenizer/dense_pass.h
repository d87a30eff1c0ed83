/// One merge over a text of one-byte tokens, in place, in one stream: the dense phase's inner loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bigdna::tokenizer {

/// What a merge of (left, right) into `merged` changed.
struct DenseCounts {
  std::array<uint64_t, 256> before{};  // merges by the token to their left, unless it has itself just been merged
  std::array<uint64_t, 256> after{};   // merges by the token to their right before the pass: `left` if it is merged too
  uint64_t adjacent = 0;               // merges whose left neighbour has just been merged too
};

/// Merges from left to right in tokens[0, size). Both tokens[-1] and the last token are `end`, which never merges.
/// Returns the new size. Uses the processor's vector instructions.
size_t dense_pass(uint8_t* tokens, size_t size, uint8_t left, uint8_t right, uint8_t merged, uint8_t end,
                  DenseCounts& counts);
/// The same in plain code: the reference that dense_pass is tested against.
size_t dense_pass_scalar(uint8_t* tokens, size_t size, uint8_t left, uint8_t right, uint8_t merged, uint8_t end,
                         DenseCounts& counts);

}  // namespace bigdna::tokenizer
