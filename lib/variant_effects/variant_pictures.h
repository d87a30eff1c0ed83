/// Pictures of the strongest variants: what each base contributes with the reference and with the alternative.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "variant_effects/variant_scorer.h"

namespace bigdna::variant_effects {

class VariantPictures {
 public:
  /// `folder`: "" for no pictures. `most`: how many variants are drawn.
  VariantPictures(std::string folder, int64_t most) : folder_(std::move(folder)), most_(static_cast<size_t>(most)) {}
  /// Keeps an allele if the largest absolute value of the first effect is among the largest so far; of equal ones those
  /// that came first.
  void add(const PlannedAllele& allele, std::span<const float> values, std::span<const variants::Column> columns);
  /// FOLDER/N_CONTIG_POSITION_REF_ALT_FEATURE.svg: the logos of both alleles side by side, on one scale. By
  /// mutagenesis, in the sequences that the scorer's network reads for the allele.
  void draw(const VariantScorer& scorer, const VariantPlaces& places) const;

 private:
  struct Strong {
    float value;
    int64_t column;
    PlannedAllele allele;
  };
  std::string folder_;
  size_t most_;
  std::vector<Strong> strongest_;  // the largest first
};

}  // namespace bigdna::variant_effects
