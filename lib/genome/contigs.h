/// Which contigs a command reads (--contigs primary|all|REGEX), and hold-outs by interval.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::genome {

/// "primary": all but *_alt, *_random, *_fix, chrUn*, *decoy*, hs37d5, HLA*; "all"; a contig's exact name; or a
/// regular expression of RE2 (linear time, no lookahead) that must match the whole name. One of letters, digits, '_',
/// '-' and '|' alone ("chr20", "20|21") matches a name in its other spelling, too. UsageError for a bad expression.
class ContigFilter {
 public:
  explicit ContigFilter(std::string choice = "primary");
  /// For contigs that are known: if one of them is called exactly so, it alone is chosen, and not what else an
  /// expression of these characters matches.
  ContigFilter(std::string choice, const std::vector<Contig>& contigs);
  bool operator()(const std::string& name) const;
  /// Whether the choice, which is neither "primary" nor "all", is this name.
  bool is_name(const std::string& name) const { return expression_ && name == choice_; }
  /// Whether the choice is an expression with wildcards, which may be a contig's name nonetheless.
  bool has_wildcards() const { return expression_ && !plain_; }

 private:
  struct State;  // re2.h stays out of this header
  std::string choice_;
  bool plain_ = false;                       // the other spelling matches, too
  bool exact_ = false;                       // a contig is called so
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

/// Those of the contigs whose names are among `names`.
std::vector<Contig> contigs_named(const std::vector<Contig>& contigs, const std::set<std::string>& names);
/// Contigs as manifests of corpora and datasets record them under "contigs": [{"name", "length"}, ...].
nlohmann::ordered_json to_json(const std::vector<Contig>& contigs);
/// What a manifest's details record under "contigs"; none if there is no such key. Error if it is of another form.
std::vector<Contig> recorded_contigs(const nlohmann::ordered_json& details);

/// The set as this genome has it: of a contig that has several lengths in the set, the intervals of the genome's
/// length. If it is none of them, IntervalSet::fits() is false as before. Readers that ask the set for positions call
/// this first.
IntervalSet in_genome(IntervalSet set, const std::vector<Contig>& contigs);
/// The set under the contigs' names ("chr20" for "20"), cut to their lengths, without intervals on other contigs.
IntervalSet on_contigs(const IntervalSet& set, const std::vector<Contig>& contigs);
/// All of the contigs.
IntervalSet all_of(const std::vector<Contig>& contigs);

/// A BED file's intervals under the contigs' names. Intervals on other contigs are left out, and their number is
/// logged; those that reach past a contig's end are cut there, with a warning. So is a file that looks like bedGraph.
IntervalSet intervals_of_bed(const std::string& path, const std::vector<Contig>& contigs);

/// Why the recorded intervals are of another assembly than `contigs` (`whose`: the file): "20 of 63025520 bp, but
/// hg38.fa has chr20 of 64444167 bp", the first contig that does not fit (IntervalSet::fits()). nullopt if all do.
std::optional<std::string> other_genome(const IntervalSet& recorded, const std::vector<Contig>& contigs,
                                        const std::string& whose);
/// Warns if intervals that `recorder` was trained on are of another assembly, so that it is not known whether sequence
/// of these contigs is among them.
void warn_of_other_genome(const IntervalSet& recorded, const std::string& recorder, const std::vector<Contig>& contigs,
                          const std::string& whose);

/// What --hold-out BED|CONTIG|FRACTION holds out of the contigs (docs/semantics.md): the intervals of a BED file, whole
/// contigs (comma-separated names), or a fraction, in blocks of 1 Mb that the seed draws (blocks of a fortieth of the
/// genome if it has fewer than 40 Mb). "0" and "none" hold out nothing. Error: not one of these, or nothing is held
/// out.
IntervalSet held_out(const std::string& choice, const std::vector<Contig>& contigs, uint64_t seed);

}  // namespace bigdna::genome
