/// The alleles with the largest effects, which are drawn and listed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/nearest_site.h"
#include "io/row_writer.h"
#include "variant_effects/variant_scorer.h"
#include "variants/vcf_reader.h"
#include "variants/writer.h"

namespace bigdna::variant_effects {

struct StrongAllele {
  PlannedAllele planned;
  std::string contig, id, ref, alt;  // as the input has them
  variants::EffectColumn column;     // in which its first effect is largest
  float value = NAN, percentile = NAN;
  std::optional<bool> seen;                     // ScoredAllele::seen
  std::vector<float> tracks;                    // ScoredAllele::tracks
  float p_ref = NAN, p_alt = NAN, logit = NAN;  // of that output, where they are known: describe()
  float spread = NAN;                           // of that output; with SPREAD among the effects
};

class StrongAlleles {
 public:
  explicit StrongAlleles(int64_t most) : most_(static_cast<size_t>(most)) {}
  /// Keeps an allele if the largest absolute value of the first effect (of those that are changes, if there are any) is
  /// among the largest so far; of equal ones those that came first.
  void add(const variants::VcfRecord& record, size_t alt, const PlannedAllele& planned,
           const variants::ScoredAllele& scored, std::span<const variants::EffectColumn> columns);
  /// How many alleles with an effect add() was given.
  int64_t offered() const { return offered_; }
  /// Adds what the model predicts for both alleles. Reads them again, on the scorer's threads.
  void describe(const VariantScorer& scorer, const VariantPlaces& places);
  /// The first ones, of which there may be fewer: the largest effect first.
  std::span<const StrongAllele> first(int64_t count) const {
    return std::span(all_).first(std::min(all_.size(), static_cast<size_t>(count)));
  }

 private:
  size_t most_;
  int64_t offered_ = 0;
  std::vector<StrongAllele> all_;
};

/// The table of --table, which begins when it is made, so that a name that cannot be written to costs no scores.
class RankedTable {
 public:
  /// `path`: "" for none. With `genes` it names the gene next to each allele. `tracks`: the names of --track. `spread`:
  /// whether SPREAD is among the effects.
  RankedTable(const std::string& path, const io::Provenance& provenance, std::optional<dataset::NearestSites> genes,
              const std::vector<std::string>& tracks, bool spread);
  /// `of_all`: the number of alleles with an effect, of which these are the strongest.
  void write(std::span<const StrongAllele> alleles, int64_t of_all);

 private:
  std::string path_;
  std::unique_ptr<io::RowWriter> writer_;
  std::optional<dataset::NearestSites> genes_;
  bool spread_;
};

}  // namespace bigdna::variant_effects
