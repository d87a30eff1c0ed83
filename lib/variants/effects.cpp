#include "variants/effects.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/table.h"
#include "io/lines.h"

namespace bigdna::variants {

namespace {
struct Row {
  Effect effect;
  const char* name;
  std::array<const char*, 4> text;  // by Predicted; null: it does not apply
  bool of_outputs = true;           // is_of_outputs()
};
constexpr const char *kRatioOfBases = "ln p(alt) - ln p(ref) of the bases by a language model",
                     *kRatioOfGaps = "ln p(alt) - ln p(ref) of the bases given both flanks, by a model of gaps",
                     *kDifference = "expected count of alt - expected count of ref",
                     *kSoftRatio = "log2(1 + expected count of alt) - log2(1 + expected count of ref)",
                     *kDistance = "Euclidean distance of the mean hidden states of ref and alt",
                     *kRatio = "log2 of expected count of alt / expected count of ref, summed over bins within --reach";
constexpr Row kEffects[] = {
    {Effect::diff, "DIFF", {"p(alt) - p(ref)", kDifference, "prediction of alt - prediction of ref", kDifference}},
    {Effect::logit, "LOGIT", {"logit p(alt) - logit p(ref) (mean over models and strands)", nullptr, nullptr, nullptr}},
    {Effect::sar, "SAR", {"log2(1 + p(alt)) - log2(1 + p(ref))", kSoftRatio, nullptr, kSoftRatio}},
    {Effect::dist, "DIST", {kDistance, kDistance, kDistance, nullptr}, false},
    {Effect::llr, "LLR", {kRatioOfBases, kRatioOfBases, kRatioOfBases, nullptr}, false},
    {Effect::gap, "GAP", {kRatioOfGaps, kRatioOfGaps, kRatioOfGaps, nullptr}, false},
    {Effect::p_ref, "P_REF", {"p(ref)", "expected count of ref", "prediction of ref", "expected count of ref"}},
    {Effect::p_alt, "P_ALT", {"p(alt)", "expected count of alt", "prediction of alt", "expected count of alt"}},
    {Effect::lfc, "LFC", {nullptr, kRatio, nullptr, "log2 of expected count of alt / expected count of ref"}},
    {Effect::jsd,
     "JSD",
     {nullptr, nullptr, nullptr, "Jensen-Shannon distance of the profiles of ref and alt (base 2)"}},
    {Effect::aaq,
     "AAQ",
     {nullptr, nullptr, nullptr, "the larger of the quantiles of ref and alt among the expected counts of peaks"}},
    {Effect::spread,
     "SPREAD",
     {"standard deviation among networks of logit p(alt) - logit p(ref)",
      "standard deviation among networks of ln(expected count of alt / expected count of ref)",
      "standard deviation among networks of prediction of alt - prediction of ref", nullptr}},
};
const Row& row_of(Effect effect) { return kEffects[static_cast<size_t>(effect)]; }

}  // namespace

std::vector<std::string> key_parts(const std::vector<std::string>& names) {
  auto parts = dataset::file_names(names);  // TSS|+: TSS_plus
  std::map<std::string, int> count;
  for (auto& part : parts) {
    std::ranges::replace_if(
        part, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    ++count[part];
  }
  for (size_t i = 0; i < parts.size(); ++i)
    if (count[parts[i]] > 1) {
      const auto own = concat(parts[i], '_', i);
      for (parts[i] = own; count.contains(parts[i]);) parts[i] += '_';
    }
  return parts;
}

const char* effect_name(Effect effect) { return row_of(effect).name; }

bool is_of_outputs(Effect effect) { return row_of(effect).of_outputs; }

bool is_change(Effect effect) { return effect != Effect::p_ref && effect != Effect::p_alt && effect != Effect::spread; }

bool has_percentile(Effect effect) { return effect != Effect::spread; }

std::vector<std::string> effect_names() { return row_names(kEffects); }

Predicted predicted(const dataset::Feature& feature, Predicted others) {
  return feature.kind == dataset::FeatureKind::counts ? Predicted::counts : others;
}

bool applies(Effect effect, Predicted predicted) { return row_of(effect).text[static_cast<size_t>(predicted)]; }

std::vector<std::string> texts_of(std::string_view name) {
  const Row* row = find_row(kEffects, name);
  std::vector<std::string> texts;
  if (row)
    for (const char* text : row->text)
      if (text && std::ranges::find(texts, text) == texts.end()) texts.emplace_back(text);
  return texts;
}

std::vector<Effect> parse_effects(const std::string& names) {
  std::vector<Effect> effects;
  for (const auto name : io::split(names, ',')) {
    const Row* found = find_row(kEffects, name);
    if (!found) throw UsageError(concat("--effects ", names, ": '", name, "' is not ", listed(effect_names(), ", ")));
    if (std::find(effects.begin(), effects.end(), found->effect) != effects.end())
      throw UsageError(concat("--effects ", names, ": has ", name, " twice"));
    effects.push_back(found->effect);
  }
  return effects;
}

double effect_of(Effect effect, const Prediction& ref, const Prediction& alt) {
  if (effect == Effect::logit) return alt.logit - ref.logit;
  if (effect == Effect::sar) return (std::log1p(alt.probability) - std::log1p(ref.probability)) / std::log(2.0);
  if (effect == Effect::lfc) return std::log2(alt.probability / ref.probability);
  if (effect == Effect::p_ref) return ref.probability;
  if (effect == Effect::p_alt) return alt.probability;
  return alt.probability - ref.probability;
}

std::vector<EffectColumn> columns_of(std::span<const Effect> effects, const std::vector<dataset::Feature>& features,
                                     std::span<const int64_t> chosen, Predicted others) {
  std::vector<EffectColumn> columns;
  const auto names = dataset::column_names(features);
  const auto parts = key_parts(names);  // of all, so that a key means the same feature whichever are chosen
  for (const Effect effect : effects) {
    const std::string name = effect_name(effect);
    const auto add = [&](int64_t feature, const std::string& label) {
      const std::string part = label.empty() ? "" : "_" + parts[static_cast<size_t>(feature)];
      const std::string suffix = label.empty() ? "" : ":" + label;
      const auto what = feature < 0 ? others : predicted(features[static_cast<size_t>(feature)], others);
      columns.push_back({effect, feature, label, name + suffix, "BIGDNA_" + name + part,
                         row_of(effect).text[static_cast<size_t>(what)],
                         has_percentile(effect) ? name + "_percentile" + suffix : "",
                         has_percentile(effect) ? "BIGDNA_" + name + "_PERCENTILE" + part : ""});
    };
    if (!is_of_outputs(effect)) {
      add(-1, "");
      continue;
    }
    for (const int64_t feature : chosen)
      if (applies(effect, predicted(features[static_cast<size_t>(feature)], others)))
        add(feature, features.size() == 1 ? "" : names[static_cast<size_t>(feature)]);
  }
  return columns;
}

}  // namespace bigdna::variants
