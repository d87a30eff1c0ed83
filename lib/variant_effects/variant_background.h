/// The background variants that effects are compared with: drawn and scored once per model and genome, and then read
/// from the user's cache (--null); or those that come with the model (--model-background).
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "variant_effects/variant_scorer.h"
#include "variants/background.h"

namespace bigdna::variant_effects {

/// What a background needs of a model.
struct BackgroundModel {
  std::vector<genome::Region> places;  // where variants may be drawn
  /// The allele with the sequence that it needs, and its gc; without intervals if it cannot be scored.
  std::function<PlannedAllele(variants::Allele, variants::GenomeWindow&)> plan;
  /// Row-major [alleles, columns].
  std::function<std::vector<float>(std::span<const PlannedAllele>)> score;
  size_t columns = 0;
  int threads = 1;
  /// What decides the effects: of the models ("models", each with its "weights", and the columns), and of the options.
  nlohmann::ordered_json identity, settings;
};
/// That of a scorer and its places, which must outlive it.
BackgroundModel background_model(const VariantOptions& options, const VariantScorer& scorer,
                                 const VariantPlaces& places);

/// Reads the background, or scores it (loading the model if necessary) and keeps it: in the user's cache
/// or, if that cannot be written, for this run only, with a warning.
variants::Background background_of(const VariantOptions& options, const BackgroundModel& model,
                                   const genome::Genome& genome);

/// Reads model_folder::kBackgroundFile of the model's folder, a file that background_of() kept. Error if it is missing,
/// or was scored with other settings or without one of the columns; the genome may be another.
variants::Background background_of_model(const VariantOptions& options, const VariantScorer& scorer,
                                         const VariantPlaces& places);

}  // namespace bigdna::variant_effects
