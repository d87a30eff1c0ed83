/// Numbers in JSON files that bound loops or memory.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"

namespace bigdna::io {

/// The whole number at json[key]; Error "WHERE: ..." if there is none, or if it is below `least` or above `most`.
inline int64_t whole_number(const nlohmann::ordered_json& json, const char* key, int64_t least, int64_t most,
                            const std::string& where) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) fail(where, ": has no whole number \"", key, "\"");
  const bool beyond = found->is_number_unsigned() && found->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
  if (beyond || found->get<int64_t>() < least || found->get<int64_t>() > most)
    fail(where, ": \"", key, "\" is ", found->dump(), ", not from ", least, " to ", most);
  return found->get<int64_t>();
}

}  // namespace bigdna::io
