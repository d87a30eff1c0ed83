/// Which contigs a command reads (--contigs primary|all|REGEX), and hold-outs by interval.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::genome {

/// "primary": all but *_alt, *_random, *_fix, chrUn*, *decoy*, hs37d5, HLA*; "all"; a contig's exact name; or an
/// ECMAScript regular expression that must match the whole name. An expression of letters, digits, '_', '-' and '|'
/// alone ("chr20", "20|21") matches a name in its other spelling, too. UsageError for a bad expression.
class ContigFilter {
 public:
  explicit ContigFilter(std::string choice = "primary");
  bool operator()(const std::string& name) const;
  const std::string& choice() const { return choice_; }

 private:
  struct State;  // <regex> stays out of this header
  std::string choice_;
  bool plain_ = false;                       // the other spelling matches, too
  std::shared_ptr<const State> expression_;  // none for "primary" and "all"
};

/// Logs how many of `total` contigs --contigs leaves out, with the first and the last of them; nothing if there are
/// none.
void log_left_out(const std::string& choice, const std::vector<std::string>& left_out, size_t total);

struct ChosenContigs {
  std::vector<Contig> contigs;
  std::vector<std::string> left_out;
};
/// The genome's contigs that --contigs chooses; Error if there are none.
ChosenContigs chosen_contigs(const Genome& genome, const std::string& choice);

/// The set under the contigs' names ("chr20" for "20"), cut to their lengths, without intervals on other contigs.
IntervalSet on_contigs(const IntervalSet& set, const std::vector<Contig>& contigs);
/// All of the contigs.
IntervalSet all_of(const std::vector<Contig>& contigs);

/// A BED file's intervals under the contigs' names. Intervals on other contigs are left out, and their number is
/// logged; those that reach past a contig's end are cut there, with a warning.
IntervalSet intervals_of_bed(const std::string& path, const std::vector<Contig>& contigs);

/// Warns if intervals that `recorder` was trained on reach past their contig's end in the genome: they are another
/// genome's, so whether the genome's sequence is among them is not known.
void warn_of_other_genome(const IntervalSet& recorded, const std::string& recorder, const Genome& genome);

/// What --hold-out BED|CONTIG|FRACTION holds out of the contigs (docs/semantics.md): the intervals of a BED file, whole
/// contigs (comma-separated names), or a fraction, in blocks of 1 Mb that the seed draws (blocks of a fortieth of the
/// genome if it has fewer than 40 Mb). "0" and "none" hold out nothing. Error: not one of these, or nothing is held
/// out.
IntervalSet held_out(const std::string& choice, const std::vector<Contig>& contigs, uint64_t seed);

}  // namespace bigdna::genome
