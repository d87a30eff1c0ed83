#include "io/provenance.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/manifest.h"

namespace bigdna::io {

namespace {
std::string command;
constexpr const char* kModel = "model";
}  // namespace

void set_deciding_command(std::string text) { command = std::move(text); }
const std::string& deciding_command() { return command; }

Provenance::Provenance() {
  add("bigdna_version", program_version());
  add("bigdna_command", deciding_command());
}

Provenance& Provenance::add(std::string key, const std::string& value) {
  std::string line = value;
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' '; }, ' ');
  entries_.emplace_back(std::move(key), std::move(line));
  return *this;
}

std::vector<std::pair<std::string, std::vector<std::string>>> Provenance::by_key() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> result;
  for (const auto& [key, value] : entries_) {
    auto found = std::ranges::find(result, key, [](const auto& entry) { return entry.first; });
    if (found == result.end()) found = result.insert(result.end(), {key, {}});
    found->second.push_back(value);
  }
  return result;
}

std::string Provenance::comments() const {
  std::string text;
  for (const auto& [key, value] : entries_) text.append("##").append(key).append("=").append(value).append("\n");
  return text;
}

void Provenance::add_to(nlohmann::ordered_json& json) const {
  for (const auto& [key, values] : by_key())
    if (key == kModel)
      json[key] = values;
    else
      json[key] = values.front();
}

}  // namespace bigdna::io
