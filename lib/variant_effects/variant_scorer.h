/// Computes effects of alleles by one model, or their mean over an ensemble.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/ensemble.h"
#include "models/spread.h"
#include "variant_effects/allele_scores.h"
#include "variant_effects/variant_places.h"
#include "tokenizer/encoder.h"
#include "variants/edit.h"
#include "variants/effects.h"

namespace bigdna::variant_effects {

/// An allele with the sequence that scoring it needs.
struct PlannedAllele {
  variants::Allele allele;                // as its record has it
  variants::Allele change;                // what is scored: variants::minimal() of it, so that padding alters no effect
  std::vector<genome::Region> intervals;  // VariantPlaces::of(); none if the allele is skipped
  // forward bases from `around_start` on: all intervals, and what a deletion draws in
  std::string around;
  int64_t around_start = 0;
  bool contains_n = false;  // in the intervals
  double gc = 0.5;          // gc_around(); with --null
};
PlannedAllele plan(variants::Allele allele, const VariantPlaces& places, variants::GenomeWindow& window, bool with_gc);

class VariantScorer {
 public:
  /// Opens the models and checks what the options ask of them; no weights are read yet. `options` must outlive this.
  explicit VariantScorer(const VariantOptions& options);
  /// Those of the models. Strands: the mean of both is the default where a language model scores alleles.
  const models::TaskDetails& details() const { return details_; }
  /// Ensemble::load(), and with SPREAD the networks by themselves.
  void load();

  const models::Ensemble& models() const { return models_; }
  const std::vector<variants::EffectColumn>& columns() const { return columns_; }
  /// Those of them that are compared with a background.
  std::vector<variants::EffectColumn> ranked_columns() const;
  /// Everything about the models that decides the numbers, for a journal.
  nlohmann::ordered_json identity() const;
  /// How many threads may call score() at the same time.
  int threads() const { return models_.placement().streams(); }

  /// Effects, row-major [alleles.size(), columns().size()]; NaN for alleles that are skipped. Alleles with the same
  /// interval share its reference. Runs on the calling thread. The alleles must have been planned with `places`.
  std::vector<float> score(std::span<const PlannedAllele> alleles, const VariantPlaces& places) const {
    return score(alleles, places, columns_);
  }
  /// The same of other columns, of columns_of().
  std::vector<float> score(std::span<const PlannedAllele> alleles, const VariantPlaces& places,
                           std::span<const variants::EffectColumn> columns) const;
  /// The columns of some effects on some features, as far as they apply; none where the scorer reads no outputs.
  std::vector<variants::EffectColumn> columns_of(const std::vector<variants::Effect>& effects,
                                                 const std::vector<int64_t>& features) const;

 private:
  struct Sequence;
  struct Logits;
  struct Outputs;
  struct Strand;
  struct Layout;
  /// Which sequences are read for each allele.
  Layout lay_out(std::span<const PlannedAllele> alleles, const VariantPlaces& places) const;
  Outputs outputs_of(size_t member, const Layout& layout) const;
  /// Of an interval: the means over its strands and over these models.
  Scores scores_of(const std::vector<const Logits*>& logits, const std::vector<Strand>& of_interval) const;
  /// An allele's row of columns.
  void effects(const std::vector<Outputs>& outputs, const std::vector<std::vector<Strand>>& of_allele,
               bool largest_score, std::span<const variants::EffectColumn> columns, std::span<float> row) const;

  const VariantOptions& options_;
  models::Ensemble models_;
  models::TaskDetails details_;
  variants::Predicted others_;  // what outputs that are no counts are
  std::vector<variants::EffectColumn> columns_;
  bool needs_scores_ = false, needs_hidden_ = false, needs_likelihoods_ = false, needs_gaps_ = false,
       needs_spread_ = false;
  std::optional<models::Spread> spread_;  // after load(); with SPREAD
};

}  // namespace bigdna::variant_effects
