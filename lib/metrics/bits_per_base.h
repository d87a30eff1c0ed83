/// Bits per base ("BPC"): -log2 p summed over predicted tokens, divided by the number of bases that they stand for. It
/// makes vocabularies comparable, since longer tokens are harder to predict but fewer (paper, section 5; table 5).
#pragma once

#include <cmath>
#include <span>

#include "metrics/bootstrap.h"

namespace bigdna::metrics {

/// Sums over tokens without N, which give the main figure (a run of N is trivial to predict), and over all tokens.
struct BitsPerBase {
  double bits = 0, bases = 0;          // tokens without N
  double all_bits = 0, all_bases = 0;  // every token

  /// One predicted token; tokens that stand for no base (special ones) do not count.
  void add(double token_bits, int token_bases, bool contains_n) {
    if (token_bases == 0) return;
    all_bits += token_bits;
    all_bases += token_bases;
    if (contains_n) return;
    bits += token_bits;
    bases += token_bases;
  }
  void add(const BitsPerBase& other) {
    bits += other.bits;
    bases += other.bases;
    all_bits += other.all_bits;
    all_bases += other.all_bases;
  }
  double value() const { return bases > 0 ? bits / bases : std::nan(""); }
  double all() const { return all_bases > 0 ? all_bits / all_bases : std::nan(""); }
};

/// The value over all blocks of a genome, with its bootstrap interval over these blocks (tokens without N).
Estimate bits_per_base(std::span<const BitsPerBase> blocks, int resamples, uint64_t seed, int threads);
/// a - b: negative if a is better. Paired: every resample draws the same blocks for both. Block i of both is the same
/// stretch of genome.
Estimate bits_per_base_difference(std::span<const BitsPerBase> a, std::span<const BitsPerBase> b, int resamples,
                                  uint64_t seed, int threads);

}  // namespace bigdna::metrics
