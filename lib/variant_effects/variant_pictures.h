/// Pictures of the strongest variants: what each base contributes with the reference and with the alternative.
#pragma once

#include <span>
#include <string>

#include "variant_effects/strong_alleles.h"

namespace bigdna::variant_effects {

/// FOLDER/N_CONTIG_POSITION_REF_ALT_FEATURE.svg: the logos of both alleles side by side, on one scale, with the bases
/// of the allele marked. By mutagenesis, in the sequences that the scorer's network reads for the allele.
void draw_variants(const std::string& folder, std::span<const StrongAllele> alleles, const VariantScorer& scorer,
                   const VariantPlaces& places);

}  // namespace bigdna::variant_effects
