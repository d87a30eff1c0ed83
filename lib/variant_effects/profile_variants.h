/// `bigdna variants` with profile models (BPNet, ChromBPNet): what alleles do to counts and profiles, as
/// kundajelab/variant-scorer defines it.
#pragma once

#include "variant_effects/variant_options.h"

namespace bigdna::variant_effects {

/// predict_variants() for such a model.
void predict_profile_variants(const VariantOptions& options);

}  // namespace bigdna::variant_effects
