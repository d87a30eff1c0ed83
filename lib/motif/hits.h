/// Hits: where patterns stand in sequences, by what the bases contribute there (as FiNeMo looks for them).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "motif/patterns.h"

namespace bigdna::motif {

struct HitOptions {
  double least_similarity = 0.3;  // cosine
  double largest_q = 0.25;
};

struct Hit {
  size_t of = 0;       // index of the BaseContributions
  size_t pattern = 0;  // index
  int64_t first = 0;   // base under the pattern's first column, or of strand - under its last one
  char strand = '+';
  double importance = 0;   // sum of the contributions
  double coefficient = 0;  // how often the pattern's mean contributions fit into these: the factor of least squares
  double similarity = 0;   // cosine of both
  double bits = 0;         // log-odds of the bases, by the pattern's motif and the composition of the sequences
  /// Where the bases look like the motif and contribute like it: both count, as factors.
  double score() const { return bits + std::log2(coefficient); }
  /// q_values() of the score among this pattern's hits: the false-discovery rate, had only hits as good as this one
  /// been taken.
  double q = 1;
};

/// Places at which a pattern's weights fit a sequence's contributions, whose sum is positive, up to a q-value, in the
/// order of sequences and bases. Of one pattern's places that share a base, and of different patterns' that share more
/// than half of the shorter one's bases, the one with the higher score is taken. The null are places in `null`, chosen
/// alike: contributions to shuffled sequences by the same model. Independent of `threads`.
std::vector<Hit> find_hits(const std::vector<BaseContributions>& observed, const std::vector<BaseContributions>& null,
                           const std::vector<Pattern>& patterns, int threads, const HitOptions& options = {});

}  // namespace bigdna::motif
