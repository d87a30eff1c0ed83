/// Hits: where patterns stand in sequences, by what the bases contribute there (as FiNeMo looks for them).
#pragma once

#include <cstdint>
#include <vector>

#include "motif/patterns.h"

namespace bigdna::motif {

struct HitOptions {
  double least_similarity = 0.5;  // cosine
  double largest_q = 0.1;
};

struct Hit {
  size_t of = 0;       // index of the Contributions
  size_t pattern = 0;  // index
  int64_t first = 0;   // base under the pattern's first column, or of strand - under its last one
  char strand = '+';
  double importance = 0;   // sum of the contributions
  double coefficient = 0;  // how often the pattern's mean contributions fit into these: the factor of least squares
  double similarity = 0;   // cosine of both
  /// q_values() of the coefficient among this pattern's hits: the false-discovery rate, had only hits as good as this
  /// one been taken.
  double q = 1;
};

/// Places at which a pattern's weights fit a sequence's contributions, up to a q-value, in the order of sequences and
/// bases. Of places that share more than half of the shorter one's bases the one with the larger product with weights
/// of length 1 is taken, whichever pattern's it is. The null are places in `null`, chosen alike: contributions to
/// shuffled sequences by the same model. Independent of `threads`.
std::vector<Hit> find_hits(const std::vector<Contributions>& observed, const std::vector<Contributions>& null,
                           const std::vector<Pattern>& patterns, int threads, const HitOptions& options = {});

}  // namespace bigdna::motif
