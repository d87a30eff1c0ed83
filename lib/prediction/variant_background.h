/// The background variants of --null: drawn and scored once per model, then read from the model's folder.
#pragma once

#include "prediction/variant_scorer.h"
#include "variants/background.h"

namespace bigdna::prediction {

/// Reads the background, or scores it (loading the model if necessary) and keeps it: in the user's cache
/// or, if that cannot be written, for this run only, with a warning.
variants::Background background_of(const VariantOptions& options, const VariantScorer& scorer,
                                   const VariantPlaces& places, const genome::Genome& genome);

}  // namespace bigdna::prediction
