/// The background variants that effects are compared with: drawn and scored once per model and genome, and then read
/// from the user's cache (--null); or those that come with the model (--model-background).
#pragma once

#include "variant_effects/variant_scorer.h"
#include "variants/background.h"

namespace bigdna::variant_effects {

/// Reads the background, or scores it (loading the model if necessary) and keeps it: in the user's cache
/// or, if that cannot be written, for this run only, with a warning.
variants::Background background_of(const VariantOptions& options, const VariantScorer& scorer,
                                   const VariantPlaces& places, const genome::Genome& genome);

/// Reads model_folder::kBackgroundFile of the model's folder, a file that background_of() kept. Error if it is missing,
/// or was scored with other settings or without one of the columns; the genome may be another.
variants::Background background_of_model(const VariantOptions& options, const VariantScorer& scorer,
                                         const VariantPlaces& places);

}  // namespace bigdna::variant_effects
