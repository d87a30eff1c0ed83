/// Bits per base ("BPC"): -log2 p summed over predicted tokens, over the bases these tokens stand for. It makes
/// vocabularies comparable, since longer tokens are harder but rarer (paper, section 5; table 5).
#pragma once

#include <cmath>

namespace bigdna::metrics {

/// Both sums: over tokens without N, the headline (a run of N is trivial to predict), and over all.
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
  double value() const { return bases > 0 ? bits / bases : std::nan(""); }
  double all() const { return all_bases > 0 ? all_bits / all_bases : std::nan(""); }
};

}  // namespace bigdna::metrics
