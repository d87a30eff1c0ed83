#include "model_folder/setting.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/number.h"
#include "base/table.h"

namespace bigdna::model_folder {
namespace {

std::vector<std::string> words_of(const Setting& setting) {
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

}  // namespace

std::string_view row_name(std::string_view text) { return text.substr(0, text.find(':')); }

double value_of(std::string_view row, const Setting& setting, std::string_view text) {
  const auto refuse = [&](const auto&... expected) {
    throw UsageError(concat(row, ": ", setting.name, " is ", text, "; it must be ", expected...));
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

std::string setting_text(const Setting& setting, double value) {
  return setting.words.empty() ? number_text(value) : words_of(setting).at(static_cast<size_t>(value));
}

const Setting& setting_of(std::string_view row, std::span<const Setting> settings, std::string_view name) {
  if (const auto* found = find_row(settings, name)) return *found;
  const std::string names = listed(row_names(settings));
  throw UsageError(concat(row, " has no setting ", name, names.empty() ? "" : concat(" (it has ", names, ")")));
}

Chosen chosen_from(std::string_view kind, std::string_view text, std::span<const Setting> settings) {
  Chosen chosen{.name = std::string(row_name(text)), .settings = {}};
  for (const auto& setting : settings) chosen.settings[std::string(setting.name)] = setting.start;
  const std::string row = concat(kind, " ", chosen.name);
  for (std::string_view rest = text.substr(std::min(chosen.name.size() + 1, text.size())); !rest.empty();) {
    const std::string_view part = rest.substr(0, std::min(rest.find(','), rest.size()));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const size_t equals = part.find('=');
    if (equals == part.npos)
      throw UsageError(concat("--", kind, " ", text, ": expected NAME=VALUE in place of ", part));
    const auto& setting = setting_of(row, settings, part.substr(0, equals));
    chosen.settings[std::string(setting.name)] = value_of(row, setting, part.substr(equals + 1));
  }
  return chosen;
}

std::string to_string(const Chosen& chosen, std::span<const Setting> settings) {
  std::string text = chosen.name;
  for (const char* separator = ":"; const auto& setting : settings) {
    text += concat(separator, setting.name, "=", setting_text(setting, chosen.at(std::string(setting.name))));
    separator = ",";
  }
  return text;
}

}  // namespace bigdna::model_folder
