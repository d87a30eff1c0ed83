/// `bigdna variants`: what alleles do to a model's predictions.
#pragma once

#include "variant_effects/variant_options.h"

namespace bigdna::variant_effects {

/// The records of a VCF or BCF file with what each alternative allele does to the model's output.
void predict_variants(const VariantOptions& options);

/// Writes the index of a complete output, if one was asked for and none is there.
void complete_index(const VariantOptions& options);

}  // namespace bigdna::variant_effects
