/// Patterns: groups of seqlets that are alike, as motifs. A simpler way to what TF-MoDISco does (Shrikumar et al.
/// 2018).
#pragma once

#include <cstdint>
#include <vector>

#include "motif/contributions.h"
#include "motif/seqlets.h"

namespace bigdna::motif {

struct PatternOptions {
  int64_t flank = 10;  // bp to either side of a seqlet that belong to its pattern, and by which it may be moved
  int64_t least = 20;  // seqlets of a pattern
  /// Of a member: the share of seqlets that are as similar to the pattern with other bases in each column.
  double largest_p = 0.01;
  /// Information in a motif's first and last column, beyond the sequences' own composition. Of few sites more is
  /// needed: what the G-test gives a probability of 0.001.
  double least_bits = 0.25;
  double alike = 0.7;  // cosine from which two patterns are one
  uint64_t seed = 1;   // of the exchanged bases
};

/// A place of a pattern: its first column lies on base `first` of a sequence, or on strand - its last one.
struct PatternSite {
  size_t of = 0;  // index of the BaseContributions
  int64_t first = 0;
  char strand = '+';
  double similarity = 0;  // cosine of the contributions there and the mean of the pattern's other sites
};

struct Pattern {
  Motif motif = {};      // counted from the sites; without a name
  Weights weights = {};  // mean contributions, with the motif's columns
  std::vector<PatternSite> sites = {};
};

/// Groups seqlets, descending by the number of their sites. Each group grows from a seqlet and those most like it: it
/// takes the seqlets that are more like the mean contributions of its members than nearly all are like the same with
/// the bases of each column exchanged, at the best offset on the better strand, until it changes no more. Patterns that
/// are alike are made one, and one whose mean contributions add up to less than nothing is none. Independent of
/// `threads`.
std::vector<Pattern> find_patterns(const std::vector<BaseContributions>& all, const std::vector<Seqlet>& seqlets,
                                   int threads, const PatternOptions& options = {});

}  // namespace bigdna::motif
