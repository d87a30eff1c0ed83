/// What the bases of a sequence contribute to one output of a model: what motifs are found in.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "motif/motif.h"

namespace bigdna::motif {

/// One sequence. `sequence` and `start` say where it lies, so that a place that two of them hold counts once: sequences
/// of one number share coordinates (0-based).
struct BaseContributions {
  int64_t sequence = 0, start = 0;
  std::string bases = {};          // A, C, G, T; others are unknown
  std::vector<float> values = {};  // of each base; of unknown ones 0
};

inline constexpr auto kCodes = [] {
  std::array<uint8_t, 256> codes{};
  codes.fill(4);
  for (uint8_t code = 0; code < 4; ++code) codes[static_cast<unsigned char>(kLetters[code])] = code;
  return codes;
}();
/// A base's index in a column; 4 for others than A, C, G, T.
inline size_t code_of(char base) { return kCodes[static_cast<unsigned char>(base)]; }

/// The same sequences with all signs changed: what counts against the output counts for it.
std::vector<BaseContributions> negated(std::vector<BaseContributions> all);
/// How many different places have a known base.
int64_t known_bases(const std::vector<BaseContributions>& all);

/// How often each base stands in the sequences, on both strands together.
BaseProbabilities composition(const std::vector<BaseContributions>& all);

/// Columns of weights, one for each base: the mean contributions of a pattern (a contribution weight matrix).
using Weights = std::vector<std::array<double, 4>>;
Weights reverse_complement(const Weights& weights);

/// The product of contributions with weights where the first column lies on base `at`, which may be negative; bases
/// past the ends count 0. With it, the sum of the squares of these contributions.
struct Product {
  double value = 0, squares = 0;
  /// The cosine of the angle between both: 0 where there are no contributions.
  double cosine(double norm_of_weights) const;
};
Product product(const BaseContributions& of, int64_t at, const Weights& weights);
/// The square root of the sum of squares.
double norm(const Weights& weights);

/// Places that are taken, in any number of sequences.
class Taken {
 public:
  /// Takes [start, start + length) unless more than `overlap` of its bases are taken by one earlier place.
  bool take(int64_t sequence, int64_t start, int64_t length, int64_t overlap);

 private:
  std::map<int64_t, std::map<int64_t, int64_t>> places_;  // of each sequence: start and end of each
  int64_t longest_ = 0;
};

}  // namespace bigdna::motif
