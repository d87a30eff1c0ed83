/// Seqlets: short windows that contribute more than as many bases taken together by chance, after TF-MoDISco (Shrikumar
/// et al. 2018).
#pragma once

#include <cstdint>
#include <vector>

#include "motif/contributions.h"

namespace bigdna::motif {

struct SeqletOptions {
  int64_t width = 15;      // bp of a window
  double largest_q = 0.2;  // the false-discovery rate that is accepted: patterns leave the false ones out
  uint64_t seed = 1;       // of the random order
};

struct Seqlet {
  size_t of = 0;                 // index of its BaseContributions
  int64_t first = 0, width = 0;  // its first base in them, and how many it has
  double sum = 0;                // of its contributions
};

/// The windows with the highest positive sums that share no base with a higher one, down to the sum at which the
/// false-discovery rate reaches `largest_q`; descending. The null are the windows, chosen alike, of the same
/// contributions in random order: what single bases contribute, without motifs. The same place of two sequences counts
/// once.
std::vector<Seqlet> find_seqlets(const std::vector<BaseContributions>& all, const SeqletOptions& options = {});

}  // namespace bigdna::motif
