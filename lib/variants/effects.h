/// What a variant does to a model's output, by the names the field uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataset/features.h"

namespace bigdna::variants {

enum class Effect {
  diff,   // p(alt) - p(ref)
  logit,  // logit p(alt) - logit p(ref), from the model's logits
  sar,    // log2(1 + p(alt)) - log2(1 + p(ref)), as Enformer's VEP plug-in has it
  dist    // Euclidean distance of the means of the last hidden states over all tokens
};
const char* effect_name(Effect effect);  // "DIFF"
/// Of names joined by commas, each once. UsageError for one that is unknown.
std::vector<Effect> parse_effects(const std::string& names);

/// A model's answer for one sequence and feature.
struct Prediction {
  double probability = 0, logit = 0;
};
/// diff, logit or sar.
double effect_of(Effect effect, const Prediction& ref, const Prediction& alt);

/// One number for each allele: what outputs have a column for.
struct Column {
  Effect effect{};
  int64_t feature = -1;  // of the model; -1: no feature's (DIST)
  std::string label;     // of the feature as tables name it; "" where the model has only one
  std::string name;      // in tables: "DIFF", "DIFF:CTCF|GM12878"
  std::string info;      // INFO key: "BIGDNA_DIFF", "BIGDNA_DIFF_CTCF_GM12878"
  std::string text;      // what it is, for headers: "p(alt) - p(ref)"
  /// The same for the percentile in the background (--null): "DIFF_percentile:...", "BIGDNA_DIFF_PERCENTILE_...".
  std::string percentile_name, percentile_info;
};
/// Effect by effect, the chosen features of each in order. Keys differ where names differ only in letters that a key cannot hold.
/// `numbers`: the model predicts numbers, not probabilities.
std::vector<Column> columns_of(std::span<const Effect> effects, const std::vector<dataset::Feature>& features,
                               std::span<const int64_t> chosen, bool numbers = false);

}  // namespace bigdna::variants
