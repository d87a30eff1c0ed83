#include "mlm/pretrain_options.h"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "mlm/pretrain.h"

namespace bigdna::mlm {

namespace {

template <class T>
nlohmann::ordered_json value_of(const T& field) {
  if constexpr (std::is_enum_v<T>)
    return static_cast<int>(field);
  else
    return field;
}
template <class T>
nlohmann::ordered_json value_of(const std::optional<T>& field) {
  return field ? value_of(*field) : nlohmann::ordered_json();
}

template <class T>
void read_value(const nlohmann::ordered_json& json, T& field) {
  if constexpr (std::is_enum_v<T>)
    field = static_cast<T>(json.get<int>());
  else
    field = json.get<T>();
}
template <class T>
void read_value(const nlohmann::ordered_json& json, std::optional<T>& field) {
  field.reset();
  if (!json.is_null()) read_value(json, field.emplace());
}

nlohmann::ordered_json to_json(const PretrainOptions& options) {
  nlohmann::ordered_json json;
  visit_options(options, [&](const char* flag, const auto& field) { json[flag] = value_of(field); });
  return json;
}

}  // namespace

std::string options_of_a_genome(const PretrainOptions& options) {
  const auto now = to_json(options), defaults = to_json(PretrainOptions());
  std::string given;
  for (const char* flag : {"--vocab-size", "--vocab-bases", "--passes", "--max-n-fraction", "--strands", "--contigs", "--hold-out", "--exclude", "--invalid-bases"})
    if (now[flag] != defaults[flag]) given += concat(given.empty() ? "" : ", ", flag);
  return given;
}

void save_options(const PretrainOptions& options, const std::string& path) { io::write_file(path, to_json(options).dump(1) + "\n"); }

void resume_options(PretrainOptions& options, const std::string& path) {
  const auto saved = nlohmann::ordered_json::parse(io::read_file(path), nullptr, /*allow_exceptions=*/false);
  if (!saved.is_object()) fail(path, ": not JSON");
  const auto defaults = to_json(PretrainOptions());
  std::string differing;
  visit_options(options, [&](const char* flag, auto& field) {
    const auto now = value_of(field);
    if (!saved.contains(flag) || now == saved[flag]) return;
    if (now == defaults[flag])
      read_value(saved[flag], field);
    else
      differing += concat(differing.empty() ? "" : ", ", flag, " (now ", now.dump(), ", then ", saved[flag].dump(), ")");
  });
  if (!differing.empty()) fail(path, ": the run was begun with other options: ", differing);
}

}  // namespace bigdna::mlm
