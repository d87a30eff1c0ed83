// kernels/dropout.h on the device.
#pragma once

#include <cstdint>

namespace bigdna::kernels {
namespace {

struct DropoutCounter {
  uint32_t word[4];
};
/// base/rng.h's philox(): four words, 16 bits for each of 8 neighbours.
struct DropoutWords {
  uint32_t word[4];
  /// As dropout_keeps() calls it: keys 8 * key_group ... + 7.
  __device__ DropoutWords(uint64_t seed, int64_t sequence_head, int64_t query, int64_t key_group)
      : DropoutWords(seed, {{static_cast<uint32_t>(key_group), static_cast<uint32_t>(query),
                             static_cast<uint32_t>(sequence_head), 0}}) {}
  __device__ DropoutWords(uint64_t seed, const DropoutCounter& counter)
      : word{counter.word[0], counter.word[1], counter.word[2], counter.word[3]} {
    uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint32_t high0 = __umulhi(0xD2511F53u, word[0]), low0 = 0xD2511F53u * word[0];
      const uint32_t high1 = __umulhi(0xCD9E8D57u, word[2]), low1 = 0xCD9E8D57u * word[2];
      word[0] = high1 ^ word[1] ^ k0;
      word[1] = low1;
      word[2] = high0 ^ word[3] ^ k1;
      word[3] = low0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
  }
  /// Bit i: the i-th of them is kept.
  __device__ uint8_t kept(uint32_t threshold) const {
    const uint32_t least = threshold << 16;  // lower bits change no comparison with a number whose own are 0
    uint32_t bits = 0;
    BIGDNA_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (word[i] << 16 >= least) bits |= 1u << i * 2;
      if (word[i] >= least) bits |= 2u << i * 2;
    }
    return static_cast<uint8_t>(bits);
  }
};

__device__ inline bool keeps(uint64_t seed, int64_t sequence_head, int64_t query, int64_t key, uint32_t threshold) {
  return DropoutWords(seed, sequence_head, query, key / 8).kept(threshold) >> (key % 8) & 1;
}

/// kernels/dropout.h's dropout_scale().
__device__ inline float kept_factor(uint32_t threshold) { return 65536.0f / (65536 - threshold); }
template <class Parameters>
__device__ uint32_t threshold_of(const Parameters& p) {
  return static_cast<uint32_t>(llround(p.dropout * 65536));
}

}  // namespace
}  // namespace bigdna::kernels
