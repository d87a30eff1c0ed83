/// Which of a file's motifs a motif resembles, after Tomtom (Gupta et al. 2007).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "motif/motif.h"

namespace bigdna::motif {

/// The best alignment of a motif with a known one.
struct Match {
  size_t known = 0;        // index
  int64_t offset = 0;      // columns of the known motif (as aligned) before the motif's first; negative: after it
  char strand = '+';       // -: the known motif's reverse complement
  int64_t overlap = 0;     // columns
  double distance = 0;     // mean Euclidean distance of the columns that lie on each other
  double correlation = 0;  // Pearson's, of these columns' probabilities
  /// The probability that columns drawn at random from all those of the known motifs would lie as near in some
  /// alignment with this one: of each alignment the exact probability for its overlap (distances in 100 steps), of the
  /// best one corrected for their number, 1 - (1 - p)^n.
  double p = 1;
  double e = 1;  // p times the number of known motifs
};

/// Of each motif its best match with every known one, ascending by p and then by index. Alignments have at least
/// min(kLeastOverlap, both widths) columns.
inline constexpr int64_t kLeastOverlap = 5;
std::vector<Match> matches(const Motif& motif, const std::vector<Motif>& known);

}  // namespace bigdna::motif
