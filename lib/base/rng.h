/// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
/// SC 2011). A stream is a pure function of its key, so work split over any number of threads draws the same.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

namespace bigdna {

/// One Philox4x32-10 block: counter and key to four 32-bit words. Known answers are in tests/unit/base.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// A 64-bit hash of the values in order: how seeds for parts of a job are made, e.g. mix({seed, contig, pass}).
uint64_t mix(std::initializer_list<uint64_t> values);

/// A stream of random numbers, keyed by `seed` and `stream`. Cheap to make: one per document, example or row.
class Rng {
 public:
  explicit Rng(uint64_t seed, uint64_t stream = 0);

  uint32_t next32();
  uint64_t next64();
  /// Uniform in [0, bound), without modulo bias; bound > 0.
  uint64_t below(uint64_t bound);
  /// Uniform in [low, high], both ends included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Standard normal (Box-Muller).
  double normal();
  /// Fisher-Yates over a random-access range.
  template <class Range>
  void shuffle(Range& range) {
    using std::swap;
    for (uint64_t i = range.size(); i > 1; --i) swap(range[i - 1], range[below(i)]);
  }

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 4> counter_;
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
};

/// A keyed permutation of [0, size): a Feistel network with cycle walking, no index array. operator() is O(1).
class Permutation {
 public:
  Permutation(uint64_t size, uint64_t seed);
  uint64_t size() const { return size_; }
  uint64_t operator()(uint64_t index) const;

 private:
  uint64_t size_, seed_;
  int half_bits_;
};

}  // namespace bigdna
