#include "variants/effects.h"

#include <algorithm>
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
  const char *name, *text;
  const char* of_numbers = nullptr;  // what `text` is where a model predicts numbers; null: the same, or it has none
  bool of_outputs = true;            // is_of_outputs()
};
constexpr Row kEffects[] = {
    {Effect::diff, "DIFF", "p(alt) - p(ref)", "prediction of alt - prediction of ref"},
    {Effect::logit, "LOGIT", "logit p(alt) - logit p(ref) (mean over models and strands)"},
    {Effect::sar, "SAR", "log2(1 + p(alt)) - log2(1 + p(ref))"},
    {Effect::dist, "DIST", "Euclidean distance of the mean hidden states of ref and alt", nullptr, false},
    {Effect::llr, "LLR", "ln p(alt) - ln p(ref) of the bases by a language model", nullptr, false},
    {Effect::p_ref, "P_REF", "p(ref)", "prediction of ref"},
    {Effect::p_alt, "P_ALT", "p(alt)", "prediction of alt"},
};
const Row& row_of(Effect effect) { return kEffects[static_cast<size_t>(effect)]; }

/// What INFO keys have of each of a model's features: its name in a key's characters and, where several features would
/// share that, its index. All features are read, so that a key means the same feature whichever are chosen.
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
}  // namespace

const char* effect_name(Effect effect) { return row_of(effect).name; }

bool is_of_outputs(Effect effect) { return row_of(effect).of_outputs; }

std::vector<std::string> effect_names() { return row_names(kEffects); }

std::vector<std::string> texts_of(std::string_view name) {
  const Row* row = find_row(kEffects, name);
  if (!row) return {};
  std::vector<std::string> texts{row->text};
  if (row->of_numbers) texts.emplace_back(row->of_numbers);
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
  if (effect == Effect::p_ref) return ref.probability;
  if (effect == Effect::p_alt) return alt.probability;
  return alt.probability - ref.probability;
}

std::vector<Column> columns_of(std::span<const Effect> effects, const std::vector<dataset::Feature>& features,
                               std::span<const int64_t> chosen, bool numbers) {
  std::vector<Column> columns;
  const auto names = dataset::column_names(features);
  const auto parts = key_parts(names);
  for (const Effect effect : effects) {
    const std::string name = effect_name(effect);
    const auto add = [&](int64_t feature, const std::string& label) {
      const std::string part = label.empty() ? "" : "_" + parts[static_cast<size_t>(feature)];
      const std::string suffix = label.empty() ? "" : ":" + label;
      const auto& row = row_of(effect);
      columns.push_back({effect, feature, label, name + suffix, "BIGDNA_" + name + part,
                         numbers && row.of_numbers ? row.of_numbers : row.text, name + "_percentile" + suffix,
                         "BIGDNA_" + name + "_PERCENTILE" + part});
    };
    if (!is_of_outputs(effect)) {
      add(-1, "");
      continue;
    }
    for (const int64_t feature : chosen) add(feature, features.size() == 1 ? "" : names[static_cast<size_t>(feature)]);
  }
  return columns;
}

}  // namespace bigdna::variants
