#include "model_folder/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/error.h"
#include "base/table.h"
#include "model_folder/config.h"
#include "model_folder/stack.h"

namespace bigdna::model_folder {
namespace {

constexpr double kMostLayers = 10'000, kHalf = -1;
constexpr std::array kCommon{
    Setting{"from", "first layer, from 0, that uses it; those before attend by --pattern alone", 1, 0, kMostLayers},
    Setting{"local", "heads of these layers that still attend by --pattern (default: half)", kHalf, 0, kMostLayers},
};

/// All settings that a row takes.
std::vector<Setting> settings_of(const AttentionRow& row) {
  std::vector<Setting> all;
  if (&row != attentions().data()) all.assign(kCommon.begin(), kCommon.end());
  all.insert(all.end(), row.settings.begin(), row.settings.end());
  return all;
}

}  // namespace

const AttentionRow& attention(std::string_view name) { return row_named(attentions(), name, "attention"); }
const AttentionRow& attention(const ModelConfig& config) { return attention(config.attention.name); }
size_t attention_index(const ModelConfig& config) {
  return static_cast<size_t>(&attention(config) - attentions().data());
}

std::span<const Setting> common_settings() { return kCommon; }

AttentionConfig attention_from(std::string_view text, int64_t heads) {
  AttentionConfig config(chosen_from("attention", text, settings_of(attention(row_name(text)))));
  if (const auto local = config.settings.find("local"); local != config.settings.end() && local->second == kHalf)
    local->second = static_cast<double>(heads / 2);
  return config;
}

std::string to_string(const AttentionConfig& config) { return to_string(config, settings_of(attention(config.name))); }

nlohmann::ordered_json attention_json(const AttentionConfig& config) {
  nlohmann::ordered_json json{{"name", config.name}};
  for (const auto& setting : settings_of(attention(config.name))) {
    const double value = config.at(std::string(setting.name));
    if (!setting.words.empty())
      json[setting.name] = setting_text(setting, value);
    else if (setting.whole)
      json[setting.name] = static_cast<int64_t>(value);
    else
      json[setting.name] = value;
  }
  return json;
}

AttentionConfig attention_from_json(const nlohmann::json& json) {
  AttentionConfig config;
  config.name = json.at("name").get<std::string>();
  const AttentionRow& row = attention(config.name);
  const auto settings = settings_of(row);
  const std::string what = concat("attention ", row.name);
  for (const auto& [key, value] : json.items())
    if (key != "name") setting_of(what, settings, key);
  for (const auto& setting : settings) {
    const std::string key(setting.name);
    const auto& value = json.at(key);
    const std::string text =
        setting.words.empty() ? setting_text(setting, value.get<double>()) : value.get<std::string>();
    config.settings[key] = value_of(what, setting, text);
  }
  return config;
}

int64_t pattern_heads(const ModelConfig& config, int64_t layer) {
  if (attention_index(config) == 0 || static_cast<double>(layer_of_run(config, layer)) < config.attention.at("from"))
    return config.heads;
  return static_cast<int64_t>(config.attention.at("local"));
}

int64_t attention_heads(const ModelConfig& config) {
  return attention_index(config) == 0 ? 0 : config.heads - static_cast<int64_t>(config.attention.at("local"));
}

int64_t key_heads(const ModelConfig& config, int64_t layer) {
  return attention(config).shares_queries ? pattern_heads(config, layer) : config.heads;
}

LshBuckets lsh_buckets(int64_t asked, int64_t n, int64_t chunk) {
  constexpr int64_t kOneHash = 128;  // with more buckets, hashing would cost more than attention
  const auto even = [](double count) { return 2 * static_cast<int64_t>(std::ceil(count / 2)); };
  const int64_t whole = asked > 0 ? asked : n <= chunk ? 1 : 2 * ((n + chunk - 1) / chunk);
  if (whole == 1) return {};
  if (whole <= kOneHash) return {even(static_cast<double>(whole)), 1};
  const int64_t first = even(std::sqrt(static_cast<double>(whole)));
  return {first, even(static_cast<double>(whole) / static_cast<double>(first))};
}

void check_attention(const ModelConfig& config) {
  const AttentionRow& row = attention(config);
  if (attention_index(config) == 0) return;
  const auto require = [&](bool holds, const auto&... cause) {
    if (!holds) throw UsageError(concat("attention ", row.name, ": ", cause...));
  };
  const auto from = static_cast<int64_t>(config.attention.at("from"));
  require(from < config.layers, "it begins at layer ", from, " (counted from 0), but the model has ", config.layers,
          "; from=0 begins at the first");
  require(attention_heads(config) > 0, "all ", config.heads, " heads are local; local must be below that");
  require(config.attention_dropout == 0, "it cannot drop attention weights; use --dropout 0");
  require(config.pattern.random_blocks != sparsity::RandomBlocks::huggingface,
          "it cannot be combined with random blocks of transformers, which depend on padding");
  require(!config.pattern.causal || row.not_causal.empty(), "it cannot be causal: ", row.not_causal);
  if (row.check) row.check(config);
}

void attention_shapes(const ModelConfig& config, std::string_view prefix,
                      std::map<std::string, std::vector<int64_t>>& shapes) {
  const AttentionRow& row = attention(config);
  for (int64_t layer = 0; layer < config.layers; ++layer)
    if (pattern_heads(config, layer) < config.heads)
      for (const auto& own : row.parameters)
        if (auto shape = own.shape(config); !shape.empty())
          shapes[concat(prefix, layer, ".", own_prefix(row.name), own.name)] = std::move(shape);
}

}  // namespace bigdna::model_folder
