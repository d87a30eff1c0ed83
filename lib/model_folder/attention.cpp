#include "model_folder/attention.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/error.h"
#include "base/number.h"
#include "base/table.h"
#include "model_folder/config.h"

namespace bigdna::model_folder {
namespace {

constexpr double kMostLayers = 10'000, kHalf = -1;
constexpr std::array kCommon{
    AttentionSetting{"from", "first layer, from 0, that uses it; those before attend by --pattern alone", 1, 0,
                     kMostLayers},
    AttentionSetting{"local", "heads of these layers that attend by --pattern all the same (default: half)", kHalf, 0,
                     kMostLayers},
};

/// All settings that a row takes.
std::vector<AttentionSetting> settings_of(const AttentionRow& row) {
  std::vector<AttentionSetting> all;
  if (&row != attentions().data()) all.assign(kCommon.begin(), kCommon.end());
  all.insert(all.end(), row.settings.begin(), row.settings.end());
  return all;
}

std::vector<std::string> words_of(const AttentionSetting& setting) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin < setting.words.size();) {
    const size_t end = std::min(setting.words.find('|', begin), setting.words.size());
    words.emplace_back(setting.words.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

double value_of(const AttentionRow& row, const AttentionSetting& setting, std::string_view text) {
  const auto refuse = [&](const auto&... expected) {
    throw UsageError(concat("attention ", row.name, ": ", setting.name, " is ", text, "; it must be ", expected...));
  };
  if (!setting.words.empty()) {
    const auto words = words_of(setting);
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) refuse("one of ", setting.words);
    return static_cast<double>(found - words.begin());
  }
  const auto value = parse_number<double>(text);
  if (!value || !(*value >= setting.least && *value <= setting.most) || (setting.whole && *value != std::floor(*value)))
    refuse("a ", setting.whole ? "whole " : "", "number from ", number_text(setting.least), " to ",
           number_text(setting.most));
  return *value;
}

const AttentionSetting& setting_of(const AttentionRow& row, const std::vector<AttentionSetting>& settings,
                                   std::string_view name) {
  if (const auto* found = find_row(settings, name)) return *found;
  const std::string names = listed(row_names(settings));
  throw UsageError(
      concat("attention ", row.name, " has no setting ", name, names.empty() ? "" : concat(" (it has ", names, ")")));
}

constexpr std::string_view kOwn = "bigdna.";

}  // namespace

const AttentionRow& attention(std::string_view name) { return row_named(attentions(), name, "attention"); }
const AttentionRow& attention(const ModelConfig& config) { return attention(config.attention.name); }
size_t attention_index(const ModelConfig& config) {
  return static_cast<size_t>(&attention(config) - attentions().data());
}

std::span<const AttentionSetting> common_settings() { return kCommon; }

std::string setting_text(const AttentionSetting& setting, double value) {
  return setting.words.empty() ? number_text(value) : words_of(setting).at(static_cast<size_t>(value));
}

AttentionConfig attention_from(std::string_view text, int64_t heads) {
  const size_t colon = std::min(text.find(':'), text.size());
  const AttentionRow& row = attention(text.substr(0, colon));
  const auto settings = settings_of(row);
  AttentionConfig config{.name = std::string(row.name), .settings = {}};
  for (const auto& setting : settings) {
    const double start = setting.start == kHalf ? static_cast<double>(heads / 2) : setting.start;
    config.settings[std::string(setting.name)] = start;
  }
  for (std::string_view rest = text.substr(std::min(colon + 1, text.size())); !rest.empty();) {
    const std::string_view part = rest.substr(0, std::min(rest.find(','), rest.size()));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const size_t equals = part.find('=');
    if (equals == part.npos) throw UsageError(concat("--attention ", text, ": expected NAME=VALUE in place of ", part));
    const auto& setting = setting_of(row, settings, part.substr(0, equals));
    config.settings[std::string(setting.name)] = value_of(row, setting, part.substr(equals + 1));
  }
  return config;
}

std::string to_string(const AttentionConfig& config) {
  std::string text = config.name;
  for (const char* separator = ":"; const auto& setting : settings_of(attention(config.name))) {
    text += concat(separator, setting.name, "=", setting_text(setting, config.at(std::string(setting.name))));
    separator = ",";
  }
  return text;
}

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
  for (const auto& [key, value] : json.items())
    if (key != "name") setting_of(row, settings, key);
  for (const auto& setting : settings) {
    const auto& value = json.at(std::string(setting.name));
    const std::string text = setting.words.empty() ? number_text(value.get<double>()) : value.get<std::string>();
    config.settings[std::string(setting.name)] = value_of(row, setting, text);
  }
  return config;
}

int64_t pattern_heads(const ModelConfig& config, int64_t layer) {
  if (attention_index(config) == 0 || static_cast<double>(layer) < config.attention.at("from")) return config.heads;
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
          "it cannot stand beside random blocks of transformers, which depend on padding");
  if (row.check) row.check(config);
}

std::string own_prefix(std::string_view row) { return concat(kOwn, row, "."); }

void attention_shapes(const ModelConfig& config, std::string_view prefix,
                      std::map<std::string, std::vector<int64_t>>& shapes) {
  const AttentionRow& row = attention(config);
  for (int64_t layer = 0; layer < config.layers; ++layer)
    if (pattern_heads(config, layer) < config.heads)
      for (const auto& own : row.parameters)
        if (auto shape = own.shape(config); !shape.empty())
          shapes[concat(prefix, layer, ".", own_prefix(row.name), own.name)] = std::move(shape);
}

const OwnParameter* own_parameter(std::string_view name) {
  const size_t begin = name.find(concat(".", kOwn));
  if (begin == name.npos) return nullptr;
  const std::string_view rest = name.substr(begin + 1 + kOwn.size());
  const size_t dot = std::min(rest.find('.'), rest.size());
  const AttentionRow* row = find_row(attentions(), rest.substr(0, dot));
  return row ? find_row(row->parameters, rest.substr(std::min(dot + 1, rest.size()))) : nullptr;
}

}  // namespace bigdna::model_folder
