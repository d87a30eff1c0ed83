/// Which contigs a command reads (--contigs primary|all|REGEX), and hold-outs by interval.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::genome {

/// "primary": all but *_alt, *_random, *_fix, chrUn*, *decoy*, hs37d5, HLA*; "all"; or an ECMAScript regular
/// expression that must match the whole name. UsageError for a bad expression.
class ContigFilter {
 public:
  explicit ContigFilter(std::string choice = "primary");
  bool operator()(const std::string& name) const;
  const std::string& choice() const { return choice_; }

 private:
  struct State;  // <regex> stays out of this header
  std::string choice_;
  std::shared_ptr<const State> expression_;  // none for "primary" and "all"
};

/// One line on stderr, where --contigs leaves any out: how many of `total`, the first and the last.
void say_left_out(const std::string& choice, const std::vector<std::string>& left_out, size_t total);

struct ChosenContigs {
  std::vector<Contig> contigs;
  std::vector<std::string> left_out;
};
/// The genome's contigs that --contigs chooses; an Error where none is left.
ChosenContigs chosen_contigs(const Genome& genome, const std::string& choice);

/// The set in the contigs' own spelling ("chr20" for "20"), cut to their lengths; what lies on none of them is left out.
IntervalSet on_contigs(const IntervalSet& set, const std::vector<Contig>& contigs);
/// All of the contigs.
IntervalSet all_of(const std::vector<Contig>& contigs);

/// A BED file's intervals in the contigs' own spelling. What lies on none of them is left out and
/// counted on stderr, what reaches past a contig's end is cut there with a warning.
IntervalSet intervals_of_bed(const std::string& path, const std::vector<Contig>& contigs);

/// What --hold-out BED|CONTIG|FRACTION holds out of the contigs (docs/semantics.md): the intervals of a BED file,
/// a whole contig (comma-separated names), or a fraction in whole blocks of 1 Mb (smaller where the genome has fewer
/// than 40 of them: total/40) drawn by the seed. "0" and "none": nothing. Errors name what is wrong.
IntervalSet held_out(const std::string& choice, const std::vector<Contig>& contigs, uint64_t seed);

}  // namespace bigdna::genome
