#include "metrics/bits_per_base.h"

#include <numeric>

#include "base/error.h"

namespace bigdna::metrics {

namespace {

/// Bits per base over the blocks, with block i counted weights[i] times (once without weights).
double ratio(std::span<const BitsPerBase> blocks, std::span<const int64_t> weights) {
  double bits = 0, bases = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const double weight = weights.empty() ? 1 : static_cast<double>(weights[i]);
    bits += weight * blocks[i].bits;
    bases += weight * blocks[i].bases;
  }
  return bases > 0 ? bits / bases : std::nan("");
}

std::vector<int64_t> numbered(size_t count) {
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  return numbers;
}

}  // namespace

Estimate bits_per_base(std::span<const BitsPerBase> blocks, int resamples, uint64_t seed, int threads) {
  return bootstrap(numbered(blocks.size()), resamples, seed, threads,
                   [&](std::span<const int64_t> weights) { return ratio(blocks, weights); });
}

Estimate bits_per_base_difference(std::span<const BitsPerBase> a, std::span<const BitsPerBase> b, int resamples,
                                  uint64_t seed, int threads) {
  if (a.size() != b.size()) fail("cannot compare bits per base over ", a.size(), " and ", b.size(), " blocks");
  return bootstrap(numbered(a.size()), resamples, seed, threads,
                   [&](std::span<const int64_t> weights) { return ratio(a, weights) - ratio(b, weights); });
}

}  // namespace bigdna::metrics
