/// What every output says of its origin, in the way of its format: docs/formats.md, "Where an output comes from".
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace bigdna::io {

/// apps/ calls it once for each command: the command line with the options that decide the result, in the order of the
/// help. Jobs that give the same bytes have the same.
void set_deciding_command(std::string command);
const std::string& deciding_command();

/// Keys and values in order; a key may come several times. A value is one line of text.
class Provenance {
 public:
  /// bigdna_version and bigdna_command of this process.
  Provenance();
  Provenance& add(std::string key, const std::string& value);
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }
  /// The entries by key, in the order of their first.
  std::vector<std::pair<std::string, std::vector<std::string>>> by_key() const;
  /// "##key=value" lines, which text tables begin with.
  std::string comments() const;
  /// Adds bigdna_version, bigdna_command and so on to an object; a list for "model".
  void add_to(nlohmann::ordered_json& json) const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace bigdna::io
