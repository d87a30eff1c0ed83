#include "base/rng.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace bigdna {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * counter[0], p1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(p0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

namespace {
uint64_t finalise(uint64_t x) {  // SplitMix64's finaliser
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
}  // namespace

uint64_t mix(std::initializer_list<uint64_t> values) {
  uint64_t hash = 0x9E3779B97F4A7C15ull;
  for (const uint64_t value : values)
    hash = finalise(hash + 0x9E3779B97F4A7C15ull + finalise(value + 0x9E3779B97F4A7C15ull));
  return hash;
}

Rng::Rng(uint64_t seed, uint64_t stream)
    : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
      counter_{0, 0, static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)} {}

uint32_t Rng::next32() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    if (++counter_[0] == 0) ++counter_[1];
    used_ = 0;
  }
  return block_[used_++];
}

uint64_t Rng::next64() {
  const uint64_t low = next32();
  return low | uint64_t{next32()} << 32;
}

uint64_t Rng::below(uint64_t bound) {  // rejection: the last, incomplete run of `bound` values is drawn again
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t value = next64();
  while (value >= limit) value = next64();
  return value % bound;
}

double Rng::uniform() { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }

double Rng::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

Permutation::Permutation(uint64_t size, uint64_t seed) : size_(size), seed_(seed) {
  half_bits_ = (std::bit_width(size > 1 ? size - 1 : 1) + 1) / 2;
}

uint64_t Permutation::operator()(uint64_t index) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  do {
    uint64_t left = index >> half_bits_, right = index & mask;
    for (uint64_t round = 0; round < 6; ++round) {
      const uint64_t next = left ^ (mix({seed_, round, right}) & mask);
      left = right;
      right = next;
    }
    index = left << half_bits_ | right;
  } while (index >= size_);
  return index;
}

}  // namespace bigdna
