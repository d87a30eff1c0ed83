/// Choices that have settings: NAME:SETTING=VALUE,... names a row of a table (of attentions, of stacks) and sets some
/// of what the row can set.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace bigdna::model_folder {

/// A row's setting.
struct Setting {
  std::string_view name, help;
  double start, least, most;    // the default, and the range
  std::string_view words = {};  // "relu|exp": the values by name; the numbers are their indices
  bool whole = true;            // whether it is a whole number
};

/// A row of a table in a model's configuration, with every setting of the row.
struct Chosen {
  std::string name;
  std::map<std::string, double> settings;
  double at(const std::string& setting) const { return settings.at(setting); }
  bool operator==(const Chosen&) const = default;
};

/// What precedes the colon in "performer:features=64".
std::string_view row_name(std::string_view text);
/// All settings from such a text, with the defaults of what it does not name. `kind`: the table's, "attention".
/// UsageError.
Chosen chosen_from(std::string_view kind, std::string_view text, std::span<const Setting> settings);
/// The same in words that chosen_from() takes, with every setting.
std::string to_string(const Chosen& chosen, std::span<const Setting> settings);
/// A setting's value from words; UsageError. `row`: "attention performer".
double value_of(std::string_view row, const Setting& setting, std::string_view text);
/// A setting's value in words: "relu", "256".
std::string setting_text(const Setting& setting, double value);
/// UsageError if the row has no setting of that name.
const Setting& setting_of(std::string_view row, std::span<const Setting> settings, std::string_view name);

}  // namespace bigdna::model_folder
