/// Attention dropout as a pure function of (seed, head, query, key): all kernels, on CPUs and GPUs, draw the same mask,
/// and the backward draws it again. Uses Philox4x32-10 (base/rng.h), of which each call decides for eight neighbouring
/// keys.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/rng.h"

namespace bigdna::kernels {

/// A weight is dropped if its 16 random bits are below this.
inline uint32_t dropout_threshold(double probability) {
  return static_cast<uint32_t>(std::lround(probability * 65536));
}
/// The factor of the weights that are kept.
inline float dropout_scale(uint32_t threshold) { return 65536.0f / static_cast<float>(65536 - threshold); }

/// `sequence_head` is b * heads + h; query and key are positions in the sequence.
inline bool dropout_keeps(uint64_t seed, int64_t sequence_head, int64_t query, int64_t key, uint32_t threshold) {
  const auto words =
      philox({static_cast<uint32_t>(key / 8), static_cast<uint32_t>(query), static_cast<uint32_t>(sequence_head), 0},
             {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  return (words[key % 8 / 2] >> (key % 2 * 16) & 0xFFFF) >= threshold;
}

}  // namespace bigdna::kernels
