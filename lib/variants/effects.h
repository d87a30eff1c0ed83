/// Effects of a variant on a model's output, under their common names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/features.h"

namespace bigdna::variants {

enum class Effect {
  diff,   // p(alt) - p(ref)
  logit,  // logit p(alt) - logit p(ref), from the model's logits; the mean over models and strands
  sar,    // log2(1 + p(alt)) - log2(1 + p(ref)), as in Enformer's VEP plug-in
  dist,   // Euclidean distance between the last hidden states' means over the tokens between [CLS] and [SEP]
  llr,    // ln p(alt) - ln p(ref) of the bases themselves, by a language model (models/masked_likelihood.h)
  gap,    // the same given both flanks, by a model that was trained with gaps (session/gap_model.h)
  p_ref,  // p(ref)
  p_alt,  // p(alt)
  lfc,    // log2 of the ratio of expected counts, alt / ref, which are summed over an allele's places
  jsd,    // Jensen-Shannon distance of the profiles of ref and alt, by a profile model
  aaq,    // active allele quantile: the larger of both alleles' quantiles among the expected counts of peaks, likewise
  spread  // standard deviation, among networks, of the change in log-odds, in ln of the expected count, or in the
          // number
};
const char* effect_name(Effect effect);  // "DIFF"
/// Whether each of a model's outputs has this effect; otherwise a sequence has it.
bool is_of_outputs(Effect effect);
/// Whether it says what an allele changes, as the values of both alleles (P_REF, P_ALT) and SPREAD do not.
bool is_change(Effect effect);
/// Whether it is compared with a background. SPREAD is not.
bool has_percentile(Effect effect);
std::vector<std::string> effect_names();  // of all
/// What a model's predictions are.
enum class Predicted : uint8_t { probabilities, counts, numbers, profile };
/// Of a feature, where those that are no counts are `others`.
Predicted predicted(const dataset::Feature& feature, Predicted others);
/// Whether there is such an effect on these.
bool applies(Effect effect, Predicted predicted);
/// What the effect of this name is, as EffectColumn::text has it: of all predictions that it applies to.
std::vector<std::string> texts_of(std::string_view name);
/// Parses names joined by commas. UsageError for an unknown or repeated name.
std::vector<Effect> parse_effects(const std::string& names);

/// A model's prediction for one sequence and feature.
struct Prediction {
  double probability = 0, logit = 0;
};
/// Of an effect that is an output's number: any but dist, llr, jsd, aaq and spread.
double effect_of(Effect effect, const Prediction& ref, const Prediction& alt);

/// A column of the output: one number per allele.
struct EffectColumn {
  Effect effect{};
  int64_t feature = -1;  // of the model; -1 for none (DIST, LLR, GAP)
  std::string label;     // the feature's name in tables; "" if the model has only one
  std::string name;      // in tables: "DIFF", "DIFF:CTCF|GM12878"
  std::string info;      // INFO key: "BIGDNA_DIFF", "BIGDNA_DIFF_CTCF_GM12878"
  std::string text;      // what it is, for headers: "p(alt) - p(ref)"
  /// The same for the percentile in the background (--null): "DIFF_percentile:...", "BIGDNA_DIFF_PERCENTILE_...". ""
  /// without has_percentile().
  std::string percentile_name, percentile_info;
};
/// What INFO keys have of each of these names: the name in a key's characters and, where several would share that, its
/// index.
std::vector<std::string> key_parts(const std::vector<std::string>& names);
/// The columns, by effect and then by chosen feature. Each feature of the model has a key of its own, whichever are
/// chosen: "BIGDNA_DIFF_TSS_plus" and "BIGDNA_DIFF_TSS_minus" of the strands, "BIGDNA_DIFF_A_B_1" with the feature's
/// index where names differ only in characters that a key cannot have.
/// A feature has no column for an effect that does not apply to it. `others`: what the model predicts where it is no
/// counts.
std::vector<EffectColumn> columns_of(std::span<const Effect> effects, const std::vector<dataset::Feature>& features,
                                     std::span<const int64_t> chosen, Predicted others = Predicted::probabilities);

}  // namespace bigdna::variants
