/// Negatives of the promoter task, made from a positive's own bases (docs/semantics.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "genome/interval_set.h"

namespace bigdna::dataset {

/// Cuts the bases into `pieces` parts of (nearly) equal length, of which `changed`, drawn at random, are changed.
struct SyntheticOptions {
  int pieces = 20, changed = 12;
};
/// A kind of synthetic negative: a row of synthetic_kinds().
struct SyntheticKind {
  std::string_view name, summary;
  std::string (*make)(std::string_view bases, const SyntheticOptions&, Rng&);
  int fewest_changed = 1;    // pieces, or a negative equals its promoter
  int64_t least_length = 1;  // bp of a piece, likewise
};
/// substitute, permute, shuffle.
std::span<const SyntheticKind> synthetic_kinds();
/// UsageError if negatives of the kind would equal their promoters of `length` bp, or if more pieces are to change than
/// there are.
void check_negatives(const SyntheticKind& kind, const SyntheticOptions& options, int64_t length);

/// Replaces the changed pieces' bases by random ones (the paper, after DeePromoter: Oubounyt et al. 2019).
std::string substitute(std::string_view bases, const SyntheticOptions& options, Rng& rng);
/// Permutes the changed pieces, leaving none in its place (GENA-LM's interpretation).
std::string permute(std::string_view bases, const SyntheticOptions& options, Rng& rng);
/// Shuffles the bases inside each changed piece.
std::string shuffle(std::string_view bases, const SyntheticOptions& options, Rng& rng);

/// Counts of G or C, and of N, over a contig, for any interval in O(1).
class Composition {
 public:
  explicit Composition(std::string_view bases);  // the bases must outlive this object
  int64_t gc(int64_t start, int64_t end) const { return at(gc_, start, end, true); }
  int64_t n(int64_t start, int64_t end) const { return at(n_, start, end, false); }
  /// Share of G and C among A, C, G, T; 0 if there are none of these.
  double gc_fraction(int64_t start, int64_t end) const;
  double n_fraction(int64_t start, int64_t end) const;

 private:
  static constexpr int64_t kStep = 64;
  int64_t at(const std::vector<uint32_t>& counts, int64_t start, int64_t end, bool gc) const;
  int64_t before(const std::vector<uint32_t>& counts, int64_t position, bool gc) const;
  std::string_view bases_;
  std::vector<uint32_t> gc_, n_;  // bases before each multiple of kStep
};

/// Options for drawing real intervals with a given share of G and C.
struct GenomicOptions {
  double max_n_fraction = 0.1;
  double gc_tolerance = 0.02;  // an interval this near in GC is taken
  int tries = 2000;            // after which the nearest interval so far is taken
};
/// The 0-based start of an interval of `length` bases whose GC share is near `gc`, inside `territory` (sorted,
/// disjoint) and without overlap with `taken`; nullopt if no attempt succeeded.
std::optional<int64_t> draw_genomic(const Composition& composition, const std::string& contig,
                                    const std::vector<genome::IntervalSet::Interval>& territory,
                                    const genome::IntervalSet& taken, int64_t length, double gc,
                                    const GenomicOptions& options, Rng& rng);

}  // namespace bigdna::dataset
