/// The background of --null: drawn and scored once per model, then read from the model's folder.
#pragma once

#include "prediction/variant_scorer.h"
#include "variants/background.h"

namespace bigdna::prediction {

/// Reads it, or scores it (the model is loaded for that, where it is not yet) and keeps it: in the folder of the first model
/// or, where that cannot be written, for this run alone, with a warning.
variants::Background background_of(const VariantOptions& options, const VariantScorer& scorer, const VariantPlaces& places,
                                   const genome::Genome& genome);

}  // namespace bigdna::prediction
