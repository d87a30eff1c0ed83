/// bigdna haplotypes: how predictions change with all alleles of a sample's haplotype.
#pragma once

#include "variant_effects/haplotype_options.h"

namespace bigdna::variant_effects {

/// The command. Errors name model, file and record; models that read tokens are an Error.
void haplotypes(const HaplotypeOptions& options);

}  // namespace bigdna::variant_effects
